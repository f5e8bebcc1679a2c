// Tables in rows of 2^rowBits texels. Data of models lie model after model: atom a of model m at m · atoms + a.
uniform int rowBits;
#define AT(table, index) TEXEL_AT(table, (index) & ((1 << rowBits) - 1), (index) >> rowBits)
#define OWN_INDEX ((int(gl_FragCoord.y) << rowBits) + int(gl_FragCoord.x))
uniform int models;
uniform int atoms;
uniform MATRIX_SAMPLER positions;
#ifdef NAMES
uniform MATRIX_SAMPLER names;  // per atom: the atom that restraints name so, and the name that restraints use for it

// Returns the atom of an alias: a name of restraints, or the atom itself from `atoms` on.
int atomOf(int base, int alias) {
    return alias < atoms ? int(AT(names, base + alias).x) : alias - atoms;
}
#endif
#ifdef DIHEDRALS
uniform MATRIX_SAMPLER dihedrals;  // three texels each: atoms; partner, or cosine and sine of the centre; kind, half, weight, isGlycine

// Vectors of angle and gradient (A. Blondel, M. Karplus, J. Comput. Chem. 17 (1996), 1132-1141).
struct Dihedral {
    vec3 f, g, h, a, b;
    float axis;
};

Dihedral dihedralOf(int base, vec4 four) {
    vec3 j = AT(positions, base + int(four.y)).xyz;
    vec3 k = AT(positions, base + int(four.z)).xyz;
    Dihedral one;
    one.f = AT(positions, base + int(four.x)).xyz - j;
    one.g = j - k;
    one.h = AT(positions, base + int(four.w)).xyz - k;
    one.a = cross(one.f, one.g);
    one.b = cross(one.h, one.g);
    one.axis = length(one.g);
    return one;
}
#endif
