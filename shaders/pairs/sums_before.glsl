// Sums of earlier passes in a target of OUTPUTS layers: SUMS_BEFORE(r) is that of row r. FOR_ROWS(F) expands to F(0)
// F(1) ….
#if OUTPUTS == 1
uniform MATRIX_SAMPLER sums;
#define SUMS_BEFORE(r) FETCH(sums, gl_FragCoord.xy)
#define FOR_ROWS(F) F(0)
#else
uniform MATRIX_ARRAY_SAMPLER sums;
#define SUMS_BEFORE(r) texelFetch(sums, ivec3(ivec2(gl_FragCoord.xy), r), 0)
#if OUTPUTS == 4
#define FOR_ROWS(F) F(0) F(1) F(2) F(3)
#else
#define FOR_ROWS(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#endif
#endif
