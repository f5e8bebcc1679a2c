// Addressing of the layout `Strips` (engine/layout/strips.hpp): ROWS rows a strip, one in each layer; four texel
// rows a strip; 16 columns a texel column. BLOCK rows are worked on at a time.
#define BLOCK 64

// Texel of matrix row `row` that holds columns 4*group … 4*group+3.
ivec3 stripTexel(int row, int group) {
    return ivec3(group >> 2, 4 * (row / ROWS) + (group & 3), row % ROWS);
}

// Runs F once for each row of a strip, with a constant argument.
#if ROWS == 8
#define FOR_ROWS(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#else
#define FOR_ROWS(F) F(0) F(1) F(2) F(3)
#endif
