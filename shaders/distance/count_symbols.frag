// Compares two instances, with symbols as floats and missing entries as negative numbers. Within a block of attributes,
// it counts those known in both that differ (x), among them pairs of genotypes 0 and 2 (y), and those known in both
// (z). Adds the counts of the previous blocks. Column instance x, row instance y. Four attributes per texel; with
// SCALAR, one.
//
// @dialects gl33 es300 gl21 : OUTPUTS=1 SCALAR?
// @dialects gl33 es300 : OUTPUTS=1 SCALAR? NORMALISED
#include "pairs/panel_lookup.glsl"
uniform MATRIX_SAMPLER sums;
uniform float firstTexel;  // of the block
uniform int texels;

#ifdef SCALAR
#define SYMBOLS float
#define SYMBOLS_OF(texel) (texel).x
#define TOTAL(counts) (counts)
#else
#define SYMBOLS vec4
#define SYMBOLS_OF(texel) (texel)
#define TOTAL(counts) dot(counts, vec4(1.0))
#endif

void main() {
    SYMBOLS differing = SYMBOLS(0.0);
    SYMBOLS opposite = SYMBOLS(0.0);
    SYMBOLS valid = SYMBOLS(0.0);
    float x = firstTexel + 0.5;
    for (int t = 0; t < texels; ++t) {
        SYMBOLS a = SYMBOLS_OF(ROW_TEXEL(vec2(x, gl_FragCoord.y)));
        SYMBOLS b = SYMBOLS_OF(COLUMN_TEXEL(vec2(x, gl_FragCoord.x)));
        SYMBOLS both = step(0.0, a) * step(0.0, b);
        SYMBOLS difference = both * abs(a - b);
        differing += min(difference, 1.0);
        opposite += clamp(difference - 1.0, 0.0, 1.0);
        valid += both;
        x += 1.0;
    }
    fragmentOutput[0] =
        FETCH(sums, gl_FragCoord.xy) + vec4(TOTAL(differing), TOTAL(opposite), TOTAL(valid), 0.0);
}
