// Lays a block of 64 rows of a symmetric matrix out as the operand of relax_strips.frag: texel (t, strip) holds
// A(4 h … 4 h + 3 of the strip's rows, k) with k = t / (ROWS / 4), h = t % (ROWS / 4). By symmetry A(row, k) is
// A(k, row), so one fetch gives four of them.
//
// @dialects gl33 es300 : ROWS=8
// @dialects gl33 es300 : ROWS=4
// @dialects gl33 es300 : ROWS=8 FIXED_POINT
// @dialects gl33 es300 : ROWS=4 FIXED_POINT
#include "bounds/strip_rows.glsl"
uniform MATRIX_ARRAY_SAMPLER source;
uniform int firstRow;  // of the block in `source`

void main() {
    int t = int(gl_FragCoord.x);
    int strip = int(gl_FragCoord.y);
    int k = t / (ROWS / 4);
    int group = strip * (ROWS / 4) + t % (ROWS / 4);
    fragmentOutput[0] = texelFetch(source, stripTexel(firstRow + k, group), 0);
}
