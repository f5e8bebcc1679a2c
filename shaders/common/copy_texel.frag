// Copies every texel unchanged.
//
// @dialects gl33 es300 gl21
// @dialects gl33 es300 : FIXED_POINT
// @dialects gl33 es300 : UNSIGNED
uniform MATRIX_SAMPLER source;

void main() {
    fragmentOutput[0] = FETCH(source, gl_FragCoord.xy);
}
