// From layout `Row1x4` to layout `Strips`; what lies outside the source becomes `padding`.
//
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 FIXED_POINT
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 FIXED_POINT
#include "bounds/strip_rows.glsl"
uniform MATRIX_SAMPLER source;
uniform ivec2 sourceSize;  // in texels
uniform VALUE padding;

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int group = 4 * place.x + (place.y & 3);
    int firstRow = (place.y >> 2) * ROWS;
#define MOVE(r)                                                                        \
    fragmentOutput[r] = group < sourceSize.x && firstRow + r < sourceSize.y            \
                            ? texelFetch(source, ivec2(group, firstRow + r), 0)        \
                            : VALUE4(padding);
    FOR_ROWS(MOVE)
}
