// Compares instances in layout `Bits128` (engine/layout/bits128.hpp). For ROWS row instances by eight column instances,
// a fragment counts the attributes
//     in which both have a value and the symbols differ,
//     OPPOSITE: in which the two planes of a genotype both differ (opposite homozygotes),
//     VALID: in which both have a value.
// PLANES bit planes encode a symbol; with MISSING, a further plane marks known entries. Target r holds the counts of
// row r, with columns 0 and 1 in the two halves of the first component and so on, which in memory is a row of 16-bit
// numbers.
//
// @dialects gl33 es300 : UNSIGNED OUTPUTS=8|4 PLANES=1|2|3|4|5|6|7|8 MISSING?
// @dialects gl33 es300 : UNSIGNED OUTPUTS=8|4 PLANES=1|2|3|4|5|6|7|8 MISSING? CARRY_SAVE NORMALISED
// @dialects gl33 es300 : UNSIGNED OUTPUTS=8|4 PLANES=1|2|3|4|5|6|7|8 MISSING VALID
// @dialects gl33 es300 : UNSIGNED OUTPUTS=8|4 PLANES=1|2|3|4|5|6|7|8 MISSING VALID CARRY_SAVE NORMALISED
// @dialects gl33 es300 : UNSIGNED OUTPUTS=8|4 PLANES=2 MISSING? OPPOSITE
// @dialects gl33 es300 : UNSIGNED OUTPUTS=8|4 PLANES=2 MISSING? OPPOSITE CARRY_SAVE NORMALISED
// In gl33, each of these also exists with BIT_COUNT. That is not claimed, because Khronos' validator does not know this
// function of GL_ARB_gpu_shader5.
#define ROWS OUTPUTS
#include "distance/count_words.glsl"
uniform MATRIX_SAMPLER rowPanel;
uniform MATRIX_SAMPLER columnPanel;
uniform int groups;  // of 128 attributes
#ifdef NORMALISED
uniform vec2 rowTexel;  // sizes of texels in normalised coordinates
uniform vec2 columnTexel;
#endif

#ifdef MISSING
#define STORED (PLANES + 1)
#else
#define STORED PLANES
#endif
// The planes to read: FIRST … FIRST + READ - 1.
#ifdef VALID
#define FIRST PLANES
#define READ 1
#else
#define FIRST 0
#define READ STORED
#endif

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int firstRow = place.y * ROWS;
    ivec2 rowTexels = ivec2(firstRow % 8, firstRow / 8);
#ifdef NORMALISED
    // Looks up the texel's centre: cheaper in software than texelFetch, which checks every coordinate.
    vec2 rowCentre = (vec2(rowTexels) + 0.5) * rowTexel;
    vec2 columnCentre = vec2(0.5, float(place.x) + 0.5) * columnTexel;
#define FETCH_ROW(t) textureLod(rowPanel, vec2(rowCentre.x + float(t) * rowTexel.x, rowCentre.y), 0.0)
#define FETCH_COLUMN(t) textureLod(columnPanel, vec2(columnCentre.x + float(t) * columnTexel.x, columnCentre.y), 0.0)
#else
#define FETCH_ROW(t) texelFetch(rowPanel, ivec2(rowTexels.x + (t), rowTexels.y), 0)
#define FETCH_COLUMN(t) texelFetch(columnPanel, ivec2(t, place.x), 0)
#endif

    START_COUNTERS
    uvec4 a[READ];      // planes of a row
    uvec4 b[8 * READ];  // planes of the columns
    int x = FIRST * 8;
    for (int group = 0; group < groups; ++group, x += STORED * 8) {
#define LOAD_COLUMN(r, c) \
        for (int p = 0; p < READ; ++p) b[(c) * READ + p] = FETCH_COLUMN(x + p * 8 + (c));
        FOR_COLUMNS(LOAD_COLUMN, 0)
#if defined(VALID)
#define COMPARE(c) words = a[0] & b[c];
#elif defined(OPPOSITE)
#define COMPARE(c) words = (a[0] ^ b[(c) * READ]) & (a[1] ^ b[(c) * READ + 1]);
#else
#define COMPARE(c)                  \
        words = a[0] ^ b[(c) * READ];   \
        for (int p = 1; p < PLANES; ++p) words |= a[p] ^ b[(c) * READ + p];
#endif
#if defined(MISSING) && !defined(VALID)
#define MASK(c) words &= a[PLANES] & b[(c) * READ + PLANES];
#else
#define MASK(c)
#endif
#define COUNT_PAIR(r, c) \
        {                    \
            uvec4 words;     \
            COMPARE(c)       \
            MASK(c)          \
            COUNT(r, c, words) \
        }
#define COUNT_ROW(r) \
        for (int p = 0; p < READ; ++p) a[p] = FETCH_ROW(x + p * 8 + (r)); \
        FOR_COLUMNS(COUNT_PAIR, r)
        FOR_ROWS(COUNT_ROW)
    }

    FOR_ROWS(FINISH_COUNTERS)
#define STORE(r) fragmentOutput[r] = counters[r];
    FOR_ROWS(STORE)
}
