// Computes the energy (w) of each dihedral angle of each model, and its derivative (x). Sines and cosines come from
// the atoms, because those of drivers are inexact.
//
// @dialects gl33 es300
#define DIHEDRALS
#include "structure/tables.glsl"
uniform int count;  // per model

vec2 cosineAndSine(int base, vec4 four) {
    Dihedral one = dihedralOf(base, four);
    vec2 both = vec2(dot(one.a, one.b), dot(cross(one.b, one.a), one.g) / one.axis);
    return both / max(length(both), 1e-20);
}

// Cosine and sine of the difference of two angles.
vec2 minus(vec2 angle, vec2 other) {
    return vec2(dot(angle, other), angle.y * other.x - angle.x * other.y);
}

// −w ln(four wells + 0.02), with its derivatives along phi and psi.
vec3 ramachandran(vec2 phi, vec2 psi, bool isGlycine, float weight) {
    // Cosines and sines of (-63, -43), (-120, 135), (-68, 145), (57, 43) degrees.
    vec4 wells[4];
    wells[0] = vec4(0.4539904997, -0.8910065242, 0.7313537016, -0.6819983601);
    wells[1] = vec4(-0.5, -0.8660254038, -0.7071067812, 0.7071067812);
    wells[2] = vec4(0.3746065934, -0.9271838546, -0.8191520443, 0.5735764364);
    wells[3] = vec4(0.5446390350, 0.8386705679, 0.7313537016, 0.6819983601);
    float sum = 0.02;
    vec2 along = vec2(0.0);
    for (int k = 0; k < 8; ++k) {
        // Only glycine, which is achiral, has mirrored wells.
        if (k >= 4 && !isGlycine) break;
        vec4 well = wells[k & 3] * vec4(1.0, k < 4 ? 1.0 : -1.0, 1.0, k < 4 ? 1.0 : -1.0);
        vec2 x = minus(phi, well.xy);
        vec2 y = minus(psi, well.zw);
        float value = (k == 3 && !isGlycine ? 0.15 : 1.0) * exp(5.0 * (x.x + y.x - 2.0));
        sum += value;
        along -= 5.0 * value * vec2(x.y, y.y);
    }
    return vec3(-weight * log(sum), -weight / sum * along);
}

void main() {
    int own = OWN_INDEX;
    int model = own / count;
    int d = own - model * count;
    int base = model * atoms;
    fragmentOutput[0] = vec4(0.0);
    if (model >= models) return;
    vec2 angle = cosineAndSine(base, AT(dihedrals, 3 * d));
    vec4 other = AT(dihedrals, 3 * d + 1);
    vec4 what = AT(dihedrals, 3 * d + 2);
    int kind = int(what.x);
    if (kind == 0) {
        vec2 from = minus(angle, other.xy);
        float delta = atan(from.y, from.x);
        delta += from.y * cos(delta) - from.x * sin(delta);
        float outside = abs(delta) - what.y;
        if (outside <= 0.0) return;
        float share = outside / (3.14159265359 - what.y);
        share *= share;
        fragmentOutput[0] = vec4(what.z * 10.0 * sign(delta) * outside * (1.0 - share), 0.0, 0.0,
                                 what.z * 5.0 * (1.0 - 0.5 * share) * outside * outside);
    } else if (kind == 3) {
        fragmentOutput[0] = vec4(-3.0 * what.z * angle.y * (3.0 - 4.0 * angle.y * angle.y), 0.0, 0.0,
                                 what.z * (1.0 + angle.x * (4.0 * angle.x * angle.x - 3.0)));
    } else {
        // Phi carries the residue's energy.
        vec2 partner = cosineAndSine(base, other);
        bool isPhi = kind == 1;
        vec3 found = ramachandran(isPhi ? angle : partner, isPhi ? partner : angle, what.w > 0.5, what.z);
        fragmentOutput[0] = isPhi ? vec4(found.y, 0.0, 0.0, found.x) : vec4(found.z, 0.0, 0.0, 0.0);
    }
}
