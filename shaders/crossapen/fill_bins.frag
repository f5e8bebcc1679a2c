// Fills the bins of a partner, see intervalBins() in engine/gl/crossapen/match_tables.hpp.
//
// @dialects gl33 es300 : ROW_BITS=12 NORMALISED?
#include "crossapen/tables.glsl"
uniform sampler2D described;  // per partner: its first texel; then the end of the first bin, and the bin width
uniform vec2 describedTexel;
uniform sampler2D sortedSamples;
uniform vec2 sortedSamplesTexel;
uniform int binCount;
uniform int samples;    // N
uniform int highest;    // the largest power of two up to N
uniform int lastTexel;  // of the table being filled

void main() {
    ivec2 place = divided(min(TEXEL_OF_FRAGMENT, lastTexel), binCount + 1);
    int partner = place.x;
    int bin = place.y - 1;
    if (bin < 0) {
        fragmentOutput[0] = TABLE(described, describedTexel, 2 * partner);
        return;
    }
    vec2 edges = TABLE(described, describedTexel, 2 * partner + 1).xy;
    // In two steps, because the range of the samples may exceed the largest float.
    int low = bin / 2;
    float reach = edges.x + float(low) * edges.y + float(bin - low) * edges.y;
    int sorted = partner * samples;
    int rank = 0;
    for (int step = highest; step > 0; step >>= 1)
        if (rank + step <= samples && TABLE(sortedSamples, sortedSamplesTexel, sorted + rank + step - 1).x <= reach)
            rank += step;
    ivec3 next = sorted + min(ivec3(rank, rank + 1, rank + 2), samples - 1);
    fragmentOutput[0] =
        vec4(float(rank), TABLE(sortedSamples, sortedSamplesTexel, next.x).x,
             TABLE(sortedSamples, sortedSamplesTexel, next.y).x, TABLE(sortedSamples, sortedSamplesTexel, next.z).x);
}
