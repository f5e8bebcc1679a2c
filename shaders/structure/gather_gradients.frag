// Gathers the gradient at each atom of each model from its terms; w is half of the energy with its neighbours.
//
// @dialects gl33 es300
#define NAMES
#define DIHEDRALS
#include "structure/tables.glsl"
uniform MATRIX_SAMPLER coefficients;  // of distances, model after model
uniform MATRIX_SAMPLER slopes;        // of dihedral angles, likewise
uniform MATRIX_SAMPLER aliasLists;    // first and end of an alias's entries; entries: distance, the other alias
uniform MATRIX_SAMPLER atomLists;     // first and end of an atom's entries; entries: dihedral angle, place in it
uniform MATRIX_SAMPLER neighbours;    // per model's region: first and end of each atom; entries: two neighbours, two contacts
uniform int distanceCount;            // per model
uniform int dihedralCount;
uniform int region;                   // texels
uniform float weight;                 // of van der Waals terms
uniform float coreWeight;
uniform float coreShare;              // of a contact
uniform float leastCore;              // the shortest contact with a core

vec4 repelWithin(float contact, float strength, vec3 between) {
    float left = contact * contact - dot(between, between);
    float scale = strength / (contact * contact);
    return left <= 0.0 ? vec4(0.0) : vec4(-scale * left * between, 0.125 * scale * left * left);
}

vec4 repel(vec3 between, float contact) {
    vec4 soft = repelWithin(contact, weight, between);
    if (coreWeight == 0.0 || contact < leastCore) return soft;
    return soft + repelWithin(coreShare * contact, coreWeight, between);
}

void main() {
    int own = OWN_INDEX;
    int model = own / atoms;
    int a = own - model * atoms;
    int base = model * atoms;
    fragmentOutput[0] = vec4(0.0);
    if (model >= models) return;
    vec3 r = AT(positions, own).xyz;
    vec4 sum = vec4(0.0);

    int list = model * region;
    vec4 range = AT(neighbours, list + a);
    for (int e = int(range.x); e < int(range.y); ++e) {
        vec4 two = AT(neighbours, list + e);
        sum += repel(r - AT(positions, base + int(two.x)).xyz, two.y);
        // An odd count is filled up with the atom itself at contact 0.
        if (two.w > 0.0) sum += repel(r - AT(positions, base + int(two.z)).xyz, two.w);
    }
    for (int way = 0; way < 2; ++way) {
        range = AT(aliasLists, way == 0 ? int(AT(names, own).y) : a + atoms);
        for (int e = int(range.x); e < int(range.y); ++e) {
            vec4 entry = AT(aliasLists, e);
            float coefficient = AT(coefficients, model * distanceCount + int(entry.x)).x;
            if (coefficient == 0.0) continue;
            vec3 between = r - AT(positions, base + atomOf(base, int(entry.y))).xyz;
            float inverse = 1.0 / dot(between, between);
            // This order neither overflows nor underflows.
            sum.xyz += coefficient * inverse * inverse * inverse * (inverse * between);
        }
    }
    range = AT(atomLists, a);
    for (int e = int(range.x); e < int(range.y); ++e) {
        vec4 entry = AT(atomLists, e);
        float slope = AT(slopes, model * dihedralCount + int(entry.x)).x;
        if (slope == 0.0) continue;
        Dihedral one = dihedralOf(base, AT(dihedrals, 3 * int(entry.x)));
        // Collinear atoms have no dihedral angle.
        float aa = max(dot(one.a, one.a), 1e-6);
        float bb = max(dot(one.b, one.b), 1e-6);
        vec3 first = (-one.axis / aa) * one.a;
        vec3 last = (one.axis / bb) * one.b;
        vec3 middle = dot(one.f, one.g) / (aa * one.axis) * one.a - dot(one.h, one.g) / (bb * one.axis) * one.b;
        int place = int(entry.y);
        sum.xyz += slope * (place == 0 ? first : place == 3 ? last : place == 1 ? middle - first : -(middle + last));
    }
    fragmentOutput[0] = sum;
}
