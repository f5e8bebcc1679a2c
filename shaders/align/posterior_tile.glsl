// A tile of ROWS x 4 cells of the sums over alignments that posteriors come from (engine/gl/alignment/posterior_tiles.hpp): its
// position, and the odds of its letters.
#define COLUMN_TEXELS(kinds) ((((kinds) + 1) * ROWS + 4) / 4)
#define EXPONENT_SLOT(kinds) (((kinds) + 1) * ROWS)
#define NUMBER(edges, slot) edges.column[(slot) / 4][(slot) % 4]
// Loops over constants, unrolled by the preprocessor so that arrays stay in registers.
#if ROWS == 1
#define FOR_ROWS(F) F(0)
#else
#define FOR_ROWS(F) F(0) F(1) F(2) F(3) F(4) F(5)
#endif

uniform isampler2D pairs;  // first tiles of rows and columns, their numbers; padding letters of the last ones; weights
uniform isampler2D rowLetters;  // of a tile's rows, five bits each
uniform MATRIX_ARRAY_SAMPLER odds;  // of a letter against four columns, one model per layer
uniform int rowBits;   // of the number of a tile of rows: its position in a row of texels
uniform int oddsBits;  // of the number of a tile of columns: its position in a row of parts, 32 texels each
#if defined(ENDS) || defined(LISTED)
uniform ivec2 slot;  // texels of an anti-diagonal: pairs, tiles of rows
#endif

// Lookups in a layer. NORMALISED: in software cheaper than texelFetch, which checks every coordinate.
#ifdef NORMALISED
#define PLACE vec2
PLACE placeOf(ivec2 texel, MATRIX_ARRAY_SAMPLER state) {
    return (vec2(texel) + 0.5) / vec2(textureSize(state, 0).xy);
}
#define LOOK_UP(state, place, layer) textureLod(state, vec3(place, float(layer)), 0.0)
#else
#define PLACE ivec2
PLACE placeOf(ivec2 texel, MATRIX_ARRAY_SAMPLER state) {
    return texel;
}
#define LOOK_UP(state, place, layer) texelFetch(state, ivec3(place, layer), 0)
#endif

float powerOfTwo(int exponent) {
    return intBitsToFloat((clamp(exponent, -127, 127) + 127) << 23);
}

// Gaps that end before each of four columns; `gap` becomes the gap after them.
vec4 along(float extend, vec4 pair, inout float gap) {
    float second = extend * gap + pair.x;
    float third = extend * second + pair.y;
    float fourth = extend * third + pair.z;
    vec4 before = vec4(gap, second, third, fourth);
    gap = extend * fourth + pair.w;
    return before;
}

#if defined(ENDS) || defined(LISTED)
// The origin of an anti-diagonal's texels, in the texture that holds every second one. ring: the number of anti-diagonals that have
// room, and the number in one column. Passes over one anti-diagonal get the origin as a uniform: these divisions cost a tenth of
// the time.
ivec2 slotOrigin(int diagonal, ivec2 ring) {
    int number = (diagonal >> 1) % ring.x;
    return ivec2(number / ring.y, number % ring.y) * slot;
}
#endif
// The texel with the edges before the first tiles, from letter `letter`. border: bits of a row of texels, and the first row.
ivec2 borderPlace(int letter, ivec2 border) {
    int number = letter + 8;
    return ivec2(number & ((1 << border.x) - 1), border.y + (number >> border.x));
}

int codesOf(int tile) {
    return texelFetch(rowLetters, ivec2(tile & ((1 << rowBits) - 1), tile >> rowBits), 0).x;
}
ivec2 oddsPlace(int tile) {
    return ivec2((tile & ((1 << oddsBits) - 1)) << 5, tile >> oddsBits);
}
#define ODDS(r) LOOK_UP(odds, placeOf(oddsBegin + ivec2(codes >> (5 * (r)) & 31, 0), odds), layer)

// The tiles that the edges of a tile (row, column) come from.
ivec2 placeAbove(int place, ivec2 tile, ivec2 origin, ivec2 border) {
    return tile.x == 0 ? borderPlace(4 * tile.y, border) : origin + ivec2(place, tile.x - 1);
}
ivec2 placeLeft(int place, ivec2 tile, ivec2 origin, ivec2 border) {
    return tile.y == 0 ? borderPlace(ROWS * tile.x, border) : origin + ivec2(place, tile.x);
}
// The same from the end, where the padding letters of the last tiles come first.
ivec2 placeBelow(int place, ivec2 tile, ivec2 last, ivec2 filled, ivec2 origin, ivec2 border) {
    return tile.x == last.x ? borderPlace(4 * (last.y - tile.y) - filled.y, border) : origin + ivec2(place, tile.x + 1);
}
ivec2 placeRight(int place, ivec2 tile, ivec2 last, ivec2 filled, ivec2 origin, ivec2 border) {
    return tile.y == last.y ? borderPlace(ROWS * (last.x - tile.x) - filled.x, border) : origin + ivec2(place, tile.x);
}
// In the tiles where a backward sum begins: 1 for the column before which it begins.
vec4 columnWhereItBegins(ivec2 tile, ivec2 last, ivec2 filled) {
    int column = tile.y == last.y ? filled.y : 0;
    return vec4(equal(ivec4(column), ivec4(0, 1, 2, 3)));
}
int rowWhereItBegins(ivec2 tile, ivec2 last, ivec2 filled) {
    return tile.x == last.x ? filled.x : 0;
}
