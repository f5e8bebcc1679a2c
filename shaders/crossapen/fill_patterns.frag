// The pattern of each template of some channels, as four whole numbers below 2^24, which floats hold exactly. A pattern has a
// digit for each of the LENGTH samples; a number holds PER_NUMBER digits. Patterns have the order of their digits.
//
// ORDINAL: the indices of the samples in ascending order, equal samples in order of time (Bandt and Pompe 2002). Otherwise the
// digits are the samples' classes (Rostaghi and Azami 2016). SPLIT: five classes for which four numbers have no room; the last
// one is divided between the first two.
//
// @dialects gl33 es300 : ROW_BITS=12 LENGTH=2|12 PER_NUMBER=6 ORDINAL NORMALISED?
// @dialects gl33 es300 : ROW_BITS=12 LENGTH=2|12 PER_NUMBER=4 NORMALISED?
// @dialects gl33 es300 : ROW_BITS=12 LENGTH=1|4 PER_NUMBER=1 NORMALISED?
// @dialects gl33 es300 : ROW_BITS=12 LENGTH=5 PER_NUMBER=1 SPLIT NORMALISED?
// @dialects gl21 : ROW_TEXELS=4096.0 LENGTH=2|12 PER_NUMBER=6 ORDINAL
// @dialects gl21 : ROW_TEXELS=4096.0 LENGTH=2|12 PER_NUMBER=4
// @dialects gl21 : ROW_TEXELS=4096.0 LENGTH=1|4 PER_NUMBER=1
// @dialects gl21 : ROW_TEXELS=4096.0 LENGTH=5 PER_NUMBER=1 SPLIT
#include "crossapen/tables.glsl"
uniform TABLE_SAMPLER samples;  // per channel: ranks of its samples (ORDINAL) or their classes
uniform vec2 samplesTexel;
uniform int sampleCount;  // N
uniform int templates;
uniform int stride;       // texels per channel; the last ones sort after all patterns
uniform int delay;
uniform float base;       // digits are below
uniform int lastTexel;    // of the table being filled

void main() {
    ivec2 place = divided(TEXEL_OF_FRAGMENT < lastTexel ? TEXEL_OF_FRAGMENT : lastTexel, stride);
    if (place.y >= templates) {
        fragmentOutput[0] = vec4(16777216.0);
        return;
    }
    int first = place.x * sampleCount + place.y;
    float digits[LENGTH];
    for (int k = 0; k < LENGTH; ++k) digits[k] = TABLE(samples, samplesTexel, first + k * delay).x;
#ifdef ORDINAL
    float places[LENGTH];
    for (int k = 0; k < LENGTH; ++k) {
        places[k] = 0.0;
        for (int j = 0; j < LENGTH; ++j) {
            if (j < k) places[k] += step(digits[j], digits[k]);
            if (j > k) places[k] += 1.0 - step(digits[k], digits[j]);
        }
    }
    for (int q = 0; q < LENGTH; ++q) {
        digits[q] = 0.0;
        for (int k = 0; k < LENGTH; ++k) digits[q] += places[k] == float(q) ? float(k) : 0.0;
    }
#endif
    vec4 pattern = vec4(0.0);
#ifdef SPLIT
    float high = floor(digits[4] * 0.0078125);
    pattern = vec4(digits[0] * 128.0 + high, digits[1] * 128.0 + digits[4] - high * 128.0, digits[2], digits[3]);
#elif PER_NUMBER == 1
    for (int k = 0; k < LENGTH; ++k) pattern[k] = digits[k];
#else
    for (int k = 0; k < LENGTH; ++k) pattern[k / PER_NUMBER] = pattern[k / PER_NUMBER] * base + digits[k];
#endif
    fragmentOutput[0] = pattern;
}
