// Tables of patterns: the same number of texels, a power of two, for each channel. Divisions by powers of two are products with
// their inverses, which are exact on every device.
uniform TABLE_SAMPLER patterns;  // four whole numbers, the first one decides first
uniform vec2 patternsTexel;
uniform float stride;  // texels per channel
uniform float inverseStride;

vec4 patternAt(float index) {
    return TABLE(patterns, patternsTexel, int(index));
}

bool isBefore(vec4 a, vec4 b) {
    if (a.x != b.x) return a.x < b.x;
    if (a.y != b.y) return a.y < b.y;
    if (a.z != b.z) return a.z < b.z;
    return a.w < b.w;
}
