// Writes one number to every texel: ceilings "fill" and "launch overhead" (engine/gl/framework/gl_probes.cpp).
//
// @dialects gl33 es300 gl21
uniform float number;

void main() {
    fragmentOutput[0] = vec4(number);
}
