// The cells of one anti-diagonal of all pairs of a batch (W. Liu et al., GPU-ClustalW, 2006). Texel (x, y) is the cell of row y,
// from 0 (the border), and column diagonal - y, of pair x. Texels without a cell are not changed, so that the last cell of a pair
// stays until all pairs are done.
//
// One pair per fragment: a texel holds the cell's best score, the scores of alignments that end with a gap along the row and along
// the column, and the best of all cells so far. WIDE: the first target holds scores, the second one identities. PACKED: four pairs
// per fragment, one target for each of these numbers. A pair that ends before the other three passes its result on, to the right
// and downwards.
//
// @dialects gl33 es300 : FIXED_POINT LOCAL?
// @dialects gl21 : LOCAL?
// @dialects gl33 es300 : FIXED_POINT WIDE OUTPUTS=2 LOCAL?
// @dialects gl33 es300 : FIXED_POINT PACKED OUTPUTS=3
// @dialects gl33 es300 : FIXED_POINT PACKED OUTPUTS=4 LOCAL
#include "align/cell.glsl"
uniform MATRIX_SAMPLER pairs;    // first letters of rows and columns, and their numbers
uniform MATRIX_SAMPLER letters;  // codes of all sequences
uniform MATRIX_SAMPLER scores;   // of two codes
#ifdef LEGACY
#define STATE_SAMPLER MATRIX_SAMPLER
uniform float rowTexels;  // of the letters: a power of two
#else
#define STATE_SAMPLER MATRIX_ARRAY_SAMPLER
uniform int rowBits;  // of a letter's number: its position in a row of texels
#endif
uniform STATE_SAMPLER last;        // the previous diagonal
uniform STATE_SAMPLER beforeLast;  // the diagonal before that
uniform int diagonal;

VALUE4 scoresOf(ivec4 pair, int row, int column) {
    ivec2 numbers = pair.xy + ivec2(row, column) - 1;
#ifdef LEGACY
    vec2 y = floor(vec2(numbers) / rowTexels);
    vec2 x = vec2(numbers) - y * rowTexels;
#else
    ivec2 x = numbers & ((1 << rowBits) - 1);
    ivec2 y = numbers >> rowBits;
#endif
    return TEXEL_AT(scores, TEXEL_AT(letters, x.y, y.y).x, TEXEL_AT(letters, x.x, y.x).x);
}

#if defined(PACKED)
#define NUMBER_OF(state, y, which) texelFetch(state, ivec3(place.x, y, which), 0)
#elif defined(WIDE)
#define NUMBER_OF(state, y, which) \
    ivec2(texelFetch(state, ivec3(place.x, y, 0), 0)[which], texelFetch(state, ivec3(place.x, y, 1), 0)[which])
#elif defined(LEGACY)
#define NUMBER_OF(state, y, which) TEXEL_AT(state, place.x, y)[which]
#else
#define NUMBER_OF(state, y, which) texelFetch(state, ivec3(place.x, y, 0), 0)[which]
#endif

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int row = place.y;
    int column = diagonal - row;
#ifdef PACKED
    ivec4 pair[4];
    for (int k = 0; k < 4; ++k) pair[k] = texelFetch(pairs, ivec2(4 * place.x + k, 0), 0);
    ivec4 rows = ivec4(pair[0].z, pair[1].z, pair[2].z, pair[3].z);
    ivec4 columns = ivec4(pair[0].w, pair[1].w, pair[2].w, pair[3].w);
    if (row > max(max(rows.x, rows.y), max(rows.z, rows.w)) ||
        column > max(max(columns.x, columns.y), max(columns.z, columns.w)))
        discard;
#else
    ivec4 pair = ivec4(TEXEL_AT(pairs, place.x, 0));
    if (row > pair.z || column > pair.w) discard;
#endif
#ifdef LOCAL
    NUMBER best = ONLY_SCORE(-open);
#else
    NUMBER best = ONLY_SCORE(row + column == 0 ? -open : -open - open);
#endif
    NUMBER across = ONLY_SCORE(-open - open);
    NUMBER gap = across;
    NUMBER highest = ONLY_SCORE(0);
    if (row > 0 && column > 0) {
        NUMBER left = NUMBER_OF(last, row, 0);
        NUMBER above = NUMBER_OF(last, row - 1, 0);
        across = NUMBER_OF(last, row, 1);
        gap = NUMBER_OF(last, row - 1, 2);
#ifdef LOCAL
        highest = larger(NUMBER_OF(last, row, 3), NUMBER_OF(last, row - 1, 3));
#endif
        NUMBER before = NUMBER_OF(beforeLast, row - 1, 0);
#if defined(PACKED)
        ivec4 score = ivec4(scoresOf(pair[0], row, column).x, scoresOf(pair[1], row, column).x,
                            scoresOf(pair[2], row, column).x, scoresOf(pair[3], row, column).x);
        ivec4 earlier = highest;
        best = alignCell(before, score, left, above, across, gap, highest);
        for (int k = 0; k < 4; ++k)
            if (row > rows[k] || column > columns[k]) {
                best[k] = column > columns[k] ? left[k] : above[k];
                highest[k] = earlier[k];
            }
#elif defined(WIDE)
        best = alignCell(before, scoresOf(pair, row, column).xy, left, above, across, gap, highest);
#else
        best = alignCell(before, scoresOf(pair, row, column).x, left, above, across, gap, highest);
#endif
    }
#if defined(PACKED)
    fragmentOutput[0] = best;
    fragmentOutput[1] = across;
    fragmentOutput[2] = gap;
#ifdef LOCAL
    fragmentOutput[3] = highest;
#endif
#elif defined(WIDE)
    fragmentOutput[0] = ivec4(best.x, across.x, gap.x, highest.x);
    fragmentOutput[1] = ivec4(best.y, across.y, gap.y, highest.y);
#else
    fragmentOutput[0] = VALUE4(best, across, gap, highest);
#endif
}
