// From layout `Strips` to layout `Row1x4`.
//
// @dialects gl33 es300 : ROWS=8
// @dialects gl33 es300 : ROWS=4
// @dialects gl33 es300 : ROWS=8 FIXED_POINT
// @dialects gl33 es300 : ROWS=4 FIXED_POINT
#include "bounds/strip_rows.glsl"
uniform MATRIX_ARRAY_SAMPLER source;

void main() {
    fragmentOutput[0] = texelFetch(source, stripTexel(int(gl_FragCoord.y), int(gl_FragCoord.x)), 0);
}
