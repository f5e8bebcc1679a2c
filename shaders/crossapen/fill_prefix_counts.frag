// Prefix counts of the points (rank of sample j, rank of sample j + 1) of a partner, see prefixCountTexels() in
// engine/gl/crossapen/match_tables.hpp. Whole rows of 16 first ranks are counted by second ranks: second ranks below q in
// whole sets of 128, and in a part of the last set.
//
// @dialects gl33 es300 : FIXED_POINT ROW_BITS=12 NORMALISED?
// Each of them also with BIT_COUNT in gl33; see distance/count_bits.frag.
#include "crossapen/tables.glsl"
#include "common/population_count.glsl"
uniform usampler2D ranks;  // per partner: for each 16 first ranks, two texels with the second ranks
uniform vec2 ranksTexel;
uniform usampler2D rankSets;  // per row of 16 first ranks: the second ranks that belong to an earlier first rank
uniform vec2 rankSetsTexel;
uniform isampler2D setCounts;  // count_rank_sets.frag
uniform vec2 setCountsTexel;
uniform int rankStride;  // texels per partner in `ranks`
uniform int lists;       // sets per row
uniform int samples;     // N
uniform int lastTexel;   // of the table being filled

void main() {
    ivec2 place = divided(min(TEXEL_OF_FRAGMENT, lastTexel), samples + 1);
    int q = place.y;
    ivec2 row = divided(place.x, (samples >> 4) + 1);  // of a partner
    int set = place.x * lists + (q >> 7);
    uvec4 bits = TABLE(rankSets, rankSetsTexel, set);
    // The number of lower bits to keep in each word. A shift by 32 takes two steps.
    uvec4 lower = uvec4(clamp((q & 127) - ivec4(0, 32, 64, 96), 0, 32));
    bits &= ((uvec4(1u) << (lower >> 1)) << (lower - (lower >> 1))) - 1u;
    uint count = uint(TABLE(setCounts, setCountsTexel, set).x) + POPULATION_COUNT_4(bits);

    int first = row.x * rankStride + 2 * row.y;
    uvec4 limit = uvec4(uint(q));
    uvec4 places = uvec4(1u, 2u, 4u, 8u);
    uvec4 passed = uvec4(0u);
    for (int texel = 0; texel < 2; ++texel) {
        uvec4 two = TABLE(ranks, ranksTexel, first + texel);
        passed += uvec4(lessThan(two & 0xffffu, limit)) * places << uint(8 * texel);
        passed += uvec4(lessThan(two >> 16, limit)) * places << uint(8 * texel + 4);
    }
    fragmentOutput[0] = ivec4(int(count << 16 | (passed.x + passed.y + passed.z + passed.w)));
}
