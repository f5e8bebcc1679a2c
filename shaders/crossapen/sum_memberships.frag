// Sums of fuzzy memberships of four templates of one channel with a block of templates of a partner, for both lengths in
// one sweep: (short, short, long, long). The first two must be added, and so must the last two.
//
// LENGTH: m, if it is 1 to 4. SQUARE: n is 2. SELF: the partner is the channel itself, and no template is compared with
// itself.
//
// Templates have m + 1 samples and their mean subtracted, so their differences f have mean 0. The differences of length m
// follow from f: see prepared_signals.hpp.
//
// @dialects gl33 es300 gl21 : LENGTH=1|2|3|4 SQUARE? SELF?
// @dialects gl33 es300 gl21 : SQUARE? SELF?
//
// Texel (x, c (m + 1) + k): sample k of templates 4x … 4x + 3 of channel c.
uniform MATRIX_SAMPLER rowTemplates;
uniform MATRIX_SAMPLER columnTemplates;
uniform int row;             // channel in rowTemplates
uniform int templates;       // per channel; the last texel may have room for more
uniform int firstLine;       // first line of the target for the channel's partners; each takes `blocks` lines
uniform int blocks;          // of columns
uniform int texels;          // of columns
uniform int texelsPerBlock;
uniform float scale;         // -log2(e) / r
#ifndef SQUARE
uniform float power;
#endif
#ifdef LENGTH
#define SAMPLES (LENGTH + 1)
#else
uniform int m;
#define SAMPLES (m + 1)
#endif

// Texels per partial sum: a float sum of thousands of numbers would lose their last bits.
const int kGroup = 16;

vec4 membership(vec4 d) {
#ifdef SQUARE
    vec4 y = scale * (d * d);
#else
    vec4 y = scale * pow(d, vec4(power));
#endif
    // Some drivers do not let exp2 underflow to zero.
    return exp2(y) * vec4(greaterThan(y, vec4(-125.0)));
}

// Weights of four templates with one of the partner.
#ifdef SELF
#define WEIGHTS(column) vec4(notEqual(rowIndices, ivec4(column)))
#else
#define WEIGHTS(column) 1.0
#endif

void main() {
    int x = int(gl_FragCoord.x);
    int line = int(gl_FragCoord.y) - firstLine;
    int partner = line / blocks;
    int begin = (line - partner * blocks) * texelsPerBlock;
    // OpenGL 2.1 has no minimum of integers.
    int end = begin + texelsPerBlock < texels ? begin + texelsPerBlock : texels;
    int rowLine = row * SAMPLES;
    int columnLine = partner * SAMPLES;
    ivec4 rowIndices = ivec4(4 * x) + ivec4(0, 1, 2, 3);
#define FOR_LANES(F) F(0, x) F(1, y) F(2, z) F(3, w)
#define ROW(k) TEXEL_AT(rowTemplates, x, rowLine + (k))
#define COLUMN(k) TEXEL_AT(columnTemplates, t, columnLine + (k))

#ifdef LENGTH
    vec4 rows[SAMPLES];
    for (int k = 0; k < SAMPLES; ++k) rows[k] = ROW(k);
#define ROW_SAMPLE(k) rows[k]
#else
#define ROW_SAMPLE(k) ROW(k)
#endif

    vec4 shortSum = vec4(0.0);
    vec4 longSum = vec4(0.0);
    for (int group = begin; group < end; group += kGroup) {
        vec4 shortPart = vec4(0.0);
        vec4 longPart = vec4(0.0);
        int groupEnd = group + kGroup < end ? group + kGroup : end;
        for (int t = group; t < groupEnd; ++t) {
#if defined(LENGTH) && LENGTH == 1
            vec4 b1 = COLUMN(1);
#define ADD(c, lane) longPart += WEIGHTS(4 * t + c) * membership(abs(rows[1] - b1.lane));
#elif defined(LENGTH) && LENGTH == 2
            vec4 b0 = COLUMN(0);
            vec4 b1 = COLUMN(1);
            vec4 b2 = COLUMN(2);
            // As f2 = -(f0 + f1), f0 + f2 / 2 = (f0 - f1) / 2, and f1 + f2 / 2 is its negative.
#define ADD(c, lane)                                                                              \
            {                                                                                     \
                vec4 f0 = rows[0] - b0.lane;                                                      \
                vec4 f1 = rows[1] - b1.lane;                                                      \
                vec4 f2 = rows[2] - b2.lane;                                                      \
                shortPart += WEIGHTS(4 * t + c) * membership(0.5 * abs(f0 - f1));                 \
                longPart += WEIGHTS(4 * t + c) * membership(max(max(abs(f0), abs(f1)), abs(f2))); \
            }
#else
            vec4 highest[4];
            vec4 lowest[4];
            vec4 a = ROW_SAMPLE(0);
            vec4 b = COLUMN(0);
#define BEGIN(c, lane)               \
            highest[c] = a - b.lane; \
            lowest[c] = highest[c];
            FOR_LANES(BEGIN)
            for (int k = 1; k < SAMPLES - 1; ++k) {
                a = ROW_SAMPLE(k);
                b = COLUMN(k);
#define WIDEN(c, lane)                                    \
                highest[c] = max(highest[c], a - b.lane); \
                lowest[c] = min(lowest[c], a - b.lane);
                FOR_LANES(WIDEN)
            }
            a = ROW_SAMPLE(SAMPLES - 1);
            b = COLUMN(SAMPLES - 1);
            float share = 1.0 / float(SAMPLES - 1);
#define ADD(c, lane)                                                                                              \
            {                                                                                                     \
                vec4 last = a - b.lane;                                                                           \
                vec4 shift = last * share;                                                                        \
                shortPart += WEIGHTS(4 * t + c) * membership(abs(max(highest[c] + shift, -(lowest[c] + shift)))); \
                longPart += WEIGHTS(4 * t + c) * membership(max(max(highest[c], -lowest[c]), abs(last)));         \
            }
#endif
            FOR_LANES(ADD)
        }
        shortSum += shortPart;
        longSum += longPart;
    }
    vec4 isTemplate = vec4(lessThan(rowIndices, ivec4(templates)));
    shortSum *= isTemplate;
    longSum *= isTemplate;
    fragmentOutput[0] = vec4(shortSum.xy + shortSum.zw, longSum.xy + longSum.zw);
}
