#version 430
// The additions and minima of probes/add_min.frag in the driver's compute stage, which no algorithm uses: what is left beside
// fragment programs. Complete as it stands, but for defines: FIXED_POINT for whole numbers.
#ifdef FIXED_POINT
#define VALUE int
#define VALUE4 ivec4
#define LESS(x, y) min(x, y)
#else
#define VALUE float
#define VALUE4 vec4
#define LESS(x, y) intBitsToFloat(min(floatBitsToInt(x), floatBitsToInt(y)))
#endif
layout(local_size_x = 128) in;
layout(std430, binding = 0) writeonly buffer Sums {
    VALUE4 sums[];
};
uniform int rounds;
uniform VALUE step_;
uniform VALUE start;

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
