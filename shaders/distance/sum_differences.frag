// Sums |a - b| (SQUARED: (a - b)^2) over a block of attributes for OUTPUTS row instances by four column instances, and
// adds the sums of the blocks before. Target r holds row r, a component a column.
// Four attributes a texel; SCALAR: one.
//
// @dialects gl33 es300 gl21 : OUTPUTS=1 SCALAR? SQUARED?
// @dialects gl33 es300 : OUTPUTS=8|4 SQUARED? NORMALISED?
// @dialects gl33 es300 : OUTPUTS=1 SCALAR? SQUARED? NORMALISED
#include "pairs/panel_lookup.glsl"
#include "pairs/sums_before.glsl"
uniform float firstTexel;  // of the block
uniform int texels;

#ifdef SCALAR
#define LANES float
#define LANES_OF(texel) (texel).x
#define SUM_ABSOLUTE(d) abs(d)
#define SUM_SQUARES(d) ((d) * (d))
#else
#define LANES vec4
#define LANES_OF(texel) (texel)
#define SUM_ABSOLUTE(d) dot(abs(d), vec4(1.0))
#define SUM_SQUARES(d) dot(d, d)
#endif
#ifdef SQUARED
#define SUM_TERMS SUM_SQUARES
#else
#define SUM_TERMS SUM_ABSOLUTE
#endif

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
        sum[r] += vec4(SUM_TERMS(a - b0), SUM_TERMS(a - b1), SUM_TERMS(a - b2), SUM_TERMS(a - b3));
        FOR_ROWS(ADD_ROW)
        x += 1.0;
    }
#define STORE(r) fragmentOutput[r] = SUMS_BEFORE(r) + sum[r];
    FOR_ROWS(STORE)
}
