// The operations of engine/distance/terms.hpp; TERM names one of them.
// SUM_TERMS(a, b): of the four attributes of a texel; SCALAR: of one. JOIN(x, y): sums over different attributes.
#define ABSOLUTE_DIFFERENCE 0
#define SQUARED_DIFFERENCE 1

#ifdef SCALAR
#define LANES float
#define LANES_OF(texel) (texel).x
#else
#define LANES vec4
#define LANES_OF(texel) (texel)
#endif

#if TERM == SQUARED_DIFFERENCE
#define SUM_TERMS(a, b) dot((a) - (b), (a) - (b))
#define JOIN(x, y) ((x) + (y))
#elif TERM == ABSOLUTE_DIFFERENCE
#define SUM_TERMS(a, b) dot(abs((a) - (b)), LANES(1.0))
#define JOIN(x, y) ((x) + (y))
#endif
