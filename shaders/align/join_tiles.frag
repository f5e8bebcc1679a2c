// Alignments of groups by maximum expected accuracy: the heaviest chains of column pairs, in the tiles of 4 x 4 cells of one
// anti-diagonal of all joins of a batch. The best chain that ends at or before a cell is the best of three: that of the cell above,
// that of the cell to the left, and the one before both plus the gain of the cell's columns.
//
// Sums are integers in two components, the upper one first, with 30 bits in the lower one. They are exact, so all devices choose
// the same chain among equal ones. The first three targets and half of the fourth hold the sums of the tile's last row, then those
// of its last column except the corner. The third component of the fourth holds the step of each cell, two bits per cell, row by
// row (engine/alignment/posterior/group_joins.hpp).
//
// A lane is a row of tiles; each join has one more lane above its first. Four lanes are stacked vertically, because rasterizers
// shade blocks of texels: lane l of anti-diagonal d is texel (l / 4, 4 (d / 3) + l % 4) of texture d % 3. Texels without a tile are
// zero, which is the sum before the first row and column.
//
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4
uniform MATRIX_SAMPLER places;  // of each lane and anti-diagonal: position of the tile's gains, from 1; 0: no gains; -1: no tile
uniform MATRIX_SAMPLER gains;   // eight texels per tile, one number in each half
uniform MATRIX_ARRAY_SAMPLER last;        // the previous anti-diagonal
uniform MATRIX_ARRAY_SAMPLER beforeLast;  // the anti-diagonal before that
uniform int diagonal;
uniform int rowBits;  // of a gain's texel number: its position in a row of texels

#define LOWER_BITS 30
#define NUMBER ivec2

NUMBER sumOf(NUMBER a, NUMBER b) {
    int lower = a.y + b.y;
    return NUMBER(a.x + b.x + (lower >> LOWER_BITS), lower & ((1 << LOWER_BITS) - 1));
}
NUMBER larger(NUMBER a, NUMBER b) {
    return a.x > b.x || (a.x == b.x && a.y >= b.y) ? a : b;
}

ivec2 texelOf(int lane, int ofDiagonal) {
    return ivec2(lane >> 2, 4 * (ofDiagonal / 3) + (lane & 3));
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int lane = 4 * place.x + (place.y & 3);
    int number = texelFetch(places, ivec2(lane, diagonal), 0).x;
    if (number < 0) {
        fragmentOutput[0] = ivec4(0);
        fragmentOutput[1] = ivec4(0);
        fragmentOutput[2] = ivec4(0);
        fragmentOutput[3] = ivec4(0);
        return;
    }
    // Two anti-diagonals without tiles precede the first one.
    ivec2 left = texelOf(lane, diagonal - 1);
    ivec2 above = texelOf(lane - 1, diagonal - 1);
    ivec4 row01 = texelFetch(last, ivec3(above, 0), 0);
    ivec4 row23 = texelFetch(last, ivec3(above, 1), 0);
    ivec4 column01 = texelFetch(last, ivec3(left, 2), 0);
    ivec2 column2 = texelFetch(last, ivec3(left, 3), 0).xy;
    ivec2 column3 = texelFetch(last, ivec3(left, 1), 0).zw;
    NUMBER corner = texelFetch(beforeLast, ivec3(texelOf(lane - 1, diagonal - 2), 1), 0).zw;
    NUMBER best0 = row01.xy;
    NUMBER best1 = row01.zw;
    NUMBER best2 = row23.xy;
    NUMBER best3 = row23.zw;
    int first = 8 * max(number - 1, 0);
    ivec2 texel = ivec2(first & ((1 << rowBits) - 1), first >> rowBits);
    int steps = 0;
    ivec4 some = ivec4(0);
    ivec4 others = ivec4(0);

// `before`: the sum above and to the left; `beside`: the sum to the left.
#define CELL(best, gain, bit)                                                       \
    {                                                                               \
        NUMBER pair = sumOf(before, gain);                                          \
        NUMBER most = larger(larger(best, beside), pair);                           \
        steps |= (most == best ? 0 : most == beside ? 1 : 2) << (bit);              \
        before = best;                                                              \
        best = most;                                                                \
        beside = most;                                                              \
    }
// Stores the sum of the row's last column in `column`.
#define ROW(r, column)                                                              \
    {                                                                               \
        if (number > 0) {                                                           \
            some = texelFetch(gains, texel + ivec2(2 * r, 0), 0);                   \
            others = texelFetch(gains, texel + ivec2(2 * r + 1, 0), 0);             \
        }                                                                           \
        NUMBER before = corner;                                                     \
        NUMBER beside = column;                                                     \
        corner = beside;                                                            \
        CELL(best0, some.xy, 8 * r)                                                 \
        CELL(best1, some.zw, 8 * r + 2)                                             \
        CELL(best2, others.xy, 8 * r + 4)                                           \
        CELL(best3, others.zw, 8 * r + 6)                                           \
        column = beside;                                                            \
    }
    ROW(0, column01.xy)
    ROW(1, column01.zw)
    ROW(2, column2)
    ROW(3, column3)
    fragmentOutput[0] = ivec4(best0, best1);
    fragmentOutput[1] = ivec4(best2, best3);
    fragmentOutput[2] = column01;
    fragmentOutput[3] = ivec4(column2, steps, 0);
}
