// Variant `bitset`: the partner samples within r of a sample are the difference of two prefix sets, which are the positions
// of the k smallest samples as bits. Template i matches where the sets of i, i + 1 ... all have a bit, each shifted by one
// more. A fragment processes TEMPLATES consecutive templates of its row's pair.
//
// With T texels per set, position t + T (c + 4 b) is bit b of component c of texel t. The positions continue in M more
// texels, so the same bits of texel t + k are the positions k later, and no shift is needed.
//
// @dialects gl33 es300 : UNSIGNED OUTPUTS=2 ROW_BITS=12 TEMPLATES=8 M=1|2|5 CARRY_SAVE? NORMALISED? CEILING?
// Each of them also with BIT_COUNT in gl33; see distance/count_bits.frag.
#include "crossapen/tables.glsl"
#include "crossapen/template_sums.glsl"
#include "crossapen/pair.glsl"
#include "crossapen/find_interval.glsl"
#include "common/population_count.glsl"
uniform sampler2D signals;      // four samples per texel
uniform vec2 signalsTexel;
uniform usampler2D prefixSets;  // per partner, for k = 0 ... N
uniform vec2 prefixSetsTexel;
uniform int firstColumn;
uniform int setTexels;  // T

#define ROWS (TEMPLATES + M)
// For short templates, rows are kept as long as other templates need them, so that every texel is read once. For longer
// ones this would take too many registers, but most words are empty after a few rows.
#if M <= 4
#define WINDOW
#endif
// The first half counts short matches of the templates, the second half long ones.
#define COUNTERS (2 * TEMPLATES)
#ifdef CARRY_SAVE
// Ones and twos of four words are carried from texel to texel; only fours are counted.
uint ones[COUNTERS];
uint twos[COUNTERS];
uint fours[COUNTERS];
void countBits(int counter, uvec4 words) {
    uint twosLow, twosHigh, carry;
    FULL_ADDER(twosLow, ones[counter], ones[counter], words.x, words.y)
    FULL_ADDER(twosHigh, ones[counter], ones[counter], words.z, words.w)
    FULL_ADDER(carry, twos[counter], twos[counter], twosLow, twosHigh)
    fours[counter] += POPULATION_COUNT(carry);
}
#define BITS_COUNTED(counter) \
    (4u * fours[counter] + 2u * POPULATION_COUNT(twos[counter]) + POPULATION_COUNT(ones[counter]))
#else
uint bits[COUNTERS];
void countBits(int counter, uvec4 words) {
    uint twos, ones;
    FULL_ADDER(twos, ones, words.x, words.y, words.z)
    bits[counter] += POPULATION_COUNT(ones) + POPULATION_COUNT(words.w) + 2u * POPULATION_COUNT(twos);
}
#define BITS_COUNTED(counter) bits[counter]
#endif

void main() {
    Pair pair = pairOfRow();
    int partnerBins = pair.partner * (binCount + 1);
    vec4 partner = TABLE(bins, binsTexel, partnerBins);
    Search search = Search(partnerBins + 1, pair.partner * samples, partner.x, partner.y, pair.tolerance);
    int stride = setTexels + M;
    int number = (firstColumn + int(gl_FragCoord.x)) * TEMPLATES;
    ivec2 sets[ROWS];  // first texels of the two prefix sets whose difference is the row
    for (int row = 0; row < ROWS; ++row) {
        float x = TABLE(signals, signalsTexel, pair.templates + (number + row) / 4)[row % 4];
        sets[row] = pair.partner * (samples + 1) * stride + findInterval(search, x) * stride;
    }
#define ROW_TEXEL(row, t)                                   \
    (TABLE(prefixSets, prefixSetsTexel, sets[row].x + (t)) ^ \
     TABLE(prefixSets, prefixSetsTexel, sets[row].y + (t)))

#ifdef WINDOW
    uvec4 window[ROWS * (M + 1)];  // window[row * (M + 1) + k]: texel t + k of a row
    for (int row = 0; row < ROWS; ++row)
        for (int k = 0; k < M; ++k) window[row * (M + 1) + k + 1] = ROW_TEXEL(row, k);
#endif
    uvec4 lastWords = uvec4(0u);
    int lastPlace = lastTemplate / setTexels;
    lastWords[lastPlace % 4] = 1u << uint(lastPlace / 4);
    int lastTexel = lastTemplate % setTexels;

    for (int counter = 0; counter < COUNTERS; ++counter) {
#ifdef CARRY_SAVE
        ones[counter] = twos[counter] = fours[counter] = 0u;
#else
        bits[counter] = 0u;
#endif
    }
    uint matchesLast[TEMPLATES];
    for (int i = 0; i < TEMPLATES; ++i) matchesLast[i] = 0u;
    for (int t = 0; t < setTexels; ++t) {
#ifdef WINDOW
        for (int row = 0; row < ROWS; ++row) {
            for (int k = 0; k < M; ++k) window[row * (M + 1) + k] = window[row * (M + 1) + k + 1];
            window[row * (M + 1) + M] = ROW_TEXEL(row, t + M);
        }
#define SHIFTED(row, k) window[(row) * (M + 1) + k]
#else
#define SHIFTED(row, k) ROW_TEXEL(row, t + (k))
#endif
        for (int i = 0; i < TEMPLATES; ++i) {
            uvec4 words = SHIFTED(i, 0);
            for (int k = 1; k < M; ++k) {
#ifndef WINDOW
                if (words == uvec4(0u)) break;
#endif
                words &= SHIFTED(i + k, k);
            }
            countBits(i, words);
            if (t == lastTexel) matchesLast[i] = uint((words & lastWords) != uvec4(0u));
            words &= SHIFTED(i + M, M);
            countBits(i + TEMPLATES, words);
        }
    }
    for (int i = 0; i < TEMPLATES; ++i)
        addTemplate(number + i, BITS_COUNTED(i), BITS_COUNTED(i + TEMPLATES), matchesLast[i]);
    storeSums();
}
