// The tiles of one anti-diagonal of all passes over profiles, 4 x 4 cells per fragment: Myers and Miller's division with ClustalW's
// gap penalties (engine/alignment/clustal/profile_alignment.cpp; kernels_cuda/alignment/profile_cells.hpp has the same in C++).
// Texel (x, y) is tile column y, from 0, of pass x, in tile row diagonal - y. Texels without a tile are not changed, so that the
// last row of each column of tiles stays until all passes are done. Layers: for the last row of the tile or of the pass, the best
// of all paths, and of paths that end in a gap over rows; for the last column, the best, and that of paths that end in a gap over
// columns.
//
// @dialects gl33 es300 : FIXED_POINT OUTPUTS=4
#include "align/profile_pass.glsl"
#include "align/profile_costs.glsl"
uniform isampler2D scores;           // of columns of both profiles
uniform isampler2DArray last;        // the previous diagonal
uniform isampler2DArray beforeLast;  // the diagonal before that
uniform int diagonal;

const int kSide = 4;

// From the texels of forward costs.
int countsOf(ivec4 column) {
    return column.y & 1;
}
int extension(ivec4 column) {
    return column.y >> 1;
}
// A gap that opens at both columns: over columns of the second profile, or over columns of the first.
int columnOpen(ivec4 first, ivec4 second) {
    return countsOf(first) * (first.x + second.x);
}
int rowOpen(ivec4 first, ivec4 second) {
    return countsOf(second) * (first.x + second.x);
}

// A cell of the first row or column. Forwards, a gap along an edge costs its first extension for every column.
ivec3 forwardEdge(ivec2 corner, int row, int column, int opens) {
    ivec4 first = costsAt(corner.x, 0);
    ivec4 second = costsAt(corner.y, 0);
    ivec4 firstBehind = costsAt(corner.x + 1, 0);
    ivec4 secondBehind = costsAt(corner.y + 1, 0);
    if (row == 0) {
        int best = -columnOpen(first, secondBehind) - column * countsOf(first) * extension(secondBehind);
        return ivec3(best, 0, best - rowOpen(firstBehind, costsAt(corner.y + column, 0)));
    }
    int best = -opens * rowOpen(firstBehind, second) - row * countsOf(second) * extension(firstBehind);
    return ivec3(best, best - columnOpen(costsAt(corner.x + row, 0), secondBehind), best);
}

ivec3 backwardEdge(ivec2 corner, int row, int column, int opens) {
    ivec4 first = costsAt(corner.x, 0);
    ivec4 second = costsAt(corner.y, 0);
    if (row == 0) {
        ivec4 here = costsAt(corner.y - column, 0);
        int best = countsOf(first) * (here.z - second.z) - columnOpen(first, costsAt(corner.y - column + 1, 0));
        return ivec3(best, 0, best - rowOpen(first, here));
    }
    ivec4 here = costsAt(corner.x - row, 0);
    int best = countsOf(second) * (here.z - first.z) - opens * rowOpen(costsAt(corner.x - row + 1, 0), second);
    return ivec3(best, best - columnOpen(here, second), best);
}

ivec3 edge(ivec4 begin, ivec4 how, int row, int column) {
    if (row == 0 && column == 0) return ivec3(0);
    return how.z != 0 ? backwardEdge(begin.xy, row, column, how.w) : forwardEdge(begin.xy, row, column, how.w);
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    ivec2 tile = ivec2(diagonal - place.y, place.y);
    ivec4 begin = passNumbers(place.x, 0);
    ivec2 before = kSide * tile;
    if (before.x >= begin.z || before.y >= begin.w) discard;
    ivec4 how = passNumbers(place.x, 1);
    int isBackward = how.z;
    int direction = 1 - 2 * isBackward;

    // Cells above the tile and to its left; values outside the pass are never used.
    ivec4 aboveBest = texelFetch(last, ivec3(place, 0), 0);
    ivec4 aboveGap = texelFetch(last, ivec3(place, 1), 0);
    ivec2 toTheLeft = ivec2(place.x, max(place.y, 1) - 1);
    ivec4 leftBest = texelFetch(last, ivec3(toTheLeft, 2), 0);
    ivec4 leftGap = texelFetch(last, ivec3(toTheLeft, 3), 0);
    int corner = texelFetch(beforeLast, ivec3(toTheLeft, 0), 0).w;
    if (tile.x == 0) {
        for (int k = 0; k < kSide; ++k) {
            ivec3 cell = edge(begin, how, 0, min(before.y + 1 + k, begin.w));
            aboveBest[k] = cell.x;
            aboveGap[k] = cell.z;
        }
    }
    if (tile.y == 0) {
        for (int k = 0; k < kSide; ++k) {
            ivec3 cell = edge(begin, how, min(before.x + 1 + k, begin.z), 0);
            leftBest[k] = cell.x;
            leftGap[k] = cell.y;
        }
    }
    if (tile.x == 0 || tile.y == 0) corner = edge(begin, how, before.x, before.y).x;

    ivec4 second[kSide];
    for (int k = 0; k < kSide; ++k) second[k] = costsAt(begin.y + direction * min(before.y + 1 + k, begin.w), isBackward);
    for (int r = 0; r < kSide; ++r) {
        int row = before.x + 1 + r;
        if (row <= begin.z) {
            ivec4 first = costsAt(begin.x + direction * row, isBackward);
            int ofFirst = isBackward != 0 ? first.z : first.y;
            int diagonalBest = corner;
            int left = leftBest[r];
            int gap = leftGap[r];
            corner = left;
            for (int k = 0; k < kSide; ++k) {
                int column = before.y + 1 + k;
                int ofSecond = isBackward != 0 ? second[k].z : second[k].y;
                // Backwards, the opening of a gap is charged at its other end, so it moves as the gap grows. Both kinds of gaps.
                ivec2 open = ivec2(first.x + second[k].x);
                ivec2 opened = open;
                if (isBackward != 0) {
                    open = ivec2(first.x + second[k].y, first.y + second[k].x);
                    opened = ivec2(column > 1 ? first.x + second[k].w : open.x, row > 1 ? first.w + second[k].x : open.y);
                }
                ivec2 counts = ivec2(ofFirst, ofSecond) & 1;
                ivec2 gaps = max(ivec2(left, aboveBest[k]) - counts * open, ivec2(gap, aboveGap[k]) + counts * (opened - open)) -
                             counts * (ivec2(ofSecond, ofFirst) >> 1);
                ivec2 score = how.yx + direction * ivec2(min(column, begin.w), row);
                left = max(diagonalBest + texelFetch(scores, score, 0).x, max(gaps.x, gaps.y));
                gap = gaps.x;
                diagonalBest = aboveBest[k];
                aboveBest[k] = left;
                aboveGap[k] = gaps.y;
            }
            leftBest[r] = left;
            leftGap[r] = gap;
        }
    }
    fragmentOutput[0] = aboveBest;
    fragmentOutput[1] = aboveGap;
    fragmentOutput[2] = leftBest;
    fragmentOutput[3] = leftGap;
}
