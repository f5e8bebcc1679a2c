// The partners within r of a sample are an interval of ranks of the sorted partner: after all y with x - y > r, and up to
// the last y with x - y >= -r. Subtraction is monotone even with rounding, so these are exactly the samples that comparing
// |x - y| with r finds.
//
// Bins of equal width over the partner's range store how many samples certainly lie before each bin (see
// engine/gl/crossapen/match_tables.hpp), and the next three samples. The end of the interval is usually among these.
uniform sampler2D bins;          // per partner: smallest sample, bins per unit, rank of the last sample; then a texel per
                                 // bin: rank, and the samples of this rank and the next two
uniform vec2 binsTexel;
uniform sampler2D sortedSamples;  // per partner
uniform vec2 sortedSamplesTexel;
uniform int binCount;
uniform int samples;  // N

struct Search {
    int bins;     // first bin of the partner in the table
    int sorted;   // first sorted sample
    float base;
    float scale;
    float tolerance;
};

// Returns how many of the sorted samples satisfy x - y > bound, or x - y >= bound with `orEqual`. `known` and all samples
// before it are known to satisfy it.
int countMore(Search search, int known, float x, float bound, bool orEqual) {
    int step = 1;
    bool grows = true;
    while (step > 0) {
        int next = known + step;
        bool isIn = false;
        if (next <= samples) {
            float difference = x - TABLE(sortedSamples, sortedSamplesTexel, search.sorted + next - 1).x;
            isIn = difference > bound || (orEqual && difference == bound);
        }
        if (isIn) known = next;
        grows = grows && isIn;
        step = grows ? step * 2 : step / 2;
    }
    return known;
}

// Ranks [begin, end) of the samples within r of x.
ivec2 findInterval(Search search, float x) {
    vec2 places = (vec2(x - search.tolerance, x + search.tolerance) - search.base) * search.scale;
    ivec2 nearest = ivec2(clamp(places, 0.0, float(binCount - 1))) + search.bins;
    vec4 low = TABLE(bins, binsTexel, nearest.x);
    vec4 high = TABLE(bins, binsTexel, nearest.y);
    ivec3 before = ivec3(greaterThan(vec3(x) - low.yzw, vec3(search.tolerance)));
    ivec3 upTo = ivec3(greaterThanEqual(vec3(x) - high.yzw, vec3(-search.tolerance)));
    int begin = min(int(low.x) + before.x + before.y + before.z, samples);
    int end = min(int(high.x) + upTo.x + upTo.y + upTo.z, samples);
    if (before.z != 0) begin = countMore(search, begin, x, search.tolerance, false);
    if (upTo.z != 0) end = countMore(search, end, x, -search.tolerance, true);
    return ivec2(begin, max(begin, end));
}
