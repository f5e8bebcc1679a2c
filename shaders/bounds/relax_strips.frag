// One block of 64 k of a product of two matrices in layout `Strips`, in the arithmetic of bounds (relax.glsl):
// C <- min(C, A + B) or C <- max(C, B - A) over all k of the block. A fragment updates four columns of all rows of a
// strip. Its rows of A come as constants of a uniform block, the same for all fragments of the draw; only B is
// fetched, once for ROWS * 4 relaxations.
//
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 NORMALISED
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 NORMALISED LOWER
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 NORMALISED FIXED_POINT
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 FIXED_POINT
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 FIXED_POINT
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 LOWER
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 UNROLL
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 LOWER UNROLL
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 LOWER
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 UNROLL
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 LOWER UNROLL
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 FIXED_POINT LOWER
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 FIXED_POINT UNROLL
// @dialects gl33 es300 : ROWS=8 OUTPUTS=8 FIXED_POINT LOWER UNROLL
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 FIXED_POINT LOWER
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 FIXED_POINT UNROLL
// @dialects gl33 es300 : ROWS=4 OUTPUTS=4 FIXED_POINT LOWER UNROLL
#include "bounds/strip_rows.glsl"
#include "bounds/relax.glsl"
uniform MATRIX_ARRAY_SAMPLER accumulator;
uniform MATRIX_ARRAY_SAMPLER right;
uniform float rightY;  // texel row of `right` where the block begins
#ifdef NORMALISED
uniform vec2 rightTexel;  // size of a texel of `right` in normalised coordinates
#endif
layout(std140) uniform Operand {
    VALUE4 operand[BLOCK * ROWS / 4];  // A(row r, k) in component r % 4 of element k * ROWS / 4 + r / 4
};

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
#ifdef NORMALISED
    // A lookup at the texel's centre: in software cheaper than texelFetch, which checks every coordinate.
    vec2 first = vec2(gl_FragCoord.x, rightY + float(place.y & 3) + 0.5) * rightTexel;
    float stripStep = 4.0 * rightTexel.y;
#define FETCH_RIGHT(strip, layer) \
    textureLod(right, vec3(first.x, first.y + float(strip) * stripStep, float(layer)), 0.0)
#else
    ivec2 first = ivec2(place.x, int(rightY) + (place.y & 3));
#define FETCH_RIGHT(strip, layer) texelFetch(right, ivec3(first.x, first.y + 4 * (strip), layer), 0)
#endif
    ivec4 c[ROWS];
#define LOAD(r) c[r] = ORDER(texelFetch(accumulator, ivec3(place, r), 0));
    FOR_ROWS(LOAD)

#if ROWS == 8
#define RELAX_SECOND_HALF(index)          \
    a = operand[index + 1];               \
    c[4] = RELAXED(c[4], a.x, b);         \
    c[5] = RELAXED(c[5], a.y, b);         \
    c[6] = RELAXED(c[6], a.z, b);         \
    c[7] = RELAXED(c[7], a.w, b);
#else
#define RELAX_SECOND_HALF(index)
#endif
// k = strip * ROWS + layer
#define RELAX(strip, layer)                                                                   \
    b = FETCH_RIGHT(strip, layer);                      \
    a = operand[((strip) * ROWS + layer) * (ROWS / 4)];                                       \
    c[0] = RELAXED(c[0], a.x, b);                                                             \
    c[1] = RELAXED(c[1], a.y, b);                                                             \
    c[2] = RELAXED(c[2], a.z, b);                                                             \
    c[3] = RELAXED(c[3], a.w, b);                                                             \
    RELAX_SECOND_HALF(((strip) * ROWS + layer) * (ROWS / 4))
#if ROWS == 8
#define RELAX_STRIP(s) RELAX(s, 0) RELAX(s, 1) RELAX(s, 2) RELAX(s, 3) RELAX(s, 4) RELAX(s, 5) RELAX(s, 6) RELAX(s, 7)
#else
#define RELAX_STRIP(s) RELAX(s, 0) RELAX(s, 1) RELAX(s, 2) RELAX(s, 3)
#endif

    VALUE4 a;
    VALUE4 b;
#ifdef UNROLL
    // Drivers that read uniform blocks fast at constant indices only.
    RELAX_STRIP(0) RELAX_STRIP(1) RELAX_STRIP(2) RELAX_STRIP(3)
    RELAX_STRIP(4) RELAX_STRIP(5) RELAX_STRIP(6) RELAX_STRIP(7)
#if ROWS == 4
    RELAX_STRIP(8) RELAX_STRIP(9) RELAX_STRIP(10) RELAX_STRIP(11)
    RELAX_STRIP(12) RELAX_STRIP(13) RELAX_STRIP(14) RELAX_STRIP(15)
#endif
#else
    for (int s = 0; s < BLOCK / ROWS; ++s) {
        RELAX_STRIP(s)
    }
#endif

#define STORE(r) fragmentOutput[r] = FROM_ORDER(c[r]);
    FOR_ROWS(STORE)
}
