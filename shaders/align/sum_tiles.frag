// One model's sums over alignments in the tiles of one anti-diagonal of tiles of all pairs of a batch: over all alignments that end
// with a pair of letters, or with BACKWARD over all that begin with one. Texel (x, y) of the anti-diagonal is tile row y of pair x.
// For pairs without such a tile, the texel gets a value that nothing reads: this is cheaper than skipping it.
//
// BACKWARD visits the same tiles from last to first, and their rows and columns from the end. The padding letters of the last tiles
// then come first, and edges are counted from the first row and column after them.
//
// ENDS: instead of edges, outputs the pairs of the last row or column (BACKWARD: of the first). From these, both directions find
// the sum over all alignments. Texel (x, y): pair x % pairs, rows first; anti-diagonal 2 y + `turn`.
//
// @dialects gl33 es300 : ROWS=6 KINDS=2 OUTPUTS=8 BACKWARD? NORMALISED?
// @dialects gl33 es300 : ROWS=6 KINDS=1 OUTPUTS=6 BACKWARD? NORMALISED?
// @dialects gl33 es300 : ROWS=1 KINDS=2 OUTPUTS=4 BACKWARD? NORMALISED?
// @dialects gl33 es300 : ROWS=1 KINDS=1 OUTPUTS=3 BACKWARD? NORMALISED?
// @dialects gl33 es300 : ROWS=1|6 KINDS=1|2 OUTPUTS=2 ENDS BACKWARD? NORMALISED?
#include "align/posterior_tile.glsl"
#define EDGES ModelEdges
#if ROWS == 1
#define FOR_COLUMN_TEXELS(F) F(0)
#elif KINDS == 2
#define FOR_COLUMN_TEXELS(F) F(0) F(1) F(2) F(3) F(4)
#else
#define FOR_COLUMN_TEXELS(F) F(0) F(1) F(2) F(3)
#endif
#include "align/posterior_edges.glsl"
#if KINDS == 2
#define ADD_ROW(r) addRow(edges, pair, gaps, NUMBER(edges, ROWS + r), NUMBER(edges, 2 * ROWS + r))
#else
#define ADD_ROW(r) addRow(edges, pair, gaps, NUMBER(edges, ROWS + r))
#endif
uniform MATRIX_ARRAY_SAMPLER last;  // the anti-diagonals before and after this one
uniform ivec2 border;  // borderPlace
uniform vec4 gaps;     // addRow
uniform int layer;     // of the odds
#ifdef ENDS
uniform ivec2 ring;  // slotOrigin
uniform int firstPlace;
uniform int turn;
#else
uniform int diagonal;
uniform ivec2 firstTexel;  // of this anti-diagonal
uniform ivec2 origin;      // of the anti-diagonal that edges come from
#endif

// The exponent of a tile's numbers if all of them are 0.
#define NOTHING -1048576

void main() {
    ivec2 texel = ivec2(gl_FragCoord.xy);
#ifdef ENDS
    int diagonal = 2 * texel.y + turn;
    texel.x -= firstPlace;
    bool isOfColumn = texel.x >= slot.x;
    int place = isOfColumn ? texel.x - slot.x : texel.x;
#else
    texel -= firstTexel;
    int place = texel.x;
#endif
    ivec4 pair4 = texelFetch(pairs, ivec2(place, 0), 0);
    ivec2 lastTile = pair4.zw - 1;
#ifdef ENDS
    ivec2 tile = isOfColumn ? ivec2(diagonal - lastTile.y, lastTile.y) : ivec2(lastTile.x, diagonal - lastTile.x);
#ifdef BACKWARD
    tile = isOfColumn ? ivec2(diagonal, 0) : ivec2(0, diagonal);
#endif
    bool isPresent = tile == clamp(tile, ivec2(0), lastTile);
    tile = clamp(tile, ivec2(0), lastTile);
#else
    ivec2 tile = ivec2(texel.y, diagonal - texel.y);
#endif
#if defined(BACKWARD) || defined(ENDS)
    ivec2 filled = texelFetch(pairs, ivec2(place, 1), 0).xy;
#endif
    int codes = codesOf(pair4.x + tile.x);
    ivec2 oddsBegin = oddsPlace(pair4.y + tile.y);
    ModelEdges edges;
#ifdef BACKWARD
#ifdef ENDS
    ivec2 origin = slotOrigin(diagonal + 1, ring);
#endif
    readEdges(last, placeBelow(place, tile, lastTile, filled, origin, border),
              placeRight(place, tile, lastTile, filled, origin, border), edges);
    vec4 firstFollows = edges.follows;
    edges.follows = vec4(0.0);
    int firstRow = rowWhereItBegins(tile, lastTile, filled);
    vec4 firstColumn = columnWhereItBegins(tile, lastTile, filled);
#define BEGIN_ROW(r) if (firstRow == r) edges.follows = firstFollows;
#define ODDS_OF_ROW(r) ODDS(ROWS - 1 - r).wzyx
#define END_ROW(r) edges.follows = vec4(0.0, next.xyz) + NUMBER(edges, r) * firstColumn;
#else
#ifdef ENDS
    ivec2 origin = slotOrigin(diagonal - 1, ring);
#endif
    readEdges(last, placeAbove(place, tile, origin, border), placeLeft(place, tile, origin, border), edges);
#define BEGIN_ROW(r)
#define ODDS_OF_ROW ODDS
#define END_ROW(r) edges.follows = vec4(NUMBER(edges, r), next.xyz);
#endif
#ifdef ENDS
#ifdef BACKWARD
    int endRow = ROWS - 1;
    vec4 endColumn = vec4(0.0, 0.0, 0.0, 1.0);
#else
    int endRow = ROWS - 1 - filled.x;
    vec4 endColumn = vec4(equal(ivec4(3 - filled.y), ivec4(0, 1, 2, 3)));
#endif
    vec4 ofRow = vec4(0.0);
    float ofColumn[8];
    ofColumn[1] = ofColumn[2] = ofColumn[3] = ofColumn[4] = ofColumn[5] = 0.0;
#define KEEP_ENDS(r) if (endRow == r) ofRow = pair; ofColumn[r] = dot(pair, endColumn);
#else
#define KEEP_ENDS(r)
#endif
#define ROW(r)                                    \
    {                                             \
        BEGIN_ROW(r)                              \
        vec4 pair = ODDS_OF_ROW(r) * edges.follows; \
        KEEP_ENDS(r)                              \
        vec4 next = ADD_ROW(r);                   \
        END_ROW(r)                                \
        NUMBER(edges, r) = next.w;                \
    }
    FOR_ROWS(ROW)
#ifdef ENDS
    fragmentOutput[0] = isOfColumn ? vec4(ofColumn[0], ofColumn[1], ofColumn[2], ofColumn[3]) : ofRow;
    fragmentOutput[1] = vec4(ofColumn[4], ofColumn[5], float(edges.exponent), 0.0);
    if (!isPresent) {
        fragmentOutput[0] = vec4(0.0);
        fragmentOutput[1] = vec4(0.0);
    }
#else
    // The largest number is near 2^60.
    NUMBER(edges, EXPONENT_SLOT(KINDS)) = 0.0;
    ivec4 largest = max(floatBitsToInt(edges.follows), floatBitsToInt(edges.below[0]));
#if KINDS == 2
    largest = max(largest, floatBitsToInt(edges.below[1]));
#endif
#define FIND_LARGEST(i) largest = max(largest, floatBitsToInt(edges.column[i]));
    FOR_COLUMN_TEXELS(FIND_LARGEST)
    largest.xy = max(largest.xy, largest.zw);
    int bits = max(largest.x, largest.y);
    int shift = max((bits >> 23) - (127 + 60), -126);
    float scale = powerOfTwo(-shift);
    fragmentOutput[0] = edges.follows * scale;
    fragmentOutput[1] = edges.below[0] * scale;
#if KINDS == 2
    fragmentOutput[2] = edges.below[1] * scale;
#endif
#define SCALE_COLUMN(i) edges.column[i] *= scale;
    FOR_COLUMN_TEXELS(SCALE_COLUMN)
    NUMBER(edges, EXPONENT_SLOT(KINDS)) = float(bits == 0 ? NOTHING : edges.exponent + shift);
#define WRITE_COLUMN(i) fragmentOutput[KINDS + 1 + i] = edges.column[i];
    FOR_COLUMN_TEXELS(WRITE_COLUMN)
#endif
}
