// Additions and minima in registers: ceiling "add+min" (engine/gl/framework/gl_probes.cpp). Eight chains of four
// numbers lower one another, c(j) = min(c(j), c(j + 1 mod 8) + step). So every round changes the result, and no round
// waits for the previous one.
//
// @dialects gl33 es300 gl21
// @dialects gl33 es300 : FIXED_POINT
uniform int rounds;
uniform VALUE step_;  // below 0; numbers stay above 0
uniform VALUE start;

#ifdef ORDER
#define MINIMUM(x, y) FROM_ORDER(min(ORDER(x), ORDER(y)))
#else
#define MINIMUM(x, y) min(x, y)
#endif
#define RELAX(x, y) x = MINIMUM(x, y + step_);

void main() {
    // Differs between fragments, and is unknown to the compiler.
    VALUE own = start + VALUE(floor(gl_FragCoord.x));
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
    fragmentOutput[0] = c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7;
}
