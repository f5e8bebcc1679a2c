// Parts of pairs aligned as by ClustalW 2.1 (engine/pairwise/clustal_pair.hpp): the tiles of one anti-diagonal of tiles of all
// parts of a batch, ROWS x COLUMNS cells each. Texel (x, y) is tile column y of part x, at tile row diagonal - y. A tile reads the
// last row of the tile above it, which is in the same texel of the previous pass, and the last column of the tile to its left;
// cells stay in registers. Texels without a tile are not changed, so that at the end the last row of a part is as its last passes
// wrote it.
//
// LOCAL: finds the highest score and the first cell with it, row by row; otherwise parts are aligned from end to end.
//
// @dialects gl33 es300 : FIXED_POINT CLUSTAL OUTPUTS=8 ROWS=8 COLUMNS=7
// @dialects gl33 es300 : FIXED_POINT CLUSTAL OUTPUTS=8 ROWS=8 COLUMNS=6 LOCAL
// @dialects gl33 es300 : FIXED_POINT CLUSTAL OUTPUTS=4 ROWS=4 COLUMNS=3
// @dialects gl33 es300 : FIXED_POINT CLUSTAL OUTPUTS=4 ROWS=4 COLUMNS=2 LOCAL
#include "align/tile.glsl"
// First letters of rows and columns, and their numbers. Second row: the step from letter to letter, the opening penalty of a gap,
// and that of a gap at the first corner.
uniform isampler2D parts;
uniform isampler2D letters;  // codes of all sequences
uniform isampler2D scores;   // of two codes; the last code stands for positions past the end
uniform int rowBits;         // of a letter's number: its position in a row of texels
uniform MATRIX_ARRAY_SAMPLER last;  // the tiles of the previous diagonal
uniform int diagonal;
uniform int extend;
#ifdef LOCAL
uniform int outside;  // value before the first cells except the corner
uniform int least;    // the least value of a cell
#endif

// Arrays are indexed by constants only, so that they stay in registers: hence macros instead of loops.
#define NUMBER_IN(texels, slot) texels[(slot) / 4][(slot) % 4]

int letterAt(int number) {
    return texelFetch(letters, ivec2(number & ((1 << rowBits) - 1), number >> rowBits), 0).x;
}

#ifdef LOCAL
// The higher score; among equal scores, the one that comes first.
ivec3 better(ivec3 a, ivec3 b) {
    bool isFirst = a.x > b.x || (a.x == b.x && (a.y < b.y || (a.y == b.y && a.z <= b.z)));
    return isFirst ? a : b;
}
#endif

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    ivec4 part = texelFetch(parts, ivec2(place.x, 0), 0);
    ivec4 costs = texelFetch(parts, ivec2(place.x, 1), 0);
    int tileColumn = place.y;
    int tileRow = diagonal - tileColumn;
    int firstRow = tileRow * ROWS;
    int firstColumn = tileColumn * COLUMNS;
    if (firstRow >= part.z || firstColumn >= part.w) discard;
    bool isTop = tileRow == 0;
    bool isLeft = tileColumn == 0;
    int open = costs.y;
    int first = open + extend;
    ivec4 above[OUTPUTS];
    ivec4 beside[OUTPUTS];
#define READ(l)                                               \
    above[l] = texelFetch(last, ivec3(place, l), 0);          \
    beside[l] = texelFetch(last, ivec3(place.x, max(place.y - 1, 0), l), 0);
    FOR_LAYERS(READ)

    // The border, `count` letters from the corner.
#ifdef LOCAL
#define BORDER(count) outside
#else
#define BORDER(count) (-costs.z - (count) * extend)
#endif
    int best[COLUMNS];  // of the row above, then of this one
    int gap[COLUMNS];
    int codes[COLUMNS];
#define BEGIN_COLUMN(r, c)                                                                 \
    best[c] = isTop ? BORDER(firstColumn + c + 1) : NUMBER_IN(above, LAST_ROW + c + 1);    \
    gap[c] = isTop ? best[c] - open : NUMBER_IN(above, ROW_GAPS + c);                      \
    codes[c] = firstColumn + c < part.w ? letterAt(part.y + costs.x * (firstColumn + c)) : 31;
    FOR_COLUMNS(BEGIN_COLUMN, 0)
    int column[ROWS];
    int columnGap[ROWS];
#define BEGIN_BESIDE(r)                                                                    \
    column[r] = isLeft ? BORDER(firstRow + r + 1) : NUMBER_IN(beside, LAST_COLUMN + r);    \
    columnGap[r] = isLeft ? column[r] - open : NUMBER_IN(beside, COLUMN_GAPS + r);
    FOR_ROWS(BEGIN_BESIDE)
    int before = NUMBER_IN(above, LAST_ROW);  // diagonally before the tile's first cell
    if (isTop) before = isLeft ? 0 : BORDER(firstColumn);
    int slots[4 * OUTPUTS];
    slots[LAST_ROW] = column[ROWS - 1];

#ifdef LOCAL
    ivec3 highest = ivec3(0);
    int highestOfRow;
    int columnOfRow;
#define KEEP_LEAST cell = max(cell, least); highestOfRow = max(highestOfRow, cell);
#define BEGIN_HIGHEST highestOfRow = 0; columnOfRow = 0;
#define FIND_COLUMN(r, c) columnOfRow = best[COLUMNS - 1 - c] == highestOfRow ? COLUMNS - c : columnOfRow;
#define END_HIGHEST(r)                                                              \
    if (highestOfRow > highest.x) {                                                 \
        FOR_COLUMNS(FIND_COLUMN, 0)                                                 \
        highest = ivec3(highestOfRow, firstRow + r + 1, firstColumn + columnOfRow); \
    }
#else
#define KEEP_LEAST
#define BEGIN_HIGHEST
#define END_HIGHEST(r)
#endif
    int cell;
    int left;
    int across;
#define CELL(r, c)                                                                                   \
    across = max(across - extend, left - first);                                                     \
    gap[c] = max(gap[c] - extend, best[c] - first);                                                  \
    cell = max(max(before + texelFetch(scores, ivec2(codes[c], code), 0).x, gap[c]), across);        \
    KEEP_LEAST                                                                                       \
    before = best[c];                                                                                \
    best[c] = cell;                                                                                  \
    left = cell;
    // A last tile may have fewer rows: best and gap are then those of the last one.
#define ROW(r)                                                \
    if (firstRow + r < part.z) {                              \
        int code = letterAt(part.x + costs.x * (firstRow + r)); \
        left = column[r];                                     \
        int corner = left;                                    \
        across = columnGap[r];                                \
        BEGIN_HIGHEST                                         \
        FOR_COLUMNS(CELL, r)                                  \
        END_HIGHEST(r)                                        \
        before = corner;                                      \
        column[r] = left;                                     \
        columnGap[r] = across;                                \
    }
    FOR_ROWS(ROW)

#define WRITE_ROW(r, c)                  \
    slots[LAST_ROW + c + 1] = best[c];   \
    slots[ROW_GAPS + c] = gap[c];
    FOR_COLUMNS(WRITE_ROW, 0)
#define WRITE_COLUMN(r)                    \
    slots[LAST_COLUMN + r] = column[r];    \
    slots[COLUMN_GAPS + r] = columnGap[r];
    FOR_ROWS(WRITE_COLUMN)
#ifdef LOCAL
#define HIGHEST_IN(texels) ivec3(NUMBER_IN(texels, HIGHEST), NUMBER_IN(texels, HIGHEST + 1), NUMBER_IN(texels, HIGHEST + 2))
    if (!isTop) highest = better(highest, HIGHEST_IN(above));
    if (!isLeft) highest = better(highest, HIGHEST_IN(beside));
    slots[HIGHEST] = highest.x;
    slots[HIGHEST + 1] = highest.y;
    slots[HIGHEST + 2] = highest.z;
#else
    slots[4 * OUTPUTS - 1] = 0;
#endif
#define WRITE(l) fragmentOutput[l] = ivec4(slots[4 * l], slots[4 * l + 1], slots[4 * l + 2], slots[4 * l + 3]);
    FOR_LAYERS(WRITE)
}
