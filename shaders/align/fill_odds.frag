// The odds of each letter against the four columns of a tile, one model per target. Texel (x, y): letter x % 32 of tile (y <<
// oddsBits) + x / 32.
//
// @dialects gl33 es300 : OUTPUTS=2
uniform isampler2D letters;  // of a tile's columns, five bits each
uniform MATRIX_SAMPLER odds;  // of two letters, for both models
uniform int oddsBits;
uniform int letterBits;  // of a tile's number: its position in a row of texels

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int tile = (place.y << oddsBits) + place.x / 32;
    int columns = texelFetch(letters, ivec2(tile & ((1 << letterBits) - 1), tile >> letterBits), 0).x;
    vec2 found[4];
    for (int k = 0; k < 4; ++k) found[k] = texelFetch(odds, ivec2(columns >> (5 * k) & 31, place.x % 32), 0).xy;
    fragmentOutput[0] = vec4(found[0].x, found[1].x, found[2].x, found[3].x);
    fragmentOutput[1] = vec4(found[0].y, found[1].y, found[2].y, found[3].y);
}
