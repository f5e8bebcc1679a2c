// The cells of one anti-diagonal of all passes over profiles: Myers and Miller's division with the gap penalties of ClustalW
// (engine/algorithms/align/clustalw/profile_alignment.cpp; kernels_cuda/align/profile_cells.hpp has the same in C++). Texel (x, y) is the
// cell of column y of pass x, from 0 (the edge), and row diagonal - y; what has no such cell keeps what is there, so that the last cell
// of each column lasts until all are done. Its numbers: the best of all paths, of those that end in a gap over columns, and in one over
// rows.
//
// @dialects gl33 es300 : FIXED_POINT
#include "align/profile_pass.glsl"
#include "align/profile_costs.glsl"
uniform isampler2D scores;      // of columns of both profiles
uniform isampler2D last;        // the diagonal before this one
uniform isampler2D beforeLast;  // and the one before that
uniform int diagonal;

// Of texels of costs forwards.
int counts(ivec4 column) {
    return column.y & 1;
}
int extension(ivec4 column) {
    return column.y >> 1;
}
// A gap that opens beside both columns: over columns of the second profile, or over those of the first one.
int columnOpen(ivec4 first, ivec4 second) {
    return counts(first) * (first.x + second.x);
}
int rowOpen(ivec4 first, ivec4 second) {
    return counts(second) * (first.x + second.x);
}

// A cell of the first row or column. Forwards a gap along an edge goes on by its first extension.
ivec3 forwardEdge(ivec2 corner, int row, int column, int opens) {
    ivec4 first = costsAt(corner.x, 0);
    ivec4 second = costsAt(corner.y, 0);
    ivec4 firstBehind = costsAt(corner.x + 1, 0);
    ivec4 secondBehind = costsAt(corner.y + 1, 0);
    if (row == 0) {
        int best = -columnOpen(first, secondBehind) - column * counts(first) * extension(secondBehind);
        return ivec3(best, 0, best - rowOpen(firstBehind, costsAt(corner.y + column, 0)));
    }
    int best = -opens * rowOpen(firstBehind, second) - row * counts(second) * extension(firstBehind);
    return ivec3(best, best - columnOpen(costsAt(corner.x + row, 0), secondBehind), best);
}

ivec3 backwardEdge(ivec2 corner, int row, int column, int opens) {
    ivec4 first = costsAt(corner.x, 0);
    ivec4 second = costsAt(corner.y, 0);
    if (row == 0) {
        ivec4 here = costsAt(corner.y - column, 0);
        int best = counts(first) * (here.z - second.z) - columnOpen(first, costsAt(corner.y - column + 1, 0));
        return ivec3(best, 0, best - rowOpen(first, here));
    }
    ivec4 here = costsAt(corner.x - row, 0);
    int best = counts(second) * (here.z - first.z) - opens * rowOpen(costsAt(corner.x - row + 1, 0), second);
    return ivec3(best, best - columnOpen(here, second), best);
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int column = place.y;
    int row = diagonal - column;
    ivec4 begin = passNumbers(place.x, 0);
    if (row > begin.z || column > begin.w) discard;
    ivec4 how = passNumbers(place.x, 1);
    int isBackward = how.z;
    ivec3 cell = ivec3(0);
    if (diagonal > 0 && (row == 0 || column == 0)) {
        cell = isBackward != 0 ? backwardEdge(begin.xy, row, column, how.w) : forwardEdge(begin.xy, row, column, how.w);
    } else if (diagonal > 0) {
        ivec2 steps = (1 - 2 * isBackward) * ivec2(row, column);
        ivec4 first = costsAt(begin.x + steps.x, isBackward);
        ivec4 second = costsAt(begin.y + steps.y, isBackward);
        ivec2 inside = ivec2(isBackward != 0 ? first.z : first.y, isBackward != 0 ? second.z : second.y);
        // Backwards, what opens a gap stands at its other end and moves along with it.
        ivec2 open = ivec2(first.x + second.x);
        ivec2 opened = open;
        if (isBackward != 0) {
            open = ivec2(first.x + second.y, first.y + second.x);
            opened = ivec2(column > 1 ? first.x + second.w : open.x, row > 1 ? first.w + second.x : open.y);
        }
        ivec2 countsHere = inside & 1;
        ivec4 left = texelFetch(last, ivec2(place.x, column - 1), 0);
        ivec4 above = texelFetch(last, place, 0);
        int score = texelFetch(scores, how.yx + steps.yx, 0).x;
        ivec2 gaps = max(ivec2(left.x, above.x) - countsHere * open, ivec2(left.y, above.z) + countsHere * (opened - open)) -
                     countsHere * (inside.yx >> 1);
        int both = texelFetch(beforeLast, ivec2(place.x, column - 1), 0).x + score;
        cell = ivec3(max(max(both, gaps.x), gaps.y), gaps);
    }
    fragmentOutput[0] = ivec4(cell, 0);
}
