// Loops over constants, unrolled by the preprocessor: F(g) for each of GENES genes, F(g, i, j) for each i of SPLINE_ORDER
// rows or each j of COLUMNS.
#if GENES == 2
#define FOR_GENES(F) F(0) F(1)
#elif GENES == 4
#define FOR_GENES(F) F(0) F(1) F(2) F(3)
#endif
#define ROWS_1(F, g, j) F(g, 0, j)
#define ROWS_2(F, g, j) ROWS_1(F, g, j) F(g, 1, j)
#define ROWS_3(F, g, j) ROWS_2(F, g, j) F(g, 2, j)
#define ROWS_4(F, g, j) ROWS_3(F, g, j) F(g, 3, j)
#define ROWS_5(F, g, j) ROWS_4(F, g, j) F(g, 4, j)
#define ROWS_6(F, g, j) ROWS_5(F, g, j) F(g, 5, j)
#define ROWS_7(F, g, j) ROWS_6(F, g, j) F(g, 6, j)
#define ROWS_8(F, g, j) ROWS_7(F, g, j) F(g, 7, j)
#if SPLINE_ORDER == 1
#define FOR_ROWS ROWS_1
#elif SPLINE_ORDER == 2
#define FOR_ROWS ROWS_2
#elif SPLINE_ORDER == 3
#define FOR_ROWS ROWS_3
#elif SPLINE_ORDER == 4
#define FOR_ROWS ROWS_4
#elif SPLINE_ORDER == 5
#define FOR_ROWS ROWS_5
#elif SPLINE_ORDER == 6
#define FOR_ROWS ROWS_6
#elif SPLINE_ORDER == 7
#define FOR_ROWS ROWS_7
#elif SPLINE_ORDER == 8
#define FOR_ROWS ROWS_8
#endif
#define COLUMNS_1(F, g) F(g, 0, 0)
#define COLUMNS_2(F, g) COLUMNS_1(F, g) F(g, 0, 1)
#define COLUMNS_3(F, g) COLUMNS_2(F, g) F(g, 0, 2)
#define COLUMNS_4(F, g) COLUMNS_3(F, g) F(g, 0, 3)
#define COLUMNS_5(F, g) COLUMNS_4(F, g) F(g, 0, 4)
#define COLUMNS_6(F, g) COLUMNS_5(F, g) F(g, 0, 5)
#define COLUMNS_7(F, g) COLUMNS_6(F, g) F(g, 0, 6)
#define COLUMNS_8(F, g) COLUMNS_7(F, g) F(g, 0, 7)
#define COLUMNS_9(F, g) COLUMNS_8(F, g) F(g, 0, 8)
#define COLUMNS_10(F, g) COLUMNS_9(F, g) F(g, 0, 9)
#define COLUMNS_11(F, g) COLUMNS_10(F, g) F(g, 0, 10)
#define COLUMNS_12(F, g) COLUMNS_11(F, g) F(g, 0, 11)
#if COLUMNS == 1
#define FOR_COLUMNS COLUMNS_1
#elif COLUMNS == 2
#define FOR_COLUMNS COLUMNS_2
#elif COLUMNS == 3
#define FOR_COLUMNS COLUMNS_3
#elif COLUMNS == 4
#define FOR_COLUMNS COLUMNS_4
#elif COLUMNS == 5
#define FOR_COLUMNS COLUMNS_5
#elif COLUMNS == 6
#define FOR_COLUMNS COLUMNS_6
#elif COLUMNS == 7
#define FOR_COLUMNS COLUMNS_7
#elif COLUMNS == 8
#define FOR_COLUMNS COLUMNS_8
#elif COLUMNS == 9
#define FOR_COLUMNS COLUMNS_9
#elif COLUMNS == 10
#define FOR_COLUMNS COLUMNS_10
#elif COLUMNS == 11
#define FOR_COLUMNS COLUMNS_11
#elif COLUMNS == 12
#define FOR_COLUMNS COLUMNS_12
#endif
