// Lookups of texels in a 256 × 256 texture, one after another in pseudo-random order: ceilings "texel fetch"
// (engine/gl/framework/gl_probes.cpp). SCATTERED: each fragment reads its own texels; otherwise all fragments read the
// same ones. NORMALISED: uses a nearest-texel lookup, which is faster on some renderers.
//
// @dialects gl33 es300 : SCATTERED? NORMALISED?
// @dialects gl33 es300 : UNSIGNED SCATTERED? NORMALISED?
uniform int rounds;
uniform MATRIX_SAMPLER texels;

#ifdef NORMALISED
#define TEXEL(shift) textureLod(texels, (vec2(float((state >> shift) & 255u), float((state >> (shift + 8)) & 255u)) + 0.5) / 256.0, 0.0)
#else
#define TEXEL(shift) texelFetch(texels, ivec2(int((state >> shift) & 255u), int((state >> (shift + 8)) & 255u)), 0)
#endif

void main() {
    uint state = 12345u;
#ifdef SCATTERED
    state += 2654435769u * (uint(gl_FragCoord.x) + 1000u * uint(gl_FragCoord.y));
#endif
    VALUE4 sum = VALUE4(0);
    for (int round_ = 0; round_ < rounds; ++round_) {
        state = state * 1664525u + 1013904223u;
        sum += TEXEL(1) + TEXEL(6) + TEXEL(11) + TEXEL(16);
    }
    fragmentOutput[0] = sum;
}
