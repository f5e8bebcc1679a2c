// The cells of one anti-diagonal of all pairs of profiles, where gaps cost the extensions of their columns, at the ends too. Texel
// (x, y) is the cell of column y, from 0 (the edge), and row diagonal - y of pass x. Texels without a cell are not changed. The
// numbers of a texel are the best of all paths to the cell, and the moves of its column in 16 anti-diagonals, two bits each, lowest
// first: 0 for both columns, 1 for the first profile's, 2 for the second's. Moves are passed on until the 16 are complete.
//
// @dialects gl33 es300 : FIXED_POINT
#include "align/profile_pass.glsl"
#include "align/profile_costs.glsl"
uniform isampler2D scores;      // of columns of both profiles
uniform isampler2D last;        // the previous diagonal
uniform isampler2D beforeLast;  // the diagonal before that
uniform int diagonal;

const int kMoves = 16;

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int column = place.y;
    int row = diagonal - column;
    ivec4 begin = passNumbers(place.x, 0);
    if (row >= begin.z + kMoves || column > begin.w) discard;
    ivec4 above = texelFetch(last, place, 0);
    int at = diagonal % kMoves;
    int moves = row == 0 || at == 0 ? 0 : above.y;
    int best = 0;
    if (row == 0) {
        best = -costsAt(begin.y + column, 0).z;
    } else if (column == 0) {
        best = -costsAt(begin.x + min(row, begin.z), 0).z;
    } else if (row <= begin.z) {
        int both = texelFetch(beforeLast, ivec2(place.x, column - 1), 0).x +
                   texelFetch(scores, passNumbers(place.x, 1).yx + ivec2(column, row), 0).x;
        int fromFirst = above.x - (costsAt(begin.x + row, 0).y >> 1);
        int fromSecond = texelFetch(last, ivec2(place.x, column - 1), 0).x - (costsAt(begin.y + column, 0).y >> 1);
        best = max(both, max(fromFirst, fromSecond));
        moves |= (best == both ? 0 : best == fromFirst ? 1 : 2) << (2 * at);
    }
    fragmentOutput[0] = ivec4(best, moves, 0, 0);
}
