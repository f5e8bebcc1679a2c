// The weights of a sample in the bins, by de Boor's scheme (J. Approximation Theory 6, 1972), from its place. The upper
// bits of a code are the interval between knots, the lower bits the place within it. Both are computed in double precision
// on the host.
// LEGACY: the two are separate numbers.
#define LARGEST_PLACE 8388607
#ifdef LEGACY
#define CODE vec2
#define IS_MISSING(code) ((code).x < 0.0)
#define INTERVAL_OF(code) (code).x
#define PLACE_OF(code) (code).y
#else
#define PLACE_BITS 23
#define CODE int
#define IS_MISSING(code) ((code) < 0)
#define INTERVAL_OF(code) float((code) >> PLACE_BITS)
#define PLACE_OF(code) float((code) & LARGEST_PLACE)
#endif
uniform vec2 knotRange;  // indices of knots are clamped to it

// One step of the scheme. Knots are whole numbers, relative to the interval's left knot; the nearest are 0 and 1.
#define SHARE(degree, j)                                                               \
    right = j == 0 ? 1.0 : min(float(j + 1), ends.y);                                  \
    left = j + 1 == degree ? 0.0 : max(float(j + 1 - degree), ends.x);                 \
    share = degree == 1 ? weights[j] : degree == 2 ? (right - left > 1.5 ? 0.5 : 1.0) * weights[j] : \
            weights[j] / (right - left);                                               \
    weights[j] = carried + (right - z) * share;                                        \
    carried = (z - left) * share;

// For a sample with a value: returns its first bin, and in `weights` the weights of this bin and the following ones.
float findWeights(CODE code, out float weights[SPLINE_ORDER]) {
    float interval = INTERVAL_OF(code);
    float z = PLACE_OF(code) * (1.0 / float(LARGEST_PLACE));
    vec2 ends = knotRange - interval;
    float right;
    float left;
    float share;
    float carried;
    weights[0] = 1.0;
    // Drivers do not unroll such loops, and weights would then not be in registers.
#if SPLINE_ORDER > 1
    carried = 0.0;
    SHARE(1, 0)
    weights[1] = carried;
#endif
#if SPLINE_ORDER > 2
    carried = 0.0;
    SHARE(2, 0)
    SHARE(2, 1)
    weights[2] = carried;
#endif
#if SPLINE_ORDER > 3
    carried = 0.0;
    SHARE(3, 0)
    SHARE(3, 1)
    SHARE(3, 2)
    weights[3] = carried;
#endif
#if SPLINE_ORDER > 4
    carried = 0.0;
    SHARE(4, 0)
    SHARE(4, 1)
    SHARE(4, 2)
    SHARE(4, 3)
    weights[4] = carried;
#endif
#if SPLINE_ORDER > 5
    carried = 0.0;
    SHARE(5, 0)
    SHARE(5, 1)
    SHARE(5, 2)
    SHARE(5, 3)
    SHARE(5, 4)
    weights[5] = carried;
#endif
#if SPLINE_ORDER > 6
    carried = 0.0;
    SHARE(6, 0)
    SHARE(6, 1)
    SHARE(6, 2)
    SHARE(6, 3)
    SHARE(6, 4)
    SHARE(6, 5)
    weights[6] = carried;
#endif
#if SPLINE_ORDER > 7
    carried = 0.0;
    SHARE(7, 0)
    SHARE(7, 1)
    SHARE(7, 2)
    SHARE(7, 3)
    SHARE(7, 4)
    SHARE(7, 5)
    SHARE(7, 6)
    weights[7] = carried;
#endif
#if SPLINE_ORDER > 8
    for (int degree = 8; degree < SPLINE_ORDER; ++degree) {
        carried = 0.0;
        for (int j = 0; j < degree; ++j) {
            SHARE(degree, j)
        }
        weights[degree] = carried;
    }
#endif
    return interval;
}
