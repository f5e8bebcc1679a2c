// Rows of a symmetric matrix whose part right of the diagonal alone is up to date. Elements left of the diagonal
// come from their mirror images. With TRANSPOSE, rows of the transposed matrix.
//
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 FIXED_POINT
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 FIXED_POINT
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 TRANSPOSE
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 TRANSPOSE
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 FIXED_POINT TRANSPOSE
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 FIXED_POINT TRANSPOSE
#include "bounds/strip_rows.glsl"
uniform MATRIX_ARRAY_SAMPLER source;
uniform int firstStrip;  // strip of `source` that becomes strip 0 of the target

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int strip = firstStrip + (place.y >> 2);
    int group = 4 * place.x + (place.y & 3);
    int firstRow = strip * ROWS;
    ivec2 own = ivec2(place.x, 4 * strip + (place.y & 3));
#ifndef TRANSPOSE
    // The passes keep texel columns from the one that holds the diagonal onwards.
    int diagonal = firstRow / 16;
    if (place.x > diagonal) {
#define COPY(r) fragmentOutput[r] = texelFetch(source, ivec3(own, r), 0);
        FOR_ROWS(COPY)
        return;
    }
#define IS_KEPT(column, r) (place.x == diagonal && (column) >= firstRow + (r))
#else
#define IS_KEPT(column, r) false
#endif
    // Element (row, 4 group + c) is the mirror image of (4 group + c, row). On the diagonal both are there, perhaps
    // rounded differently: the one right of it stands for both.
    int column = 4 * group;
#define MIRROR(r) {                                                                        \
        VALUE4 m0 = texelFetch(source, stripTexel(column, (firstRow + r) / 4), 0);         \
        VALUE4 m1 = texelFetch(source, stripTexel(column + 1, (firstRow + r) / 4), 0);     \
        VALUE4 m2 = texelFetch(source, stripTexel(column + 2, (firstRow + r) / 4), 0);     \
        VALUE4 m3 = texelFetch(source, stripTexel(column + 3, (firstRow + r) / 4), 0);     \
        VALUE4 kept = texelFetch(source, ivec3(own, r), 0);                                \
        fragmentOutput[r] = VALUE4(IS_KEPT(column, r) ? kept.x : m0[r % 4],                \
                                   IS_KEPT(column + 1, r) ? kept.y : m1[r % 4],            \
                                   IS_KEPT(column + 2, r) ? kept.z : m2[r % 4],            \
                                   IS_KEPT(column + 3, r) ? kept.w : m3[r % 4]);           \
    }
    FOR_ROWS(MIRROR)
}
