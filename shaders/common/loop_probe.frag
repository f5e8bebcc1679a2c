// Counts the rounds of a loop, because some drivers end loops early. Each round depends on the previous one, so that no
// compiler can eliminate the loop.
//
// @dialects gl33 es300 gl21
uniform int rounds;

void main() {
    int counted = 0;
    int state = 1;
    for (int i = 0; i < rounds; ++i) {
        state = state * 75 + 74;
        state -= state / 65536 * 65536;
        counted += state <= 65535 ? 1 : 0;
    }
    fragmentOutput[0] = vec4(float(counted), float(state), 0.0, 0.0);
}
