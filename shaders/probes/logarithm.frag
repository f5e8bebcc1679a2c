// Logarithms in registers: ceiling "log" (engine/gl/framework/gl_probes.cpp). Four chains of four numbers, x = log(x) +
// summand, converge to the fixed point.
//
// @dialects gl33 es300 gl21
uniform int rounds;
uniform float summand;

void main() {
    vec4 c0 = vec4(1.0, 2.0, 3.0, 4.0) + 0.01 * gl_FragCoord.x;
    vec4 c1 = c0 + 1.0;
    vec4 c2 = c0 + 2.0;
    vec4 c3 = c0 + 3.0;
    for (int round_ = 0; round_ < rounds; ++round_) {
        c0 = log(c0) + summand;
        c1 = log(c1) + summand;
        c2 = log(c2) + summand;
        c3 = log(c3) + summand;
    }
    fragmentOutput[0] = c0 + c1 + c2 + c3;
}
