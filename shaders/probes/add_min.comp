#version 430
// The additions and minima of probes/add_min.frag in the driver's compute stage, which no algorithm uses: what is left beside
// fragment programs. Complete as it stands, but for defines: FIXED_POINT for whole numbers; SUMS for sixteen sums a thread that
// have nothing to do with each other, each lowered twice a round as in a product of matrices. Compilers make more or fewer
// instructions of ways to the same sums:
//   none        two additions and a minimum of three
//   IN_TURN     an addition and a minimum, twice: one instruction each, where the device has it for whole numbers
//   MULTIPLIED  one of the two additions by the units that multiply (whole numbers)
//   UNSIGNED    minima of numbers without a sign (whole numbers; none is below 0)
#ifdef FIXED_POINT
#define VALUE int
#define VALUE4 ivec4
#if defined(UNSIGNED) && defined(SUMS)
#define LESS(x, y) int(min(uint(x), uint(y)))
#else
#define LESS(x, y) min(x, y)
#endif
#else
#define VALUE float
#define VALUE4 vec4
#define LESS(x, y) intBitsToFloat(min(floatBitsToInt(x), floatBitsToInt(y)))
#endif
#ifdef SUMS
layout(local_size_x = 256) in;
#else
layout(local_size_x = 128) in;
#endif
layout(std430, binding = 0) writeonly buffer Sums {
    VALUE4 sums[];
};
uniform int rounds;
uniform VALUE step_;
uniform VALUE otherStep;
uniform VALUE start;

#ifdef SUMS
// Sixteen sums, and what each is the least of: itself and two sums, whose second summands are those of neighbours, so that none is
// computed for several.
#define EACH(DO)                                                                                                 \
    DO(s0, w0, w1, 0) DO(s1, w1, w2, 1) DO(s2, w2, w3, 2) DO(s3, w3, w4, 3) DO(s4, w4, w5, 4) DO(s5, w5, w6, 5)  \
    DO(s6, w6, w7, 6) DO(s7, w7, w8, 7) DO(s8, w8, w9, 8) DO(s9, w9, w10, 9) DO(s10, w10, w11, 10)               \
    DO(s11, w11, w12, 11) DO(s12, w12, w13, 12) DO(s13, w13, w14, 13) DO(s14, w14, w15, 14) DO(s15, w15, w0, 15)
#define BEGIN(s, w, v, j)                   \
    VALUE w = VALUE((7 * j) % 16) * unit;   \
    VALUE s = own + own + own + own;
#if defined(IN_TURN)
#define LOWER(s, w, v, j)  \
    s = LESS(s, x + w);    \
    s = LESS(s, y + v);
#elif defined(MULTIPLIED)
#define LOWER(s, w, v, j) s = LESS(s, LESS(x * unit + w, y + v));
#else
#define LOWER(s, w, v, j) s = LESS(s, LESS(x + w, y + v));
#endif
#define ROUND        \
    x += step_;      \
    y += otherStep;  \
    EACH(LOWER)

void main() {
    VALUE own = start + VALUE(gl_LocalInvocationID.x);
    // 1, which no compiler knows.
    VALUE unit = VALUE(0) - step_;
    EACH(BEGIN)
    VALUE x = own;
    VALUE y = own - VALUE(5);
    for (int round_ = 0; round_ < rounds; round_ += 4) {
        ROUND
        ROUND
        ROUND
        ROUND
    }
    sums[gl_GlobalInvocationID.x] =
        VALUE4(s0 + s1 + s2 + s3, s4 + s5 + s6 + s7, s8 + s9 + s10 + s11, s12 + s13 + s14 + s15);
}
#else
#define RELAX(x, y) x = LESS(x, y + step_);

void main() {
    VALUE own = start + VALUE(gl_LocalInvocationID.x);
    VALUE4 c0 = VALUE4(own, own + VALUE(1), own + VALUE(2), own + VALUE(3));
    VALUE4 c1 = c0;
    VALUE4 c2 = c0;
    VALUE4 c3 = c0;
    VALUE4 c4 = c0;
    VALUE4 c5 = c0;
    VALUE4 c6 = c0;
    VALUE4 c7 = c0;
    for (int round_ = 0; round_ < rounds; ++round_) {
        RELAX(c0, c1)
        RELAX(c1, c2)
        RELAX(c2, c3)
        RELAX(c3, c4)
        RELAX(c4, c5)
        RELAX(c5, c6)
        RELAX(c6, c7)
        RELAX(c7, c0)
    }
    sums[gl_GlobalInvocationID.x] = c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7;
}
#endif
