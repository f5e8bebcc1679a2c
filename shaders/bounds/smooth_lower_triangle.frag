// Lower bounds, one k, both bounds in one texture (GPU Gems 2, 43.3.3): upper bounds above the diagonal, lower
// bounds below. Upper bound (i, k) and lower bound (i, k) are mirror images, so one coordinate serves both.
// With three primitives per pass, texCoord1 and texCoord2 always point above the diagonal.
//
// @dialects gl33 es300 gl21
// @dialects gl33 es300 : FIXED_POINT
uniform MATRIX_SAMPLER bounds;
VARYING vec2 texCoord0;  // of l_ij
VARYING vec2 texCoord1;  // of u_ik; its mirror image holds l_ik
VARYING vec2 texCoord2;  // of u_kj; its mirror image holds l_kj

void main() {
    VALUE l = FETCH(bounds, texCoord0).x;
    VALUE first = FETCH(bounds, texCoord1.yx).x - FETCH(bounds, texCoord2).x;
    VALUE second = FETCH(bounds, texCoord2.yx).x - FETCH(bounds, texCoord1).x;
    fragmentOutput[0] = VALUE4(max(l, max(first, second)));
}
