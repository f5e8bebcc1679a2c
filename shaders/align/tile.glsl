// The positions of the numbers of a tile's last row and column in its OUTPUTS texels (layers). A tile has ROWS x COLUMNS cells.
//
// The last row begins with the cell left of the tile and ends one cell early, because that cell also ends the last column. So the
// tile below finds the cell diagonally before its corner. LOCAL: tiles have one column less than rows; the last row holds all of
// its cells, and the best of all cells so far. CLUSTAL: the last row holds all of its cells after the one left of the tile; with
// LOCAL also the best of all cells with its row and column.
#define LAST_ROW 0
#ifdef CLUSTAL
#define ROW_GAPS (COLUMNS + 1)
#define HIGHEST (2 * COLUMNS + 1)
#ifdef LOCAL
#define LAST_COLUMN (2 * COLUMNS + 4)
#else
#define LAST_COLUMN (2 * COLUMNS + 1)
#endif
#define COLUMN_GAPS (LAST_COLUMN + ROWS)
#elif defined(LINEAR)
#define LAST_COLUMN COLUMNS
#elif defined(LOCAL)
#define ROW_GAPS ROWS
#define HIGHEST (ROWS + COLUMNS)
#define LAST_COLUMN (2 * ROWS)
#define COLUMN_GAPS (3 * ROWS)
#else
#define ROW_GAPS COLUMNS
#define LAST_COLUMN (2 * COLUMNS)
#define COLUMN_GAPS (2 * COLUMNS + ROWS)
#endif
#ifdef WIDE
#define CHANNELS 2
#else
#define CHANNELS 1
#endif

// Loops over constants, unrolled by the preprocessor.
#define ROWS_1(F) F(0)
#define ROWS_2(F) ROWS_1(F) F(1)
#define ROWS_4(F) ROWS_2(F) F(2) F(3)
#define ROWS_8(F) ROWS_4(F) F(4) F(5) F(6) F(7)
#define ROWS_16(F) ROWS_8(F) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
#if ROWS == 2
#define FOR_ROWS(F) ROWS_2(F)
#elif ROWS == 4
#define FOR_ROWS(F) ROWS_4(F)
#elif ROWS == 8
#define FOR_ROWS(F) ROWS_8(F)
#elif ROWS == 16
#define FOR_ROWS(F) ROWS_16(F)
#endif
#define COLUMNS_1(F, r) F(r, 0)
#define COLUMNS_2(F, r) COLUMNS_1(F, r) F(r, 1)
#define COLUMNS_3(F, r) COLUMNS_2(F, r) F(r, 2)
#define COLUMNS_4(F, r) COLUMNS_3(F, r) F(r, 3)
#define COLUMNS_6(F, r) COLUMNS_4(F, r) F(r, 4) F(r, 5)
#define COLUMNS_7(F, r) COLUMNS_6(F, r) F(r, 6)
#define COLUMNS_8(F, r) COLUMNS_7(F, r) F(r, 7)
#define COLUMNS_16(F, r) \
    COLUMNS_8(F, r) F(r, 8) F(r, 9) F(r, 10) F(r, 11) F(r, 12) F(r, 13) F(r, 14) F(r, 15)
#if COLUMNS == 1
#define FOR_COLUMNS(F, r) COLUMNS_1(F, r)
#elif COLUMNS == 2
#define FOR_COLUMNS(F, r) COLUMNS_2(F, r)
#elif COLUMNS == 3
#define FOR_COLUMNS(F, r) COLUMNS_3(F, r)
#elif COLUMNS == 4
#define FOR_COLUMNS(F, r) COLUMNS_4(F, r)
#elif COLUMNS == 6
#define FOR_COLUMNS(F, r) COLUMNS_6(F, r)
#elif COLUMNS == 7
#define FOR_COLUMNS(F, r) COLUMNS_7(F, r)
#elif COLUMNS == 8
#define FOR_COLUMNS(F, r) COLUMNS_8(F, r)
#elif COLUMNS == 16
#define FOR_COLUMNS(F, r) COLUMNS_16(F, r)
#endif
#if OUTPUTS == 4
#define FOR_LAYERS(F) ROWS_4(F)
#elif OUTPUTS == 8
#define FOR_LAYERS(F) ROWS_8(F)
#endif
