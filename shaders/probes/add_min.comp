#version 430
// The additions and minima of probes/add_min.frag in the driver's compute stage, which no algorithm uses: shows what
// fragment programs leave unused. A complete shader except for defines. FIXED_POINT: integers. SUMS: sixteen
// independent sums per thread, each lowered twice per round as in a matrix product.
#ifdef FIXED_POINT
#define VALUE int
#define VALUE4 ivec4
#define MINIMUM(x, y) min(x, y)
#else
#define VALUE float
#define VALUE4 vec4
#define MINIMUM(x, y) intBitsToFloat(min(floatBitsToInt(x), floatBitsToInt(y)))
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
// The minimum of itself and two sums, whose second summands are those of neighbours, so that no sum is shared.
#define LOWER(s, w, v) s = MINIMUM(s, MINIMUM(x + w, y + v));
#define WEIGHT(j) (VALUE((7 * j) % 16) * unit)

void main() {
    VALUE own = start + VALUE(gl_LocalInvocationID.x);
    // 1, which the compiler does not know.
    VALUE unit = VALUE(0) - step_;
    VALUE w0 = WEIGHT(0);
    VALUE w1 = WEIGHT(1);
    VALUE w2 = WEIGHT(2);
    VALUE w3 = WEIGHT(3);
    VALUE w4 = WEIGHT(4);
    VALUE w5 = WEIGHT(5);
    VALUE w6 = WEIGHT(6);
    VALUE w7 = WEIGHT(7);
    VALUE w8 = WEIGHT(8);
    VALUE w9 = WEIGHT(9);
    VALUE w10 = WEIGHT(10);
    VALUE w11 = WEIGHT(11);
    VALUE w12 = WEIGHT(12);
    VALUE w13 = WEIGHT(13);
    VALUE w14 = WEIGHT(14);
    VALUE w15 = WEIGHT(15);
    VALUE most = own + own + own + own;
    VALUE s0 = most;
    VALUE s1 = most;
    VALUE s2 = most;
    VALUE s3 = most;
    VALUE s4 = most;
    VALUE s5 = most;
    VALUE s6 = most;
    VALUE s7 = most;
    VALUE s8 = most;
    VALUE s9 = most;
    VALUE s10 = most;
    VALUE s11 = most;
    VALUE s12 = most;
    VALUE s13 = most;
    VALUE s14 = most;
    VALUE s15 = most;
    VALUE x = own;
    VALUE y = own - VALUE(5);
    for (int round_ = 0; round_ < rounds; ++round_) {
        x += step_;
        y += otherStep;
        LOWER(s0, w0, w1)
        LOWER(s1, w1, w2)
        LOWER(s2, w2, w3)
        LOWER(s3, w3, w4)
        LOWER(s4, w4, w5)
        LOWER(s5, w5, w6)
        LOWER(s6, w6, w7)
        LOWER(s7, w7, w8)
        LOWER(s8, w8, w9)
        LOWER(s9, w9, w10)
        LOWER(s10, w10, w11)
        LOWER(s11, w11, w12)
        LOWER(s12, w12, w13)
        LOWER(s13, w13, w14)
        LOWER(s14, w14, w15)
        LOWER(s15, w15, w0)
    }
    sums[gl_GlobalInvocationID.x] =
        VALUE4(s0 + s1 + s2 + s3, s4 + s5 + s6 + s7, s8 + s9 + s10 + s11, s12 + s13 + s14 + s15);
}
#else
#define RELAX(x, y) x = MINIMUM(x, y + step_);

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
