// Applies five operations, one per row, to one pair of inputs per column: add, multiply, divide, exp, log (the
// precision self-test of engine/gl/framework/self_test.cpp).
//
// @dialects gl33 es300 gl21
uniform MATRIX_SAMPLER operands;  // row 0: first operand, row 1: second

void main() {
    float a = FETCH(operands, vec2(gl_FragCoord.x, 0.5)).x;
    float b = FETCH(operands, vec2(gl_FragCoord.x, 1.5)).x;
    float row = floor(gl_FragCoord.y);
    float result = a + b;
    if (row == 1.0) result = a * b;
    if (row == 2.0) result = a / b;
    if (row == 3.0) result = exp(a);
    if (row == 4.0) result = log(b);
    fragmentOutput[0] = vec4(result);
}
