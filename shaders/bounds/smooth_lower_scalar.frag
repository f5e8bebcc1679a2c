// Lower bounds, one k, one bound a texel (GPU Gems 2, 43.2 and 43.3.2):
//     l_ij <- max(l_ij, l_ik - u_kj, l_kj - u_ik)
// The rasterizer makes the three texture coordinates.
//
// @dialects gl33 es300 gl21
// @dialects gl33 es300 : FIXED_POINT
uniform MATRIX_SAMPLER upper;
uniform MATRIX_SAMPLER lower;
VARYING vec2 texCoord0;  // (i, j)
VARYING vec2 texCoord1;  // (i, k)
VARYING vec2 texCoord2;  // (k, j)

void main() {
    VALUE l = FETCH(lower, texCoord0).x;
    VALUE first = FETCH(lower, texCoord1).x - FETCH(upper, texCoord2).x;
    VALUE second = FETCH(lower, texCoord2).x - FETCH(upper, texCoord1).x;
    fragmentOutput[0] = VALUE4(max(l, max(first, second)));
}
