// Lower bounds, one k, one bound a texel, with texture coordinates made in the shader: the naive form that
// GPU Gems 2, 43.3.2 improves on.
//
// @dialects gl33 es300 gl21
// @dialects gl33 es300 : FIXED_POINT
uniform MATRIX_SAMPLER upper;
uniform MATRIX_SAMPLER lower;
uniform float k;  // centre of texel k

void main() {
    vec2 rowK = vec2(gl_FragCoord.x, k);     // (k, j)
    vec2 columnK = vec2(k, gl_FragCoord.y);  // (i, k)
    VALUE l = FETCH(lower, gl_FragCoord.xy).x;
    VALUE first = FETCH(lower, columnK).x - FETCH(upper, rowK).x;
    VALUE second = FETCH(lower, rowK).x - FETCH(upper, columnK).x;
    fragmentOutput[0] = VALUE4(max(l, max(first, second)));
}
