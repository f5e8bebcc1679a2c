// Variant `scalar`: the sweep of the paper as a fragment pass (Martinez-Zarzuela et al. 2013, section 3.1). A fragment
// compares one template of its row's pair with all templates of the partner. It counts the matches of M and of M + 1
// samples in the same sweep.
//
// @dialects gl33 es300 : UNSIGNED OUTPUTS=2 ROW_BITS=12 M=1|2|5 NORMALISED? CEILING?
// @dialects gl21 : ROW_TEXELS=4096.0 M=1|2|5
#include "crossapen/tables.glsl"
#ifndef LEGACY
#include "crossapen/template_sums.glsl"
#endif
#include "crossapen/pair.glsl"
#include "crossapen/is_match.glsl"
uniform TABLE_SAMPLER signals;   // one sample per texel
uniform vec2 signalsTexel;
uniform TABLE_SAMPLER partners;  // likewise
uniform vec2 partnersTexel;
uniform int firstColumn;
uniform int samples;

void main() {
    Pair pair = pairOfRow();
    int number = firstColumn + int(gl_FragCoord.x);
    float window[M + 1];
    for (int k = 0; k <= M; ++k) window[k] = TABLE(signals, signalsTexel, pair.templates + number + k).x;

    float runs[M + 1];  // runs[k]: 1 if the last k + 1 partner samples match the first k + 1 of the template
    for (int k = 0; k <= M; ++k) runs[k] = 0.0;
    float shortMatches = 0.0;
    float longMatches = 0.0;
    int partner = pair.partner * sampleStride;
    for (int j = 0; j < samples; ++j) {
        float y = TABLE(partners, partnersTexel, partner + j).x;
        // Elements are not indexed by the counter itself: see match_packed.frag.
        for (int k = M - 1; k >= 0; --k) runs[k + 1] = runs[k] * IS_MATCH(window[k + 1], y);
        runs[0] = IS_MATCH(window[0], y);
        shortMatches += runs[M - 1];
        longMatches += runs[M];
    }
#ifdef LEGACY
    // The host computes the sums (engine/gl/crossapen/pair_sums.hpp).
    fragmentOutput[0] = vec4(2.0 * shortMatches + runs[M - 1], longMatches, 0.0, 0.0);
#else
    addTemplate(number, uint(shortMatches), uint(longMatches), uint(runs[M - 1]));
    storeSums();
#endif
}
