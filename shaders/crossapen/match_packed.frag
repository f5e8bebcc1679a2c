// Variant `packed`: `scalar` with four samples per texel. A fragment processes four consecutive templates, and every
// comparison serves all of them that contain the sample: 4 + M comparisons per partner sample instead of 4 (M + 1).
//
// @dialects gl33 es300 : UNSIGNED OUTPUTS=2 ROW_BITS=12 M=1|2|5 NORMALISED? CEILING?
// @dialects gl21 : ROW_TEXELS=4096.0 M=1|2|5
#include "crossapen/tables.glsl"
#ifndef LEGACY
#include "crossapen/template_sums.glsl"
#endif
#include "crossapen/pair.glsl"
#include "crossapen/is_match.glsl"
uniform TABLE_SAMPLER signals;   // four samples per texel
uniform vec2 signalsTexel;
uniform TABLE_SAMPLER partners;  // likewise
uniform vec2 partnersTexel;
uniform int firstColumn;
uniform int samples;

void main() {
    Pair pair = pairOfRow();
    int number = (firstColumn + int(gl_FragCoord.x)) * 4;
    float window[4 + M];
    for (int t = 0; t < 4 + M; ++t) window[t] = TABLE(signals, signalsTexel, pair.templates + (number + t) / 4)[t - t / 4 * 4];

    // Runs move up by one from sample to sample. An element must not be indexed by the loop counter itself, because Mesa's
    // software renderers evaluate the index when they store. If the loop is not unrolled (M > 32), `runs[k] = runs[k - 1]`
    // finds k - 1 in the register of k, where it is the next k, and stores there.
    vec4 runs[M + 1];  // runs[k]: 1 if the last k + 1 partner samples match the first k + 1 of each template
    for (int k = 0; k <= M; ++k) runs[k] = vec4(0.0);
    vec4 shortMatches = vec4(0.0);
    vec4 longMatches = vec4(0.0);
    float matches[4 + M];
#define COMPARE_WITH(y) \
    for (int t = 0; t < 4 + M; ++t) matches[t] = IS_MATCH(window[t], y); \
    for (int k = M - 1; k >= 0; --k) \
        runs[k + 1] = runs[k] * vec4(matches[k + 1], matches[k + 2], matches[k + 3], matches[k + 4]); \
    runs[0] = vec4(matches[0], matches[1], matches[2], matches[3]); \
    shortMatches += runs[M - 1]; \
    longMatches += runs[M];

    int texel = pair.partner * sampleStride;
    vec4 y;
    for (int rest = samples / 4; rest > 0; --rest) {
        y = TABLE(partners, partnersTexel, texel);
        COMPARE_WITH(y.x)
        COMPARE_WITH(y.y)
        COMPARE_WITH(y.z)
        COMPARE_WITH(y.w)
        ++texel;
    }
    y = TABLE(partners, partnersTexel, texel);
    for (int k = 0; k < samples - samples / 4 * 4; ++k) {
        COMPARE_WITH(y[k])
    }

#ifdef LEGACY
    // The host computes the sums (engine/gl/crossapen/pair_sums.hpp).
    fragmentOutput[0] = 2.0 * shortMatches + runs[M - 1];
    fragmentOutput[1] = longMatches;
#else
    uvec4 matchesLast = uvec4(runs[M - 1]);
    for (int t = 0; t < 4; ++t)
        addTemplate(number + t, uint(shortMatches[t]), uint(longMatches[t]), matchesLast[t]);
    storeSums();
#endif
}
