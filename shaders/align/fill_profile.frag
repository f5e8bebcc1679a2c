// The score of each letter against the columns of a tile. Texel (x, y): letter x % 32 of part (y << rowBits) + x / 32. A tile of
// COLUMNS columns has as many parts as its numbers need: four numbers per texel, or with WIDE two scores and their identities.
//
// @dialects gl33 es300 : FIXED_POINT COLUMNS=3|4|7|8|16
// @dialects gl33 es300 : FIXED_POINT COLUMNS=1|2|3|4|8 WIDE
uniform isampler2D letters;  // of a tile's columns, four per component
uniform isampler2D scores;
uniform int rowBits;
uniform int letterBits;  // of a tile's number: its position in a row of texels

#ifdef WIDE
#define PER_TEXEL 2
#else
#define PER_TEXEL 4
#endif
#define PARTS ((COLUMNS + PER_TEXEL - 1) / PER_TEXEL)

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int part = (place.y << rowBits) + place.x / 32;
    int tile = part / PARTS;
    ivec4 columns = texelFetch(letters, ivec2(tile & ((1 << letterBits) - 1), tile >> letterBits), 0);
    ivec4 found[PER_TEXEL];
    for (int k = 0; k < PER_TEXEL; ++k) {
        int column = part % PARTS * PER_TEXEL + k;
        int letter = columns[column / 4] >> (column % 4 * 8) & 31;
        found[k] = texelFetch(scores, ivec2(letter, place.x % 32), 0);
    }
#ifdef WIDE
    fragmentOutput[0] = ivec4(found[0].xy, found[1].xy);
#else
    fragmentOutput[0] = ivec4(found[0].x, found[1].x, found[2].x, found[3].x);
#endif
}
