// Computes x of each distance of each model, with ∂E/∂r = x · d⁻⁸ · (r − r′) for each of its pairs; w is its energy.
//
// @dialects gl33 es300
#define NAMES
#include "structure/tables.glsl"
uniform MATRIX_SAMPLER distances;  // two texels each: d⁻⁶ at the limits, limits; weight, first and end of its pairs
uniform MATRIX_SAMPLER pairs;      // aliases
uniform int count;                 // per model
uniform int restraints;            // count of restraints, the first distances; rings follow
uniform float weight;              // of restraints

void main() {
    int own = OWN_INDEX;
    int model = own / count;
    int k = own - model * count;
    int base = model * atoms;
    fragmentOutput[0] = vec4(0.0);
    if (model >= models) return;
    vec4 limits = AT(distances, 2 * k);
    vec4 rest = AT(distances, 2 * k + 1);
    float sum = 0.0;
    int end = int(rest.z);
    for (int p = int(rest.y); p < end; ++p) {
        vec4 pair = AT(pairs, p);
        vec3 between = AT(positions, base + atomOf(base, int(pair.x))).xyz - AT(positions, base + atomOf(base, int(pair.y))).xyz;
        float inverse = 1.0 / dot(between, between);
        sum += inverse * inverse * inverse;
    }
    if (sum >= limits.x && sum <= limits.y) return;
    float d = exp2(log2(sum) * (-1.0 / 6.0));
    // One Newton step, because logarithms of drivers are inexact.
    float cube = d * d * d;
    d *= (7.0 - sum * cube * cube) * (1.0 / 6.0);
    bool isLong = d > limits.z;
    float v = max(isLong ? d - limits.z : limits.w - d, 0.0);
    float scale = k < restraints ? weight * rest.x : rest.x;
    fragmentOutput[0] = vec4((isLong ? 2.0 : -2.0) * scale * min(v, 2.0) * d / sum, 0.0, 0.0,
                             scale * (v <= 2.0 ? v * v : 4.0 * v - 4.0));
}
