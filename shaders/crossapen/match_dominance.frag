// Variant `dominance`, m = 1: the long matches of template i are the partner templates whose first sample lies in the
// interval of ranks of x(i) and whose second in that of x(i + 1): a rectangle of ranks, counted with four prefix counts.
// A fragment takes TEMPLATES consecutive templates of the pair of its row, and keeps each interval for two of them.
//
// @dialects gl33 es300 : UNSIGNED OUTPUTS=2 ROW_BITS=12 TEMPLATES=32 NORMALISED? CEILING?
// Each of them also with BIT_COUNT in gl33; see distance/count_bits.frag.
#include "crossapen/tables.glsl"
#include "crossapen/template_sums.glsl"
#include "crossapen/pair.glsl"
#include "crossapen/find_interval.glsl"
#include "common/population_count.glsl"
uniform int firstColumn;
uniform sampler2D signals;        // four samples a texel, sample i being number i + 3
uniform vec2 signalsTexel;
uniform isampler2D prefixCounts;  // of each partner, for each 16 ranks p and every rank q: below p .. p + 15, which of
                                  // the samples have a successor of a rank below q; in the upper half how many do
                                  // of all ranks below p
uniform vec2 prefixCountsTexel;

// Points with a first rank below that of `row` and a second rank below q: whole cells in the upper half of the result,
// and in the lower half a bit for each of the others.
struct Row {
    int texel;  // of q = 0
    uint mask;
};
Row rowOf(int table, int rank) {
    return Row(table + (rank >> 4) * (samples + 1), (1u << uint(rank & 15)) - 1u);
}

void main() {
    Pair pair = pairOfRow();
    int partnerBins = pair.partner * (binCount + 1);
    vec4 partner = TABLE(bins, binsTexel, partnerBins);
    Search search = Search(partnerBins + 1, pair.partner * samples, partner.x, partner.y, pair.tolerance);
    int lastRank = int(partner.z);
    int table = pair.partner * ((samples >> 4) + 1) * (samples + 1);

    int number = (firstColumn + int(gl_FragCoord.x)) * TEMPLATES;
    int texel = pair.templates + number / 4;
    ivec2 interval = findInterval(search, TABLE(signals, signalsTexel, texel).w);
    Row lower = rowOf(table, interval.x);
    Row upper = rowOf(table, interval.y);
    for (int group = 0; group < TEMPLATES / 4; ++group) {
        ++texel;
        vec4 successors = TABLE(signals, signalsTexel, texel);
        for (int k = 0; k < 4; ++k) {
            ivec2 next = findInterval(search, successors[k]);
            uint a = uint(TABLE(prefixCounts, prefixCountsTexel, upper.texel + next.y).x);
            uint b = uint(TABLE(prefixCounts, prefixCountsTexel, lower.texel + next.x).x);
            uint c = uint(TABLE(prefixCounts, prefixCountsTexel, upper.texel + next.x).x);
            uint d = uint(TABLE(prefixCounts, prefixCountsTexel, lower.texel + next.y).x);
            uint added = (a & upper.mask) | ((b & lower.mask) << 16);
            uint taken = (c & upper.mask) | ((d & lower.mask) << 16);
            uint longMatches = (a >> 16) + (b >> 16) - (c >> 16) - (d >> 16) + POPULATION_COUNT(added) -
                               POPULATION_COUNT(taken);
            bool matchesLast = interval.x <= lastRank && lastRank < interval.y;
            addTemplate(number, uint(interval.y - interval.x), longMatches, uint(matchesLast));
            interval = next;
            lower = rowOf(table, interval.x);
            upper = rowOf(table, interval.y);
            ++number;
        }
    }
    storeSums();
}
