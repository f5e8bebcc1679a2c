// The values that precede the first tiles of all pairs of a batch. Row 0 holds the row of cells above the first tiles, row y the
// column left of tile row y - 1. Sequences are padded at their beginning, so that the last cell of a pair is the last one of a
// tile. The padding continues the border (engine/gl/pairwise/tile_wavefront.hpp).
//
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=16 COLUMNS=16 LINEAR
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4|8 ROWS=8 COLUMNS=8 LINEAR
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=4 COLUMNS=4 LINEAR WIDE
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=8 COLUMNS=8
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=8 ROWS=8 COLUMNS=7 LOCAL
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4|8 ROWS=4 COLUMNS=4 WIDE?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4|8 ROWS=4 COLUMNS=3 LOCAL WIDE?
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=2 COLUMNS=2 WIDE
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4 ROWS=2 COLUMNS=1 LOCAL WIDE
#include "align/tile.glsl"
uniform isampler2D pairs;  // second row: how many rows and columns are padding
uniform bool isFirstColumn;  // for row 0: above the first tiles of rows, not later ones
uniform int corner;  // numbers of cells: diagonally before the first cell, along the border, and of gaps that begin there
uniform int border;
uniform int noGap;
uniform int slope;  // how much lower the padding is with each cell further out

int numberOf(int slot, bool isTop, bool isFirst, ivec2 filled) {
#ifndef LINEAR
#ifdef LOCAL
    if (slot == HIGHEST) return 0;
#endif
    if ((slot >= ROW_GAPS && slot < LAST_COLUMN) || slot >= COLUMN_GAPS) return noGap;
#endif
    // How many cells before the sequences' first letters; the row above is one further out, and so is the column to the left.
    int row = isTop ? filled.x + 1 : isFirst ? filled.x - (slot - LAST_COLUMN) : 0;
    int column = !isTop ? filled.y + 1 : !isFirst ? 0 : slot < LAST_COLUMN ? filled.y + 1 - slot : filled.y + 1 - COLUMNS;
    int outside = max(max(row, column), 1) - 1;
    return (row > 0 && column > 0 ? corner : border) - slope * outside;
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    ivec2 filled = texelFetch(pairs, ivec2(place.x, 1), 0).xy;
    bool isTop = place.y == 0;
    bool isFirst = isTop ? isFirstColumn : place.y == 1;
#define NUMBER_AT(slot) numberOf(slot, isTop, isFirst, filled)
#ifdef WIDE
#define WRITE(l) fragmentOutput[l] = ivec4(NUMBER_AT(2 * l), 0, NUMBER_AT(2 * l + 1), 0);
#else
#define WRITE(l) \
    fragmentOutput[l] = ivec4(NUMBER_AT(4 * l), NUMBER_AT(4 * l + 1), NUMBER_AT(4 * l + 2), NUMBER_AT(4 * l + 3));
#endif
    FOR_LAYERS(WRITE)
}
