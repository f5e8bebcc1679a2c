// From layout `Strips` to layout `Row1x4`. The diagonal becomes zero, as it is in every matrix of bounds: products of
// contradictory bounds leave other values there, which mean nothing.
//
// @dialects gl33 es300 : ROWS=8
// @dialects gl33 es300 : ROWS=4
// @dialects gl33 es300 : ROWS=8 FIXED_POINT
// @dialects gl33 es300 : ROWS=4 FIXED_POINT
#include "bounds/strip_rows.glsl"
uniform MATRIX_ARRAY_SAMPLER source;

void main() {
    int row = int(gl_FragCoord.y);
    int group = int(gl_FragCoord.x);
    VALUE4 bounds = texelFetch(source, stripTexel(row, group), 0);
    for (int c = 0; c < 4; ++c) {
        if (4 * group + c == row) bounds[c] = VALUE(0);
    }
    fragmentOutput[0] = bounds;
}
