// Counts the ones of words in registers, each XORed with another word first: ceiling "population count"
// (engine/gl/framework/gl_probes.cpp). CARRY_SAVE: of eight words, only one is counted, after full adders.
//
// @dialects gl33 es300 : UNSIGNED CARRY_SAVE?
// In gl33, each also exists with BIT_COUNT; see distance/count_bits.frag.
#include "common/population_count.glsl"
uniform int rounds;

// Full adder on every bit of four words: adds a and b to `ones`; the carries go to `twos`.
#define ADD_BITS(twos_, ones_, a, b)                 \
    {                                                \
        uvec4 first = a;                             \
        uvec4 second = b;                            \
        uvec4 either = ones_ ^ first;                \
        twos_ = (ones_ & first) | (either & second); \
        ones_ = either ^ second;                     \
    }
// Words that depend on the fragment, so that the compiler does not know them.
#define WORD(k) (uvec4(1u, 2u, 3u, 4u) * 2654435769u + (place + uint(k)) * 2246822519u)
uvec4 onesOf(uvec4 words) {
    return uvec4(POPULATION_COUNT(words.x), POPULATION_COUNT(words.y), POPULATION_COUNT(words.z), POPULATION_COUNT(words.w));
}

void main() {
    uint place = uint(gl_FragCoord.x) + 1000u * uint(gl_FragCoord.y);
    uvec4 w0 = WORD(0);
    uvec4 w1 = WORD(1);
    uvec4 w2 = WORD(2);
    uvec4 w3 = WORD(3);
    uvec4 w4 = WORD(4);
    uvec4 w5 = WORD(5);
    uvec4 w6 = WORD(6);
    uvec4 w7 = WORD(7);
    uvec4 count = uvec4(0u);
#ifdef CARRY_SAVE
    uvec4 ones = uvec4(0u);
    uvec4 twos = uvec4(0u);
    uvec4 fours = uvec4(0u);
#endif
    for (int round_ = 0; round_ < rounds; ++round_) {
        uint key = uint(round_) * 668265263u;
#ifdef CARRY_SAVE
        uvec4 two0;
        uvec4 two1;
        uvec4 four0;
        uvec4 four1;
        uvec4 eight;
        ADD_BITS(two0, ones, w0 ^ key, w1 ^ key)
        ADD_BITS(two1, ones, w2 ^ key, w3 ^ key)
        ADD_BITS(four0, twos, two0, two1)
        ADD_BITS(two0, ones, w4 ^ key, w5 ^ key)
        ADD_BITS(two1, ones, w6 ^ key, w7 ^ key)
        ADD_BITS(four1, twos, two0, two1)
        ADD_BITS(eight, fours, four0, four1)
        count += onesOf(eight);
#else
        count += onesOf(w0 ^ key) + onesOf(w1 ^ key) + onesOf(w2 ^ key) + onesOf(w3 ^ key);
        count += onesOf(w4 ^ key) + onesOf(w5 ^ key) + onesOf(w6 ^ key) + onesOf(w7 ^ key);
#endif
    }
#ifdef CARRY_SAVE
    count = 8u * count + 4u * onesOf(fours) + 2u * onesOf(twos) + onesOf(ones);
#endif
    fragmentOutput[0] = count;
}
