// Upper bounds, one k, one bound a texel, with texture coordinates made in the shader: the naive form that
// GPU Gems 2, 43.3.2 improves on.
//
// @dialects gl33 es300 gl21
// @dialects gl33 es300 : FIXED_POINT
uniform MATRIX_SAMPLER upper;
uniform float k;  // centre of texel k

void main() {
    VALUE u = FETCH(upper, gl_FragCoord.xy).x;
    VALUE path = FETCH(upper, vec2(k, gl_FragCoord.y)).x + FETCH(upper, vec2(gl_FragCoord.x, k)).x;
    fragmentOutput[0] = VALUE4(min(u, path));
}
