// Copies all layers of a matrix in layout `Strips`.
//
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 FIXED_POINT
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 FIXED_POINT
#include "bounds/strip_rows.glsl"
uniform MATRIX_ARRAY_SAMPLER source;

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
#define COPY(r) fragmentOutput[r] = texelFetch(source, ivec3(place, r), 0);
    FOR_ROWS(COPY)
}
