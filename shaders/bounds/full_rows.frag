// Rows of a symmetric matrix of which only the part right of the diagonal is kept up to date: what lies left of it
// comes from its mirror image. With TRANSPOSE, rows of the transposed matrix.
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
#ifndef TRANSPOSE
    // The passes keep texel columns from the one that holds the strip's first row onwards.
    if (place.x >= strip * ROWS / 16) {
        ivec2 own = ivec2(place.x, 4 * strip + (place.y & 3));
#define COPY(r) fragmentOutput[r] = texelFetch(source, ivec3(own, r), 0);
        FOR_ROWS(COPY)
        return;
    }
#endif
    // Element (row, 4 group + c) is the mirror image of (4 group + c, row).
    int column = strip * ROWS;
#define MIRROR(r) {                                                                        \
        VALUE4 m0 = texelFetch(source, stripTexel(4 * group, (column + r) / 4), 0);        \
        VALUE4 m1 = texelFetch(source, stripTexel(4 * group + 1, (column + r) / 4), 0);    \
        VALUE4 m2 = texelFetch(source, stripTexel(4 * group + 2, (column + r) / 4), 0);    \
        VALUE4 m3 = texelFetch(source, stripTexel(4 * group + 3, (column + r) / 4), 0);    \
        fragmentOutput[r] = VALUE4(m0[r % 4], m1[r % 4], m2[r % 4], m3[r % 4]);            \
    }
    FOR_ROWS(MIRROR)
}
