// The mutual information of column gene x and row gene y, from the sums of their joint table (sum_tables.frag).
//
// @dialects gl33 es300 gl21
#include "mutualinfo/entropy.glsl"
uniform MATRIX_SAMPLER rowSums;
uniform MATRIX_SAMPLER columnSums;
uniform int bins;

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    float terms = 0.0;
    float total = 0.0;
    for (int b = 0; b < bins; ++b) {
        vec4 row = TEXEL_AT(rowSums, place.x, place.y * bins + b);
        float inColumn = TEXEL_AT(columnSums, place.x * bins + b, place.y).x;
        terms += row.y - entropyTerm(row.x) - entropyTerm(inColumn);
        total += row.x;
    }
    fragmentOutput[0] = vec4(informationOf(terms, total));
}
