// Writes the number of the pass into the canary texel (see engine/gl/framework/watchdog.hpp).
//
// @dialects gl33 es300 gl21
uniform float passNumber;

void main() {
    fragmentOutput[0] = vec4(passNumber);
}
