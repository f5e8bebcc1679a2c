// Variant `dominance`, m = 1: a long match of template i has the rank of its first sample in the interval of x(i) and the
// rank of its second in that of x(i + 1). This is a rectangle of ranks, counted with four prefix counts. A fragment
// processes TEMPLATES consecutive templates of its row's pair and uses each interval for two of them.
//
// @dialects gl33 es300 : UNSIGNED OUTPUTS=2 ROW_BITS=12 TEMPLATES=32 NORMALISED? CEILING?
// Each of them also with BIT_COUNT in gl33; see distance/count_bits.frag.
#include "crossapen/tables.glsl"
#include "crossapen/template_sums.glsl"
#include "crossapen/pair.glsl"
#include "crossapen/find_interval.glsl"
#include "common/population_count.glsl"
uniform int firstColumn;
uniform sampler2D signals;        // four samples per texel; sample i has the number i + 3
uniform vec2 signalsTexel;
uniform isampler2D prefixCounts;  // per partner, for each 16 ranks from p on and every rank q: a bit for each of these
                                  // ranks, set if the sample's successor has a rank below q; in the upper half, the number
                                  // of such samples among all ranks below p
uniform vec2 prefixCountsTexel;

// Points with a first rank below the rank of `row` and a second rank below q. The upper half of the result counts whole
// cells; the lower half has a bit for each other point.
struct Row {
    int texel;  // for q = 0
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
