// Finds which posteriors of letter pairs, both models together, are kept in the tiles of one anti-diagonal. The result is a number
// with one bit per pair, four per row, the first row's bits lowest.
//
// LISTED: computes the sums of both models' squares for listed tiles, one row per target.
//
// @dialects gl33 es300 : ROWS=1|6 NORMALISED?
// @dialects gl33 es300 : ROWS=6 OUTPUTS=6 LISTED NORMALISED?
// @dialects gl33 es300 : ROWS=1 OUTPUTS=1 LISTED NORMALISED?
#include "align/posterior_tile.glsl"
#define KINDS 2
#define EDGES FirstEdges
#if ROWS == 1
#define FOR_COLUMN_TEXELS(F) F(0)
#else
#define FOR_COLUMN_TEXELS(F) F(0) F(1) F(2) F(3) F(4)
#endif
#include "align/posterior_edges.glsl"
#undef KINDS
#undef EDGES
#undef FOR_COLUMN_TEXELS
#define KINDS 1
#define EDGES SecondEdges
#if ROWS == 1
#define FOR_COLUMN_TEXELS(F) F(0)
#else
#define FOR_COLUMN_TEXELS(F) F(0) F(1) F(2) F(3)
#endif
#include "align/posterior_edges.glsl"
#undef EDGES

uniform MATRIX_ARRAY_SAMPLER forwardOne;  // edges of the previous anti-diagonal
uniform MATRIX_ARRAY_SAMPLER forwardOther;
uniform MATRIX_ARRAY_SAMPLER backwardOne;  // edges of the next anti-diagonal
uniform MATRIX_ARRAY_SAMPLER backwardOther;
uniform ivec2 forwardBorder;  // borderPlace
uniform ivec2 backwardBorder;
uniform vec4 gapsOne;  // addRow
uniform vec4 gapsOther;
#ifdef LISTED
uniform isampler2D tiles;   // pair, row, column
uniform ivec2 forwardRing;  // slotOrigin
uniform ivec2 backwardRing;
#else
uniform int diagonal;
uniform ivec2 firstTexel;  // of the anti-diagonal
uniform ivec2 before;      // of the anti-diagonals that edges come from
uniform ivec2 behind;
uniform float limit;       // the smallest sum of squares that is kept
#endif

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
#ifdef LISTED
    ivec4 listed = texelFetch(tiles, texel, 0);
    int place = listed.x;
    ivec2 tile = listed.yz;
    int diagonal = tile.x + tile.y;
#else
    texel -= firstTexel;
    int place = texel.x;
    ivec2 tile = ivec2(texel.y, diagonal - texel.y);
#endif
    ivec4 pair4 = texelFetch(pairs, ivec2(place, 0), 0);
    ivec2 lastTile = pair4.zw - 1;
    ivec2 filled = texelFetch(pairs, ivec2(place, 1), 0).xy;
    ivec4 weights = texelFetch(pairs, ivec2(place, 2), 0);
    int codes = codesOf(pair4.x + tile.x);
    ivec2 oddsBegin = oddsPlace(pair4.y + tile.y);
#ifdef LISTED
    ivec2 before = slotOrigin(diagonal - 1, forwardRing);
    ivec2 behind = slotOrigin(diagonal + 1, backwardRing);
#endif
    ivec2 above = placeAbove(place, tile, before, forwardBorder);
    ivec2 left = placeLeft(place, tile, before, forwardBorder);
    ivec2 below = placeBelow(place, tile, lastTile, filled, behind, backwardBorder);
    ivec2 right = placeRight(place, tile, lastTile, filled, behind, backwardBorder);
    int firstRow = rowWhereItBegins(tile, lastTile, filled);
    vec4 firstColumn = columnWhereItBegins(tile, lastTile, filled);
    vec4 squares[ROWS];
#define BEGIN(r) squares[r] = vec4(0.0);
    FOR_ROWS(BEGIN)
#define EDGES FirstEdges
#define LAYER 0
#define FORWARD forwardOne
#define BACKWARD backwardOne
#define WEIGHT weights.xy
#define ADD_ROW(r) addRow(edges, pair, gapsOne, NUMBER(edges, ROWS + r), NUMBER(edges, 2 * ROWS + r))
#include "align/square_posteriors.glsl"
#undef EDGES
#undef LAYER
#undef FORWARD
#undef BACKWARD
#undef WEIGHT
#undef ADD_ROW
#define EDGES SecondEdges
#define LAYER 1
#define FORWARD forwardOther
#define BACKWARD backwardOther
#define WEIGHT weights.zw
#define ADD_ROW(r) addRow(edges, pair, gapsOther, NUMBER(edges, ROWS + r))
#include "align/square_posteriors.glsl"
#ifdef LISTED
#define WRITE(r) fragmentOutput[r] = squares[r];
    FOR_ROWS(WRITE)
#else
    float found = 0.0;
#define FIND(r) found += float(1 << (4 * r)) * dot(vec4(greaterThanEqual(squares[r], vec4(limit))), vec4(1.0, 2.0, 4.0, 8.0));
    FOR_ROWS(FIND)
    fragmentOutput[0] = vec4(found);
#endif
}
