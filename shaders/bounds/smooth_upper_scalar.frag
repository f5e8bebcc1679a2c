// Upper bounds, one k, one bound a texel (GPU Gems 2, 43.2 and 43.3.2):
//     u_ij <- min(u_ij, u_ik + u_kj)
// The rasterizer makes the three texture coordinates.
//
// @dialects gl33 es300 gl21
// @dialects gl33 es300 : FIXED_POINT
uniform MATRIX_SAMPLER upper;
VARYING vec2 texCoord0;  // of u_ij
VARYING vec2 texCoord1;  // of u_ik
VARYING vec2 texCoord2;  // of u_kj

void main() {
    VALUE u = FETCH(upper, texCoord0).x;
    VALUE path = FETCH(upper, texCoord1).x + FETCH(upper, texCoord2).x;
    fragmentOutput[0] = VALUE4(min(u, path));
}
