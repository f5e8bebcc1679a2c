// For each set of a row (fill_rank_sets.frag): the number of bits in the sets before it.
//
// @dialects gl33 es300 : FIXED_POINT ROW_BITS=12 NORMALISED?
// Each of them also with BIT_COUNT in gl33; see distance/count_bits.frag.
#include "crossapen/tables.glsl"
#include "common/population_count.glsl"
uniform usampler2D rankSets;
uniform vec2 rankSetsTexel;
uniform int lists;      // sets per row
uniform int lastTexel;  // of the table being filled

void main() {
    int index = min(TEXEL_OF_FRAGMENT, lastTexel);
    uint count = 0u;
    for (int set = index - divided(index, lists).y; set < index; ++set)
        count += POPULATION_COUNT_4(TABLE(rankSets, rankSetsTexel, set));
    fragmentOutput[0] = ivec4(int(count));
}
