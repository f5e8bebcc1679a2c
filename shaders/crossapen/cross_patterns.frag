// Cross-PermEn (Shi, Shang and Lin 2015, section 2): the samples of v in the order of those of u are G. The pattern is the
// number of steps from G(j) to G(j + 1) that cross the level of an earlier G(k). A fragment takes four templates of a pair;
// −1 stands for templates after the last one.
//
// @dialects gl33 es300 : ROW_BITS=12 LENGTH=3|7|12 PER_NUMBER=6 NORMALISED?
// @dialects gl21 : ROW_TEXELS=4096.0 LENGTH=3|7|12 PER_NUMBER=6
#include "crossapen/tables.glsl"
uniform TABLE_SAMPLER orders;   // of channels u: fill_patterns.frag with ORDINAL and base 16
uniform vec2 ordersTexel;
uniform TABLE_SAMPLER samples;  // ranks of the samples of channels v
uniform vec2 samplesTexel;
uniform int sampleCount;
uniform int templates;
uniform int texels;     // per pair
uniform int partners;   // channels v
uniform int firstPair;  // pairs are u by u
uniform int delay;
uniform int lastTexel;  // of the table being filled

float crossingsOf(int order, int first) {
    vec4 numbers = TABLE(orders, ordersTexel, order);
    float g[LENGTH];
    for (int k = LENGTH - 1; k >= 0; --k) {
        float rest = floor(numbers[k / PER_NUMBER] * 0.0625);
        int index = int(numbers[k / PER_NUMBER] - 16.0 * rest);
        numbers[k / PER_NUMBER] = rest;
        g[k] = TABLE(samples, samplesTexel, first + index * delay).x;
    }
    float crossings = 0.0;
    for (int k = 0; k < LENGTH - 2; ++k)
        for (int j = 1; j < LENGTH - 1; ++j)
            if (j > k && (g[j + 1] - g[k]) * (g[k] - g[j]) > 0.0) crossings += 1.0;
    return crossings;
}

void main() {
    ivec2 place = divided(TEXEL_OF_FRAGMENT < lastTexel ? TEXEL_OF_FRAGMENT : lastTexel, texels);
    ivec2 channels = divided(firstPair + place.x, partners);
    vec4 found = vec4(-1.0);
    for (int t = 0; t < 4; ++t) {
        int number = 4 * place.y + t;
        if (number < templates)
            found[t] = crossingsOf(channels.x * templates + number, channels.y * sampleCount + number);
    }
    fragmentOutput[0] = found;
}
