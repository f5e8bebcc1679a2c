// The cells of one anti-diagonal of all pairs of profiles, where gaps cost the extensions that they run over, at the ends as elsewhere.
// Texel (x, y) is the cell of column y, from 0 (the edge), and row diagonal - y of pass x; what has no such cell keeps what is there. Its numbers: the best of all paths to the cell, and of its column the moves of 16 anti-diagonals, two bits each,
// from the lowest on: 0 both columns, 1 the first profile's, 2 the second's. They are handed on until those 16 are done.
//
// @dialects gl33 es300 : FIXED_POINT
#include "align/profile_pass.glsl"
#include "align/profile_costs.glsl"
uniform isampler2D scores;      // of columns of both profiles
uniform isampler2D last;        // the diagonal before this one
uniform isampler2D beforeLast;  // and the one before that
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
