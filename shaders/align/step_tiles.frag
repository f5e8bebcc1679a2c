// The tiles of one anti-diagonal of tiles of all pairs of a batch, ROWS x COLUMNS cells each. Texel (x, y) is tile row y - 1 of
// pair x, at tile column diagonal - (y - 1). A tile reads the last column of the tile to its left, which is in the same texel of
// the previous pass, and the last row of the tile above it; cells stay in registers. Texels without a tile are not changed.
//
// Scores come from a profile of the columns: each texel holds the scores of a row's letter against four of them. MATCH: equal
// letters add one number, others another, and letters are compared.
//
// CEILING: the cost without lookups and textures. A fragment continues from its tile to further ones in a loop, with the same
// scores in all rows and its own last row as the row above (bench/gl_alignment_bench.cpp).
//
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=16 COLUMNS=16 LINEAR NORMALISED?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=16 COLUMNS=16 LINEAR MATCH
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=8 COLUMNS=8 LINEAR MATCH
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=8 COLUMNS=8 LINEAR NORMALISED?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=8 COLUMNS=8 LINEAR WIDE NORMALISED?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=4 COLUMNS=4 LINEAR WIDE NORMALISED?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=8 COLUMNS=8 NORMALISED?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=8 COLUMNS=7 LOCAL NORMALISED?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=4 COLUMNS=4 WIDE NORMALISED?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=4 COLUMNS=3 LOCAL WIDE NORMALISED?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=4 COLUMNS=4 NORMALISED?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=4 COLUMNS=3 LOCAL NORMALISED?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=2 COLUMNS=2 WIDE NORMALISED?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=2 COLUMNS=1 LOCAL WIDE NORMALISED?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=16 COLUMNS=16 LINEAR MATCH CEILING
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=8 COLUMNS=8 LINEAR MATCH CEILING
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=8 COLUMNS=8 CEILING
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=4 COLUMNS=4 CEILING
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=8 COLUMNS=7 LOCAL CEILING
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=4 COLUMNS=3 LOCAL CEILING
#include "align/cell.glsl"
#include "align/tile.glsl"
uniform isampler2D pairs;  // first tiles of rows and columns, and their numbers
uniform isampler2D rowLetters;  // of a tile's rows, four per component
uniform int rowBits;  // of a tile's number: its position in a row of texels
uniform MATRIX_ARRAY_SAMPLER last;  // the tiles of the previous diagonal
uniform int diagonal;
#ifdef CEILING
uniform int tiles;  // per fragment
#endif
#ifdef MATCH
uniform isampler2D columnLetters;
uniform int columnBits;
uniform int match;
uniform int mismatch;
#else
uniform isampler2D profile;
uniform int profileBits;  // of a part's number: its position in a row of parts, 32 texels each
#ifdef NORMALISED
// In software cheaper than texelFetch, which checks every coordinate.
uniform vec2 profileTexel;  // size of a texel in normalised coordinates
#endif
#endif

// Arrays are indexed by constants only, so that they stay in registers: hence macros instead of loops.
#ifdef WIDE
#define NUMBER_IN(texels, slot) ((slot) % 2 == 0 ? texels[(slot) / 2].xy : texels[(slot) / 2].zw)
#define PER_TEXEL 2
#else
#define NUMBER_IN(texels, slot) texels[(slot) / 4][(slot) % 4]
#define PER_TEXEL 4
#endif
#define PARTS ((COLUMNS + PER_TEXEL - 1) / PER_TEXEL)
#define LETTER_IN(texel, k) (texel[(k) / 4] >> ((k) % 4 * 8) & 31)

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    ivec4 pair = texelFetch(pairs, ivec2(place.x, 0), 0);
    int tileRow = place.y - 1;
    int tileColumn = diagonal - tileRow;
    if (tileRow >= pair.z || tileColumn >= pair.w) discard;
    ivec4 above[OUTPUTS];
    ivec4 beside[OUTPUTS];
#define READ(l)                                                      \
    above[l] = texelFetch(last, ivec3(place.x, place.y - 1, l), 0); \
    beside[l] = texelFetch(last, ivec3(place, l), 0);
    FOR_LAYERS(READ)
    int rowTile = pair.x + tileRow;
    int columnTile = pair.y + tileColumn;
    ivec4 rowCodes = texelFetch(rowLetters, ivec2(rowTile & ((1 << rowBits) - 1), rowTile >> rowBits), 0);

    NUMBER best[COLUMNS];  // of the row above, then of this one
    NUMBER column[ROWS];
#ifdef LOCAL
#define READ_BEST(r, c) best[c] = NUMBER_IN(above, LAST_ROW + c + 1);
#else
#define READ_BEST(r, c) \
    best[c] = c == COLUMNS - 1 ? NUMBER_IN(above, LAST_COLUMN + ROWS - 1) : NUMBER_IN(above, LAST_ROW + (c + 1) % COLUMNS);
#endif
    FOR_COLUMNS(READ_BEST, 0)
#define READ_COLUMN(r) column[r] = NUMBER_IN(beside, LAST_COLUMN + r);
    FOR_ROWS(READ_COLUMN)
    NUMBER outside = column[ROWS - 1];  // left of the last row
    NUMBER highest = ONLY_SCORE(0);
    NUMBER across = ONLY_SCORE(0);
#ifdef LINEAR
    NUMBER none = across;
#define GAP(c) none
#else
    NUMBER gap[COLUMNS];
    NUMBER columnGap[ROWS];
#define GAP(c) gap[c]
#define READ_GAP(r, c) gap[c] = NUMBER_IN(above, ROW_GAPS + c);
    FOR_COLUMNS(READ_GAP, 0)
#define READ_COLUMN_GAP(r) columnGap[r] = NUMBER_IN(beside, COLUMN_GAPS + r);
    FOR_ROWS(READ_COLUMN_GAP)
#endif
#ifdef LOCAL
    highest = larger(NUMBER_IN(above, HIGHEST), NUMBER_IN(beside, HIGHEST));
#endif

#ifdef MATCH
    ivec4 columnCodes =
        texelFetch(columnLetters, ivec2(columnTile & ((1 << columnBits) - 1), columnTile >> columnBits), 0);
    int codes[COLUMNS];
#define READ_CODE(r, c) codes[c] = LETTER_IN(columnCodes, c);
    FOR_COLUMNS(READ_CODE, 0)
#define FIND_SCORES(r) int code = LETTER_IN(rowCodes, r);
#define SCORE(c) (code == codes[c] ? match : mismatch)
#else
#define PART(t) (columnTile * PARTS + t)
#ifdef NORMALISED
#define PLACE vec2
#define PLACE_OF(t)                                                           \
    (vec2(float((PART(t) & ((1 << profileBits) - 1)) * 32), float(PART(t) >> profileBits)) + 0.5) * profileTexel
#define FETCH_PART(t) textureLod(profile, vec2(parts[t].x + letterPlace, parts[t].y), 0.0)
#define FIND_LETTER(r) float letterPlace = float(LETTER_IN(rowCodes, r)) * profileTexel.x;
#else
#define PLACE ivec2
#define PLACE_OF(t) ivec2((PART(t) & ((1 << profileBits) - 1)) * 32, PART(t) >> profileBits)
#define FETCH_PART(t) texelFetch(profile, ivec2(parts[t].x + letter, parts[t].y), 0)
#define FIND_LETTER(r) int letter = LETTER_IN(rowCodes, r);
#endif
    PLACE parts[PARTS];
    ivec4 added[PARTS];
    parts[0] = PLACE_OF(0);
#if PARTS > 1
    parts[1] = PLACE_OF(1);
#define FETCH_SECOND added[1] = FETCH_PART(1);
#else
#define FETCH_SECOND
#endif
#if PARTS > 2
    parts[2] = PLACE_OF(2);
    parts[3] = PLACE_OF(3);
#define FETCH_OTHERS added[2] = FETCH_PART(2); added[3] = FETCH_PART(3);
#else
#define FETCH_OTHERS
#endif
#define FIND_SCORES(r) FIND_LETTER(r) added[0] = FETCH_PART(0); FETCH_SECOND FETCH_OTHERS
#define SCORE(c) NUMBER_IN(added, c)
#endif

    NUMBER before = NUMBER_IN(above, LAST_ROW);  // diagonally before the tile's first cell
    NUMBER cell;
    NUMBER left;
#define CELL(r, c)                                                              \
    cell = alignCell(before, SCORE(c), left, best[c], across, GAP(c), highest); \
    before = best[c];                                                           \
    best[c] = cell;                                                             \
    left = cell;
#ifdef LINEAR
#define BEGIN_ROW(r)
#define END_ROW(r)
#else
#define BEGIN_ROW(r) across = columnGap[r];
#define END_ROW(r) columnGap[r] = across;
#endif
#if defined(CEILING) && !defined(MATCH)
    FIND_SCORES(0)
#define FIND_SCORES_OF_ROW(r)
#else
#define FIND_SCORES_OF_ROW FIND_SCORES
#endif
#define ROW(r)                  \
    {                           \
        FIND_SCORES_OF_ROW(r)   \
        left = column[r];       \
        NUMBER corner = left;   \
        BEGIN_ROW(r)            \
        FOR_COLUMNS(CELL, r)    \
        before = corner;        \
        column[r] = left;       \
        END_ROW(r)              \
    }
#ifdef CEILING
    for (int t = 0; t < tiles; ++t)
#endif
    {
        FOR_ROWS(ROW)
    }

    NUMBER slots[OUTPUTS * PER_TEXEL];
#ifdef LOCAL
#define WRITE_BEST(r, c) slots[LAST_ROW + c + 1] = best[c];
    slots[HIGHEST] = highest;
#else
#define WRITE_BEST(r, c) slots[LAST_ROW + (c + 1) % COLUMNS] = best[c];
#endif
    FOR_COLUMNS(WRITE_BEST, 0)
    slots[LAST_ROW] = outside;
#define WRITE_COLUMN(r) slots[LAST_COLUMN + r] = column[r];
    FOR_ROWS(WRITE_COLUMN)
#ifndef LINEAR
#define WRITE_GAP(r, c) slots[ROW_GAPS + c] = gap[c];
    FOR_COLUMNS(WRITE_GAP, 0)
#define WRITE_COLUMN_GAP(r) slots[COLUMN_GAPS + r] = columnGap[r];
    FOR_ROWS(WRITE_COLUMN_GAP)
#endif
#ifdef WIDE
#define WRITE(l) fragmentOutput[l] = ivec4(slots[2 * l], slots[2 * l + 1]);
#else
#define WRITE(l) fragmentOutput[l] = ivec4(slots[4 * l], slots[4 * l + 1], slots[4 * l + 2], slots[4 * l + 3]);
#endif
    FOR_LAYERS(WRITE)
}
