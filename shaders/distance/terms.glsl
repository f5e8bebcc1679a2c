// The operations of engine/distance/terms.hpp; TERM selects one. SUM_TERMS(a, b) sums over the four attributes of a
// texel, or with SCALAR over one. JOIN(x, y) joins sums over different attributes.
#define ABSOLUTE_DIFFERENCE 0
#define SQUARED_DIFFERENCE 1
#define LARGEST_DIFFERENCE 2
#define ANY_DIFFERENCE 3

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
#elif TERM == LARGEST_DIFFERENCE
#define JOIN(x, y) max(x, y)
#ifdef SCALAR
#define SUM_TERMS(a, b) abs((a) - (b))
#else
float largest(vec4 x) { return max(max(x.x, x.y), max(x.z, x.w)); }
#define SUM_TERMS(a, b) largest(abs((a) - (b)))
#endif
#elif TERM == ANY_DIFFERENCE
#define JOIN(x, y) ((x) + (y))
#ifdef SCALAR
#define SUM_TERMS(a, b) float((a) != (b))
#else
#define SUM_TERMS(a, b) dot(vec4(notEqual(a, b)), vec4(1.0))
#endif
#endif
