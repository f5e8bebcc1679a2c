// Sums TERM (distance/terms.glsl) over a block of attributes for OUTPUTS row instances by four column instances, and
// joins the sums of the previous blocks. Target r holds row r, with one column per component. Four attributes per
// texel; with SCALAR, one.
//
// @dialects gl33 es300 gl21 : OUTPUTS=1 SCALAR? TERM=ABSOLUTE_DIFFERENCE|SQUARED_DIFFERENCE|LARGEST_DIFFERENCE|ANY_DIFFERENCE
// @dialects gl33 es300 : OUTPUTS=8|4 TERM=ABSOLUTE_DIFFERENCE|SQUARED_DIFFERENCE|LARGEST_DIFFERENCE|ANY_DIFFERENCE NORMALISED?
// @dialects gl33 es300 : OUTPUTS=1 SCALAR? TERM=ABSOLUTE_DIFFERENCE|SQUARED_DIFFERENCE|LARGEST_DIFFERENCE|ANY_DIFFERENCE NORMALISED
#include "pairs/panel_lookup.glsl"
#include "pairs/sums_before.glsl"
#include "distance/terms.glsl"
uniform float firstTexel;  // of the block
uniform int texels;

void main() {
    float firstRow = (gl_FragCoord.y - 0.5) * float(OUTPUTS) + 0.5;
    float firstColumn = (gl_FragCoord.x - 0.5) * 4.0 + 0.5;
    vec4 sum[OUTPUTS];
#define CLEAR(r) sum[r] = vec4(0.0);
    FOR_ROWS(CLEAR)
    float x = firstTexel + 0.5;
    for (int t = 0; t < texels; ++t) {
        LANES b0 = LANES_OF(COLUMN_TEXEL(vec2(x, firstColumn)));
        LANES b1 = LANES_OF(COLUMN_TEXEL(vec2(x, firstColumn + 1.0)));
        LANES b2 = LANES_OF(COLUMN_TEXEL(vec2(x, firstColumn + 2.0)));
        LANES b3 = LANES_OF(COLUMN_TEXEL(vec2(x, firstColumn + 3.0)));
        LANES a;
#define ADD_ROW(r)                                                               \
        a = LANES_OF(ROW_TEXEL(vec2(x, firstRow + float(r))));             \
        sum[r] = JOIN(sum[r], vec4(SUM_TERMS(a, b0), SUM_TERMS(a, b1), SUM_TERMS(a, b2), SUM_TERMS(a, b3)));
        FOR_ROWS(ADD_ROW)
        x += 1.0;
    }
#define STORE(r) fragmentOutput[r] = JOIN(SUMS_BEFORE(r), sum[r]);
    FOR_ROWS(STORE)
}
