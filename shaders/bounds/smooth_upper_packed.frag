// Upper bounds, one k, four bounds of a row a texel (GPU Gems 2, 43.3.4):
//     T_ij <- min(T_ij, u_ik + T_kj)
//
// @dialects gl33 es300 gl21
// @dialects gl33 es300 : FIXED_POINT
// @dialects gl33 es300 gl21 : COMPONENT=x
// @dialects gl33 es300 gl21 : COMPONENT=y
// @dialects gl33 es300 gl21 : COMPONENT=z
// @dialects gl33 es300 gl21 : COMPONENT=w
// @dialects gl33 es300 : COMPONENT=w FIXED_POINT
#include "bounds/select_component.glsl"
uniform MATRIX_SAMPLER upper;
VARYING vec2 texCoord0;  // of T_ij
VARYING vec2 texCoord1;  // of the texel that holds u_ik
VARYING vec2 texCoord2;  // of T_kj

void main() {
    VALUE4 u = FETCH(upper, texCoord0);
    VALUE uik = SELECT(FETCH(upper, texCoord1));
    fragmentOutput[0] = min(u, VALUE4(uik) + FETCH(upper, texCoord2));
}
