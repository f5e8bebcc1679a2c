// The same as step_profiles.frag for gaps that cost the extensions that they run over, at the ends as elsewhere, over the whole matrix of
// two profiles. A texel's numbers: the best of all paths to the cell, and of its column the moves of 16 anti-diagonals, two bits each,
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
    ivec4 profiles = passNumbers(place.x, 1);
    ivec4 above = texelFetch(last, place, 0);
    int at = diagonal % kMoves;
    int moves = row == 0 || at == 0 ? 0 : above.y;
    int best = 0;
    if (row == 0) {
        best = -costsAt(profiles.y + column).z;
    } else if (column == 0) {
        best = -costsAt(profiles.x + min(row, begin.z)).z;
    } else if (row <= begin.z) {
        int both = texelFetch(beforeLast, ivec2(place.x, column - 1), 0).x +
                   texelFetch(scores, ivec2(column - 1, passNumbers(place.x, 2).x + row - 1), 0).x;
        int fromFirst = above.x - costsAt(profiles.x + row).y;
        int fromSecond = texelFetch(last, ivec2(place.x, column - 1), 0).x - costsAt(profiles.y + column).y;
        best = max(both, max(fromFirst, fromSecond));
        moves |= (best == both ? 0 : best == fromFirst ? 1 : 2) << (2 * at);
    }
    fragmentOutput[0] = ivec4(best, moves, 0, 0);
}
