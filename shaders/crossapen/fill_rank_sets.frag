// Bit sets, one per threshold: the ranks in a list of 128 that are below the threshold. Bit b of component c is rank c of
// texel b / 2 of the list, in the lower half for even b.
//
// @dialects gl33 es300 : UNSIGNED ROW_BITS=12 NORMALISED?
#include "crossapen/tables.glsl"
uniform usampler2D ranks;
uniform vec2 ranksTexel;
uniform int rankStride;  // texels per partner
uniform int firstList;   // first texel of a partner's lists
uniform int lists;       // per partner
uniform int thresholds;  // per partner
uniform int rankStep;    // between two thresholds
uniform int lastTexel;   // of the table being filled

void main() {
    ivec2 set = divided(min(TEXEL_OF_FRAGMENT, lastTexel), lists);
    ivec2 row = divided(set.x, thresholds);  // of a partner
    uvec4 threshold = uvec4(uint(row.y * rankStep));
    int list = row.x * rankStride + firstList + set.y * 16;
    uvec4 bits = uvec4(0u);
    for (int texel = 0; texel < 16; ++texel) {
        uvec4 two = TABLE(ranks, ranksTexel, list + texel);
        bits |= uvec4(lessThan(two & 0xffffu, threshold)) << uint(2 * texel);
        bits |= uvec4(lessThan(two >> 16, threshold)) << uint(2 * texel + 1);
    }
    fragmentOutput[0] = bits;
}
