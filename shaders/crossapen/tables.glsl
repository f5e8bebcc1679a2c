// Tables of numbers are stored in textures row by row, with 2^ROW_BITS texels per row. TABLE(table, texelSize, index) reads
// texel `index`. With NORMALISED, it uses normalised coordinates, in which a texel has the size `texelSize`.
// With CEILING, `rowMask` is 0 and `rowShift` is 31, which no compiler knows: all lookups read the first texel, and nothing
// else changes (bench/gl_crossapen_bench.cpp).
#ifdef CEILING
uniform int rowMask;
uniform int rowShift;
#define TABLE_PLACE(index) ivec2((index) & rowMask, (index) >> rowShift)
#else
#define TABLE_PLACE(index) ivec2((index) & ((1 << ROW_BITS) - 1), (index) >> ROW_BITS)
#endif
#ifdef LEGACY
// gl21: ROW_TEXELS texels per row, a power of two. Indices are whole numbers below 2^24, which floats represent exactly.
vec2 tablePlace(float index) {
    float row = floor(index * (1.0 / ROW_TEXELS));
    return vec2(index - row * ROW_TEXELS, row) + 0.5;
}
#define TABLE(table, texelSize, index) texture2DRect(table, tablePlace(float(index)))
#endif
// Index of the texel that this fragment fills, if the target is a table.
#ifdef LEGACY
#define TEXEL_OF_FRAGMENT int(floor(gl_FragCoord.y) * ROW_TEXELS + floor(gl_FragCoord.x))
#else
#define TEXEL_OF_FRAGMENT ((int(gl_FragCoord.y) << ROW_BITS) + int(gl_FragCoord.x))
#endif
// Quotient and remainder of number / divisor, for numbers >= 0 with a quotient below 2^23. Avoids integer division, which
// software renderers do component by component.
ivec2 divided(int number, int divisor) {
    int quotient = int(float(number) / float(divisor));
    int rest = number - quotient * divisor;
    if (rest < 0) return ivec2(quotient - 1, rest + divisor);
    return rest < divisor ? ivec2(quotient, rest) : ivec2(quotient + 1, rest - divisor);
}
#if defined(NORMALISED)
#define TABLE(table, texelSize, index) textureLod(table, (vec2(TABLE_PLACE(index)) + 0.5) * (texelSize), 0.0)
#elif !defined(LEGACY)
#define TABLE(table, texelSize, index) texelFetch(table, TABLE_PLACE(index), 0)
#endif
