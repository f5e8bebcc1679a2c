// Both bounds in one texture, one k, one primitive a pass (GPU Gems 2, 43.3.3): upper bounds above the diagonal,
// lower bounds (LOWER) below. The shader finds on which side of k each end lies; three primitives would imply it.
//
// @dialects gl33 es300 gl21
// @dialects gl33 es300 gl21 : LOWER
// @dialects gl33 es300 : FIXED_POINT
// @dialects gl33 es300 : FIXED_POINT LOWER
uniform MATRIX_SAMPLER bounds;
uniform float k;         // centre of texel k
VARYING vec2 texCoord0;  // of the bound between the ends x and y

void main() {
    // Above the diagonal, columns are the larger numbers.
    vec2 first = vec2(max(texCoord0.y, k), min(texCoord0.y, k));
    vec2 second = vec2(max(texCoord0.x, k), min(texCoord0.x, k));
    VALUE own = FETCH(bounds, texCoord0).x;
    VALUE firstUpper = FETCH(bounds, first).x;
    VALUE secondUpper = FETCH(bounds, second).x;
#ifdef LOWER
    VALUE path = max(FETCH(bounds, first.yx).x - secondUpper, FETCH(bounds, second.yx).x - firstUpper);
    fragmentOutput[0] = VALUE4(max(own, path));
#else
    fragmentOutput[0] = VALUE4(min(own, firstUpper + secondUpper));
#endif
}
