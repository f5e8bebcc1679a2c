// The inner loop of count_bits.frag without its texture lookups: the same comparisons, full adders and population
// counts for ROWS rows by eight columns, on words in registers. The words of the columns change in each step, by a
// multiplication that GPUs execute in parallel with their logic units. The rate of this shader is the ceiling for
// variant `bits` (bench/gl_bits_bench.cpp).
//
// @dialects gl33 es300 : UNSIGNED OUTPUTS=8|4 CARRY_SAVE?
// In gl33, each also exists with BIT_COUNT; see count_bits.frag.
#define ROWS OUTPUTS
#include "distance/count_words.glsl"
uniform int groups;              // of 128 attributes
uniform MATRIX_SAMPLER operands;  // two planes of eight rows, then of eight columns, one texel each
uniform int factor;               // by which the words of the columns change

void main() {
    START_COUNTERS
    // Looked up, so that the compiler does not know them and must keep them in registers instead of recomputing them.
    uvec4 a[2 * ROWS];
    uvec4 b[16];
#define LOAD_ROW(r) \
    a[2 * (r)] = texelFetch(operands, ivec2(2 * (r), 0), 0); \
    a[2 * (r) + 1] = texelFetch(operands, ivec2(2 * (r) + 1, 0), 0);
    FOR_ROWS(LOAD_ROW)
    uint place = uint(gl_FragCoord.x) + 1000u * uint(gl_FragCoord.y);
#define LOAD_COLUMN(r, c) \
    b[2 * (c)] = texelFetch(operands, ivec2(16 + 2 * (c), 0), 0) + place; \
    b[2 * (c) + 1] = texelFetch(operands, ivec2(17 + 2 * (c), 0), 0) + place;
    FOR_COLUMNS(LOAD_COLUMN, 0)
    for (int group = 0; group < groups; ++group) {
#define STEP_COLUMN(r, c) \
        b[2 * (c)] = b[2 * (c)] * uint(factor) + 1u; \
        b[2 * (c) + 1] = b[2 * (c) + 1] * uint(factor) + 1u;
        FOR_COLUMNS(STEP_COLUMN, 0)
#define COUNT_PAIR(r, c) \
        { \
            uvec4 words = (a[2 * (r)] ^ b[2 * (c)]) | (a[2 * (r) + 1] ^ b[2 * (c) + 1]); \
            COUNT(r, c, words) \
        }
#define COUNT_ROW(r) FOR_COLUMNS(COUNT_PAIR, r)
        FOR_ROWS(COUNT_ROW)
    }
    FOR_ROWS(FINISH_COUNTERS)
#define STORE(r) fragmentOutput[r] = counters[r];
    FOR_ROWS(STORE)
}
