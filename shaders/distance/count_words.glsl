// Counters of ROWS x 8 pairs of instances, in registers. START_COUNTERS declares and zeroes them, COUNT(r, c, words)
// adds the ones of four words to the counter of row r and column c, and FINISH_COUNTERS(r) completes a row. Two 16-bit
// counters share a component, so a pass may count up to 65535.
//
// A population count costs more than a logic operation, so full adders come first (Harley and Seal; H. S. Warren,
// Hacker's Delight, 5-1): they turn three words into the ones and the twos of their sums.
#include "common/population_count.glsl"

// The component of column c, and the position of its counter in it.
#define COUNTER(r, c) counters[r][(c) / 2]
#define IN_PLACE(c) ((c) % 2 == 0 ? 1u : 65536u)

#ifdef CARRY_SAVE
// Keeps the ones and twos of a pair from step to step; of four words, only one is counted, the fours. This is faster if
// registers are memory anyway (software renderers).
#define COUNT(r, c, words)                                                                   \
    {                                                                                        \
        uint twosLow, twosHigh, fours;                                                       \
        FULL_ADDER(twosLow, ones[(r) * 8 + c], ones[(r) * 8 + c], words.x, words.y)          \
        FULL_ADDER(twosHigh, ones[(r) * 8 + c], ones[(r) * 8 + c], words.z, words.w)         \
        FULL_ADDER(fours, twos[(r) * 8 + c], twos[(r) * 8 + c], twosLow, twosHigh)           \
        COUNTER(r, c) += POPULATION_COUNT(fours) * IN_PLACE(c);                              \
    }
#define REST(r, c)                                                                           \
    COUNTER(r, c) += (POPULATION_COUNT(ones[(r) * 8 + c]) +                                  \
                      2u * POPULATION_COUNT(twos[(r) * 8 + c])) * IN_PLACE(c);
#define CLEAR_REST(r, c) ones[(r) * 8 + c] = 0u; twos[(r) * 8 + c] = 0u;
#define CLEAR_COUNTERS(r) counters[r] = uvec4(0u); FOR_COLUMNS(CLEAR_REST, r)
#define START_COUNTERS uvec4 counters[ROWS]; uint ones[ROWS * 8]; uint twos[ROWS * 8]; FOR_ROWS(CLEAR_COUNTERS)
#define FINISH_COUNTERS(r) counters[r] *= 4u; FOR_COLUMNS(REST, r)
#else
// Keeps only the counters; of four words, three are counted. On GPUs this balances the units for logic and for
// population counts, and leaves registers free.
#define COUNT(r, c, words)                                                                   \
    {                                                                                        \
        uint twos, ones;                                                                     \
        FULL_ADDER(twos, ones, words.x, words.y, words.z)                                    \
        COUNTER(r, c) += (POPULATION_COUNT(ones) + 2u * POPULATION_COUNT(twos) +             \
                          POPULATION_COUNT(words.w)) * IN_PLACE(c);                          \
    }
#define CLEAR_COUNTERS(r) counters[r] = uvec4(0u);
#define START_COUNTERS uvec4 counters[ROWS]; FOR_ROWS(CLEAR_COUNTERS)
#define FINISH_COUNTERS(r)
#endif

// Expands F once for each row or column, with constant arguments.
#if ROWS == 8
#define FOR_ROWS(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#else
#define FOR_ROWS(F) F(0) F(1) F(2) F(3)
#endif
#define FOR_COLUMNS(F, r) F(r, 0) F(r, 1) F(r, 2) F(r, 3) F(r, 4) F(r, 5) F(r, 6) F(r, 7)
