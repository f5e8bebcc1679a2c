// The weighting matrices of genes, stacked: texel row g · bins + b holds the weights of gene g in bin b, four samples per
// texel; with SCALAR, one. Missing samples, and samples after the last one, have weight 0.
//
// @dialects gl33 es300 gl21 : SPLINE_ORDER=1|2|3|4|7|255 SCALAR?
#include "mutualinfo/spline_weights.glsl"
#ifdef LEGACY
uniform TABLE_SAMPLER places;  // sample along x; two rows per gene: intervals (negative: missing), places within them
#define CODE_OF(s, gene) vec2(TEXEL_AT(places, s, 2 * gene).x, TEXEL_AT(places, s, 2 * gene + 1).x)
#else
uniform isampler2D places;  // sample along x, gene along y; negative: missing
#define CODE_OF(s, gene) TEXEL_AT(places, s, gene).x
#endif
uniform int bins;
uniform int samples;

float weightOf(int gene, int bin, int s) {
    if (s >= samples) return 0.0;
    CODE code = CODE_OF(s, gene);
    if (IS_MISSING(code)) return 0.0;
    float weights[SPLINE_ORDER];
    int number = bin - int(findWeights(code, weights));
    float found = 0.0;
    for (int i = 0; i < SPLINE_ORDER; ++i)
        if (i == number) found = weights[i];
    return found;
}

void main() {
    int x = int(gl_FragCoord.x);
    int line = int(gl_FragCoord.y);
    int gene = line / bins;
    int bin = line - gene * bins;
#ifdef SCALAR
    fragmentOutput[0] = vec4(weightOf(gene, bin, x));
#else
    fragmentOutput[0] = vec4(weightOf(gene, bin, 4 * x), weightOf(gene, bin, 4 * x + 1), weightOf(gene, bin, 4 * x + 2),
                             weightOf(gene, bin, 4 * x + 3));
#endif
}
