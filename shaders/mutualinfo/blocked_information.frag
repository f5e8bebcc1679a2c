// The mutual information of a row gene with four column genes, or the contribution of COLUMNS bins of the column genes.
//
// The samples of the row gene are ordered by their first bin (list_weights.frag). While the samples of a bin are processed,
// only SPLINE_ORDER rows of the joint table change. Then the first of these rows is complete: its entropy terms are added,
// and the other rows move up. The table is never stored. A sample's weights for the column genes are computed here, because
// that takes less time than reading them: the places of the four genes are one texel.
//
// The four column genes are processed GENES at a time. With two, a fragment needs half the registers, so more fragments can
// wait for lookups at a time, but it reads the row gene twice.
// Four rows of texels belong to one row gene, so fragments that run together read the same samples. Texel (x, y) has row
// gene y / 4 and column genes 4 (4 x + y % 4) ….
// WHOLE: COLUMNS are all bins. RUNS: at most kRun products are added before the sum continues in another variable.
// CEILING: measures the cost without lookups in the loop over samples. The weights of the row gene stay those of its first
// entry; the places of the column genes change from step to step by a multiplication (bench/gl_information_bench.cpp).
//
// @dialects gl33 es300 : SPLINE_ORDER=3 COLUMNS=10 TEXELS=1 GENES=2 WHOLE? NORMALISED?
// @dialects gl33 es300 : SPLINE_ORDER=3 COLUMNS=10 TEXELS=1 GENES=4 WHOLE? RUNS? NORMALISED?
// @dialects gl33 es300 : SPLINE_ORDER=3 COLUMNS=10 TEXELS=1 GENES=2|4 WHOLE CEILING
// @dialects gl33 es300 : SPLINE_ORDER=1|2|4 COLUMNS=5|8 TEXELS=1 GENES=2 WHOLE?
// @dialects gl33 es300 : SPLINE_ORDER=1|2|4 COLUMNS=5|8 TEXELS=1 GENES=4 WHOLE? RUNS?
// @dialects gl33 es300 : SPLINE_ORDER=5|8 COLUMNS=1|4 TEXELS=2 GENES=2
// @dialects gl33 es300 : SPLINE_ORDER=5|8 COLUMNS=1|4 TEXELS=2 GENES=4 RUNS?
#include "mutualinfo/entropy.glsl"
#include "mutualinfo/spline_weights.glsl"
#include "mutualinfo/unrolled.glsl"
uniform MATRIX_SAMPLER rowList;
uniform isampler2D columnPlaces;  // places of four genes; genes along x, samples along y
#ifdef NORMALISED
// In software, cheaper than texelFetch, which checks every coordinate.
uniform vec2 rowTexel;  // sizes of texels in normalised coordinates
uniform vec2 columnTexel;
#define ROW_LIST(entry) textureLod(rowList, vec2(rowPlace, (float(entry) + 0.5) * rowTexel.y), 0.0)
#define COLUMN_PLACES(entry) textureLod(columnPlaces, vec2(columnPlace, ((entry) + 0.5) * columnTexel.y), 0.0)
#else
#define ROW_LIST(entry) texelFetch(rowList, ivec2(rowGene, entry), 0)
#define COLUMN_PLACES(entry) texelFetch(columnPlaces, ivec2(columnGenes, int(entry)), 0)
#endif
uniform int entries;
uniform int bins;
uniform float scale;  // from a sum to a share of all samples
#ifndef WHOLE
uniform MATRIX_SAMPLER sums;  // from the columns before firstColumn
uniform float firstColumn;
uniform bool isLast;
#endif
#ifdef RUNS
const int kRun = 128;
#endif
#ifdef CEILING
uniform int factor;  // by which codes change
const int kCodes = 0x3ffffff;  // codes of eight intervals
#endif

// Arrays are indexed by constants only, so that they stay in registers; hence macros instead of loops.
#define AT(g, i, j) ((g) * SPLINE_ORDER * COLUMNS + (i) * COLUMNS + (j))
#if GENES == 2
#define PLACES ivec2
#define PLACES_OF(texel) (firstGene == 0 ? texel.xy : texel.zw)
#else
#define PLACES ivec4
#define PLACES_OF(texel) texel
#endif
#define LAST_ROW (SPLINE_ORDER - 1)

// A weight from one or two texels. The last weight may be the rest to 1.
#define READ_WEIGHT(g, i, j)                                                                 \
    a[i] = i == 0 ? texel.y : i == 1 ? texel.z : i == 2 ? texel.w :                          \
           i == 3 && SPLINE_ORDER == 4 ? max(0.0, 1.0 - texel.y - texel.z - texel.w) :       \
           i == 7 ? max(0.0, 1.0 - texel.y - texel.z - texel.w - dot(second, vec4(1.0))) :   \
           second[i < 3 || i > 6 ? 0 : i - 3];

// For GENES column genes from number `firstGene` of a texel on: H(X) + H(Y) - H(X,Y) of shares with the sum `total`, or the
// contribution of COLUMNS bins to it.
void addSamples(int firstGene, out vec4 terms, out vec4 total) {
    int rowGene = int(gl_FragCoord.y) / 4;
    int columnGenes = 4 * int(gl_FragCoord.x) + int(gl_FragCoord.y) % 4;
#ifdef NORMALISED
    float rowPlace = (float(rowGene) + 0.5) * rowTexel.x;
    float columnPlace = (float(columnGenes) + 0.5) * columnTexel.x;
#endif
    float table[GENES * SPLINE_ORDER * COLUMNS];
    float inColumns[GENES * COLUMNS];
    terms = vec4(0.0);
    total = vec4(0.0);
#ifdef RUNS
    float run[GENES * SPLINE_ORDER * COLUMNS];
#define ADDED run
#define CLEAR_RUN(g, i, j) run[AT(g, i, j)] = 0.0;
#define ADD_RUN(g, i, j) table[AT(g, i, j)] += run[AT(g, i, j)]; run[AT(g, i, j)] = 0.0;
#else
#define ADDED table
#define CLEAR_RUN(g, i, j)
#endif
#ifdef WHOLE
#define CLEAR_ROW(g, i, j)
#else
    float inRows[GENES * SPLINE_ORDER];  // over all bins of a column gene
#define CLEAR_ROW(g, i, j) inRows[g * SPLINE_ORDER + i] = 0.0;
#endif
#define CLEAR(g, i, j) table[AT(g, i, j)] = 0.0; CLEAR_RUN(g, i, j)
#define CLEAR_COLUMN(g, i, j) inColumns[g * COLUMNS + j] = 0.0; FOR_ROWS(CLEAR, g, j)
#define CLEAR_GENE(g) FOR_COLUMNS(CLEAR_COLUMN, g) FOR_ROWS(CLEAR_ROW, g, 0)
    FOR_GENES(CLEAR_GENE)

    float a[SPLINE_ORDER];
    float b[SPLINE_ORDER];
    vec4 texel;
    vec4 second = vec4(0.0);
    PLACES codes;
#ifdef CEILING
    texel = ROW_LIST(0);
    codes = PLACES_OF(COLUMN_PLACES(0.0));
#endif
    int t = 0;
    for (int bin = 0; bin < bins; ++bin) {
        int end = int(ROW_LIST(entries * TEXELS + bin).x);
#ifdef RUNS
        while (t < end) {
            int stop = min(end, t + kRun);
#else
            int stop = end;
#endif
            for (; t < stop; ++t) {
#ifdef CEILING
                codes = (codes * factor + 1) & kCodes;
#else
                texel = ROW_LIST(t * TEXELS);
                if (TEXELS > 1) second = ROW_LIST(t * TEXELS + 1);
                codes = PLACES_OF(COLUMN_PLACES(texel.x));
#endif
                FOR_ROWS(READ_WEIGHT, 0, 0)
                float first;
                float weight;
#ifdef WHOLE
#define FROM_FIRST
#define ADD_ROW_SUM(g, i, j)
#define MAY_BE(i, j) (j >= i && j - i <= COLUMNS - SPLINE_ORDER)
#else
#define FROM_FIRST - firstColumn
#define ADD_ROW_SUM(g, i, j) inRows[g * SPLINE_ORDER + i] += codes[g] < 0 ? 0.0 : a[i];
#define MAY_BE(i, j) true
#endif
#define SELECT(g, i, j) weight = MAY_BE(i, j) && first == float(j - i) ? b[i] : weight;
#define ADD(g, i, j) ADDED[AT(g, i, j)] += a[i] * weight;
#define ADD_COLUMN(g, i, j) weight = 0.0; FOR_ROWS(SELECT, g, j) FOR_ROWS(ADD, g, j)
// For a sample without a value, the first bin is set far away from all bins.
#define ADD_GENE(g)                                          \
                first = findWeights(codes[g], b) FROM_FIRST; \
                if (codes[g] < 0) first = -1000.0;           \
                FOR_ROWS(ADD_ROW_SUM, g, 0)                  \
                FOR_COLUMNS(ADD_COLUMN, g)
                FOR_GENES(ADD_GENE)
            }
#ifdef RUNS
#define ADD_RUNS_OF_COLUMN(g, i, j) FOR_ROWS(ADD_RUN, g, j)
#define ADD_RUNS(g) FOR_COLUMNS(ADD_RUNS_OF_COLUMN, g)
            FOR_GENES(ADD_RUNS)
        }
#endif
        float inRow;
        float perRow;
        float p;
#ifdef WHOLE
#define ADD_TO_ROW(g, i, j) inRow += table[AT(g, 0, j)];
#define TAKE_ROW(g) inRow = 0.0; FOR_COLUMNS(ADD_TO_ROW, g)
#else
#define MOVE_ROW_SUM(g, i, j) \
        inRows[g * SPLINE_ORDER + i] = i < LAST_ROW ? inRows[g * SPLINE_ORDER + min(i + 1, LAST_ROW)] : 0.0;
#define TAKE_ROW(g) inRow = inRows[g * SPLINE_ORDER]; FOR_ROWS(MOVE_ROW_SUM, g, 0)
#endif
#define MOVE_ROW(g, i, j) table[AT(g, i, j)] = i < LAST_ROW ? table[AT(g, min(i + 1, LAST_ROW), j)] : 0.0;
#define FINISH_ENTRY(g, i, j)                                 \
        p = table[AT(g, 0, j)] * scale;                       \
        terms[g] += p * logarithm(max(p * perRow, SMALLEST)); \
        inColumns[g * COLUMNS + j] += p;                      \
        FOR_ROWS(MOVE_ROW, g, j)
#define FINISH_ROW(g)                        \
        TAKE_ROW(g)                          \
        inRow *= scale;                      \
        total[g] += inRow;                   \
        perRow = 1.0 / max(inRow, SMALLEST); \
        FOR_COLUMNS(FINISH_ENTRY, g)
        FOR_GENES(FINISH_ROW)
    }

#define SUBTRACT_COLUMN(g, i, j) terms[g] -= entropyTerm(inColumns[g * COLUMNS + j]);
#define FINISH_COLUMNS(g) FOR_COLUMNS(SUBTRACT_COLUMN, g)
    FOR_GENES(FINISH_COLUMNS)
}

void main() {
    vec4 terms = vec4(0.0);
    vec4 total = vec4(0.0);
#if GENES == 2
    for (int firstGene = 0; firstGene < 4; firstGene += 2) {
        vec4 termsOfTwo;
        vec4 totalOfTwo;
        addSamples(firstGene, termsOfTwo, totalOfTwo);
        terms = firstGene == 0 ? termsOfTwo : vec4(terms.xy, termsOfTwo.xy);
        total = firstGene == 0 ? totalOfTwo : vec4(total.xy, totalOfTwo.xy);
    }
#else
    addSamples(0, terms, total);
#endif
#ifndef WHOLE
    terms += texelFetch(sums, ivec2(gl_FragCoord.xy), 0);
    if (!isLast) {
        fragmentOutput[0] = terms;
        return;
    }
#endif
    fragmentOutput[0] = vec4(informationOf(terms.x, total.x), informationOf(terms.y, total.y),
                             informationOf(terms.z, total.z), informationOf(terms.w, total.w));
}
