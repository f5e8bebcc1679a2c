// Adds products of stacked weighting matrices (stack_weights.frag) over a block of samples to those of previous blocks. The
// results are the joint tables of all pairs of genes, side by side. A fragment computes OUTPUTS rows by four columns, with
// four samples per texel; with SCALAR, one entry with one sample per texel.
//
// @dialects gl33 es300 gl21 : OUTPUTS=1 SCALAR?
// @dialects gl33 es300 : OUTPUTS=1 SCALAR? NORMALISED
// @dialects gl33 es300 : OUTPUTS=8|4 NORMALISED?
#include "pairs/panel_lookup.glsl"
#include "pairs/sums_before.glsl"
uniform float firstTexel;  // of the block
uniform int texels;

void main() {
    float x = firstTexel + 0.5;
#ifdef SCALAR
    float sum = 0.0;
    for (int t = 0; t < texels; ++t) {
        sum += ROW_TEXEL(vec2(x, gl_FragCoord.y)).x * COLUMN_TEXEL(vec2(x, gl_FragCoord.x)).x;
        x += 1.0;
    }
    fragmentOutput[0] = SUMS_BEFORE(0) + vec4(sum);
#else
    float firstRow = (gl_FragCoord.y - 0.5) * float(OUTPUTS) + 0.5;
    float firstColumn = (gl_FragCoord.x - 0.5) * 4.0 + 0.5;
    vec4 sum[OUTPUTS];
#define CLEAR(r) sum[r] = vec4(0.0);
    FOR_ROWS(CLEAR)
    for (int t = 0; t < texels; ++t) {
        vec4 b0 = COLUMN_TEXEL(vec2(x, firstColumn));
        vec4 b1 = COLUMN_TEXEL(vec2(x, firstColumn + 1.0));
        vec4 b2 = COLUMN_TEXEL(vec2(x, firstColumn + 2.0));
        vec4 b3 = COLUMN_TEXEL(vec2(x, firstColumn + 3.0));
        vec4 a;
#define ADD_ROW(r)                                     \
        a = ROW_TEXEL(vec2(x, firstRow + float(r))); \
        sum[r] += vec4(dot(a, b0), dot(a, b1), dot(a, b2), dot(a, b3));
        FOR_ROWS(ADD_ROW)
        x += 1.0;
    }
#define STORE(r) fragmentOutput[r] = SUMS_BEFORE(r) + sum[r];
    FOR_ROWS(STORE)
#endif
}
