// Finds the strongest path from each of OUTPUTS row genes to each of four column genes through a block of mediators. Keeps
// the strongest path of previous blocks if that is stronger. A path is as strong as the weaker of its two steps. Target r
// holds row r, a component per column. Values are not negative, so they are ordered like the integers of
// common/values.glsl.
//
// @dialects gl33 es300 : OUTPUTS=8|4|1 NORMALISED?
#include "pairs/panel_lookup.glsl"
#include "pairs/sums_before.glsl"
uniform float firstTexel;  // of the block
uniform int texels;

void main() {
    float firstRow = (gl_FragCoord.y - 0.5) * float(OUTPUTS) + 0.5;
    float firstColumn = (gl_FragCoord.x - 0.5) * 4.0 + 0.5;
    ivec4 strongest[OUTPUTS];
#define TAKE(r) strongest[r] = ORDER(SUMS_BEFORE(r));
    FOR_ROWS(TAKE)
    float x = firstTexel + 0.5;
    for (int t = 0; t < texels; ++t) {
        ivec4 b0 = ORDER(COLUMN_TEXEL(vec2(x, firstColumn)));
        ivec4 b1 = ORDER(COLUMN_TEXEL(vec2(x, firstColumn + 1.0)));
        ivec4 b2 = ORDER(COLUMN_TEXEL(vec2(x, firstColumn + 2.0)));
        ivec4 b3 = ORDER(COLUMN_TEXEL(vec2(x, firstColumn + 3.0)));
        ivec4 byX = ivec4(b0.x, b1.x, b2.x, b3.x);
        ivec4 byY = ivec4(b0.y, b1.y, b2.y, b3.y);
        ivec4 byZ = ivec4(b0.z, b1.z, b2.z, b3.z);
        ivec4 byW = ivec4(b0.w, b1.w, b2.w, b3.w);
        ivec4 a;
#define RAISE_ROW(r)                                                           \
        a = ORDER(ROW_TEXEL(vec2(x, firstRow + float(r))));                    \
        strongest[r] = max(max(strongest[r], min(ivec4(a.x), byX)), min(ivec4(a.y), byY)); \
        strongest[r] = max(max(strongest[r], min(ivec4(a.z), byZ)), min(ivec4(a.w), byW));
        FOR_ROWS(RAISE_ROW)
        x += 1.0;
    }
#define STORE(r) fragmentOutput[r] = FROM_ORDER(strongest[r]);
    FOR_ROWS(STORE)
}
