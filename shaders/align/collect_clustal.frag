// Collects the results of step_clustal.frag for each part: the last row of tile column y of part x, best scores and gaps, in the
// layers of its texel. They come from the two textures that the passes alternate between. LOCAL: the highest score of a part with
// its row and column, in the last three components of the first texel.
//
// @dialects gl33 es300 : FIXED_POINT ROWS=8 COLUMNS=7 OUTPUTS=4
// @dialects gl33 es300 : FIXED_POINT ROWS=4 COLUMNS=3 OUTPUTS=2
// @dialects gl33 es300 : FIXED_POINT ROWS=8 COLUMNS=6 LOCAL LAYER=3
// @dialects gl33 es300 : FIXED_POINT ROWS=4 COLUMNS=2 LOCAL LAYER=1
uniform isampler2D parts;  // z, w: numbers of rows and columns
uniform MATRIX_ARRAY_SAMPLER state0;
uniform MATRIX_ARRAY_SAMPLER state1;

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    ivec2 letters = texelFetch(parts, ivec2(place.x, 0), 0).zw;
    int lastRow = (letters.x - 1) / ROWS;
    int lastColumn = (letters.y - 1) / COLUMNS;
#ifdef LOCAL
    ivec3 texel = ivec3(place.x, lastColumn, LAYER);
    fragmentOutput[0] = (lastRow + lastColumn) % 2 == 0 ? texelFetch(state0, texel, 0) : texelFetch(state1, texel, 0);
#else
    if (place.y > lastColumn) discard;
    bool isEven = (lastRow + place.y) % 2 == 0;
#define COPY(l) \
    fragmentOutput[l] = isEven ? texelFetch(state0, ivec3(place, l), 0) : texelFetch(state1, ivec3(place, l), 0);
    COPY(0)
    COPY(1)
#if OUTPUTS == 4
    COPY(2)
    COPY(3)
#endif
#endif
}
