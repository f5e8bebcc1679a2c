// From layout `Row1x4` to layout `Strips`; what lies outside the source becomes `padding`, and -0 becomes 0: passes
// compare elements by their bits.
//
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 FIXED_POINT
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 FIXED_POINT
#include "bounds/strip_rows.glsl"
uniform MATRIX_SAMPLER source;
uniform ivec2 sourceSize;  // in texels
uniform ivec2 origin;      // the source's group of four columns, and row, in the matrix
uniform VALUE padding;

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int group = 4 * place.x + (place.y & 3) - origin.x;
    int firstRow = (place.y >> 2) * ROWS - origin.y;
#define MOVE(r)                                                                        \
    fragmentOutput[r] = group < sourceSize.x && firstRow + r < sourceSize.y            \
                            ? abs(texelFetch(source, ivec2(group, firstRow + r), 0))   \
                            : VALUE4(padding);
    FOR_ROWS(MOVE)
}
