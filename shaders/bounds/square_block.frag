// One squaring of a 64 x 64 block of upper bounds in layout `Strips`: D <- min(D, D + D) over all k of the block.
// Paths of twice as many edges become known; six squarings close the block (phase one of blocked Floyd-Warshall).
//
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 NORMALISED
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 FIXED_POINT
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 FIXED_POINT
#include "bounds/strip_rows.glsl"
#include "bounds/relax.glsl"
uniform MATRIX_ARRAY_SAMPLER source;
uniform int sourceX;  // texel column of `source` where the block begins
#ifdef NORMALISED
uniform vec2 sourceTexel;  // size of a texel of `source` in normalised coordinates
#define FETCH_SOURCE(x, y, layer) \
    textureLod(source, vec3(vec2(float(x) + 0.5, float(y) + 0.5) * sourceTexel, float(layer)), 0.0)
#else
#define FETCH_SOURCE(x, y, layer) texelFetch(source, ivec3(x, y, layer), 0)
#endif

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int x = place.x + sourceX;
    int lane = place.y & 3;
    int y = place.y - lane;
    ivec4 c[ROWS];
#define LOAD(r) c[r] = ORDER(FETCH_SOURCE(x, place.y, r));
    FOR_ROWS(LOAD)

    for (int group = 0; group < BLOCK / 4; ++group) {
        // Four k at a time: one texel of each row of the left factor, four of the right one.
        int k = 4 * group;
        int rightY = 4 * (k / ROWS) + lane;
        int layer = k % ROWS;
        VALUE4 b0 = FETCH_SOURCE(x, rightY, layer);
        VALUE4 b1 = FETCH_SOURCE(x, rightY, layer + 1);
        VALUE4 b2 = FETCH_SOURCE(x, rightY, layer + 2);
        VALUE4 b3 = FETCH_SOURCE(x, rightY, layer + 3);
        ivec2 left = ivec2(sourceX + (group >> 2), y + (group & 3));
        VALUE4 a;
#define RELAX(r)                                      \
    a = FETCH_SOURCE(left.x, left.y, r);              \
    c[r] = RELAXED(RELAXED(RELAXED(RELAXED(c[r], a.x, b0), a.y, b1), a.z, b2), a.w, b3);
        FOR_ROWS(RELAX)
    }

#define STORE(r) fragmentOutput[r] = FROM_ORDER(c[r]);
    FOR_ROWS(STORE)
}
