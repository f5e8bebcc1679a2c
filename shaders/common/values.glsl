// Type of a matrix element: float, int in the fixed-point number format, or uint for words of bits.
#ifdef FIXED_POINT
#define VALUE int
#define VALUE4 ivec4
#define MATRIX_SAMPLER isampler2D
#define MATRIX_ARRAY_SAMPLER isampler2DArray
#elif defined(UNSIGNED)
#define VALUE uint
#define VALUE4 uvec4
#define MATRIX_SAMPLER usampler2D
#define MATRIX_ARRAY_SAMPLER usampler2DArray
#else
#define VALUE float
#define VALUE4 vec4
#define MATRIX_SAMPLER sampler2D
#define MATRIX_ARRAY_SAMPLER sampler2DArray
#endif

// Bounds are never negative, and non-negative floats have the order of integers with the same bits. Comparing integers
// avoids the NaN handling of float comparisons (on llvmpipe, half of a minimum's cost).
#ifdef FIXED_POINT
#define ORDER(value) (value)
#define FROM_ORDER(order) (order)
#else
#define ORDER(value) floatBitsToInt(value)
#define FROM_ORDER(order) intBitsToFloat(order)
#endif
