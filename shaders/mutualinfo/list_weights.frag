// The samples of genes with their weights, one below the other, ordered by first bin. Entry t of gene x is in texels (x, t
// · TEXELS) …. Its first number is the sample; the others are the weights, except the last one if there is no room, since
// all add up to 1. After the entries comes, for each bin, the number of entries whose first bin is not after it.
//
// @dialects gl33 es300 : SPLINE_ORDER=1|2|3|4 TEXELS=1
// @dialects gl33 es300 : SPLINE_ORDER=5|6|7|8 TEXELS=2
#include "mutualinfo/spline_weights.glsl"
uniform isampler2D places;  // entry along x, gene along y; negative: missing
uniform isampler2D order;   // sample of each entry
uniform isampler2D ends;    // bin along x, gene along y
uniform int entries;

void main() {
    int gene = int(gl_FragCoord.x);
    int t = int(gl_FragCoord.y) / TEXELS;
    if (t >= entries) {
        int bin = int(gl_FragCoord.y) - entries * TEXELS;
        fragmentOutput[0] = vec4(float(texelFetch(ends, ivec2(bin, gene), 0).x));
        return;
    }
    int code = texelFetch(places, ivec2(t, gene), 0).x;
    float weights[SPLINE_ORDER];
    findWeights(max(code, 0), weights);
    vec4 texel = vec4(float(texelFetch(order, ivec2(t, gene), 0).x), 0.0, 0.0, 0.0);
    if (int(gl_FragCoord.y) == t * TEXELS) {
        for (int i = 0; i < SPLINE_ORDER && i < 3; ++i) texel[i + 1] = weights[i];
    } else {
        for (int i = 3; i < SPLINE_ORDER && i < 7; ++i) texel[i - 3] = weights[i];
    }
    fragmentOutput[0] = texel;
}
