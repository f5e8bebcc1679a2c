// Sums of joint tables that are side by side (add_products.frag). ALONG_ROWS: for row (gene, bin) y with column gene x, the
// sum and the terms p log2 p over the column gene's bins. Otherwise: for column (gene, bin) x with row gene y, the sum.
// `joint` has LAYERS rows by four columns per texel; with SCALAR, one entry.
//
// @dialects gl33 es300 gl21 : SCALAR? LAYERS=1 ALONG_ROWS?
// @dialects gl33 es300 : LAYERS=4|8 ALONG_ROWS?
#include "mutualinfo/entropy.glsl"
#if LAYERS == 1
uniform MATRIX_SAMPLER joint;
#define TABLE_TEXEL(column, row) TEXEL_AT(joint, column, row)
#else
uniform MATRIX_ARRAY_SAMPLER joint;
#define TABLE_TEXEL(column, row) texelFetch(joint, ivec3(column, (row) / LAYERS, (row) % LAYERS), 0)
#endif
#ifdef SCALAR
#define ENTRY(column, row) TABLE_TEXEL(column, row).x
#else
#define ENTRY(column, row) TABLE_TEXEL((column) / 4, row)[(column) - (column) / 4 * 4]
#endif
uniform int bins;
uniform float scale;  // from a sum to a share of all samples

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    float sum = 0.0;
    float terms = 0.0;
    for (int b = 0; b < bins; ++b) {
#ifdef ALONG_ROWS
        float p = ENTRY(place.x * bins + b, place.y) * scale;
        terms += entropyTerm(p);
#else
        float p = ENTRY(place.x, place.y * bins + b) * scale;
#endif
        sum += p;
    }
    fragmentOutput[0] = vec4(sum, terms, 0.0, 0.0);
}
