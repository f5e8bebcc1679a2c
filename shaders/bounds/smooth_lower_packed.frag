// Lower bounds, one k, four bounds of a row a texel (GPU Gems 2, 43.3.4): five fetches.
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
uniform MATRIX_SAMPLER lower;
VARYING vec2 texCoord0;  // (i, j)
VARYING vec2 texCoord1;  // the texel that holds (i, k)
VARYING vec2 texCoord2;  // (k, j)

void main() {
    VALUE4 l = FETCH(lower, texCoord0);
    VALUE lik = SELECT(FETCH(lower, texCoord1));
    VALUE uik = SELECT(FETCH(upper, texCoord1));
    VALUE4 first = VALUE4(lik) - FETCH(upper, texCoord2);
    VALUE4 second = FETCH(lower, texCoord2) - VALUE4(uik);
    fragmentOutput[0] = max(l, max(first, second));
}
