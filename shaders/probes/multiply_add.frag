// Multiply-adds in registers: ceiling "multiply-add" (engine/gl/framework/gl_probes.cpp). Eight chains of four numbers
// converge to 1: x = x · factor + summand with factor + summand = 1.
//
// @dialects gl33 es300 gl21
uniform int rounds;
uniform float factor;
uniform float summand;

#define STEP(x) x = x * factor + summand;

void main() {
    vec4 c0 = vec4(0.001, 0.002, 0.003, 0.004) * gl_FragCoord.x;
    vec4 c1 = c0 * 0.5;
    vec4 c2 = c0 * 0.25;
    vec4 c3 = c0 * 0.125;
    vec4 c4 = -c0;
    vec4 c5 = -c1;
    vec4 c6 = -c2;
    vec4 c7 = -c3;
    for (int round_ = 0; round_ < rounds; ++round_) {
        STEP(c0)
        STEP(c1)
        STEP(c2)
        STEP(c3)
        STEP(c4)
        STEP(c5)
        STEP(c6)
        STEP(c7)
    }
    fragmentOutput[0] = c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7;
}
