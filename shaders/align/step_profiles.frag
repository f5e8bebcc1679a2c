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

ivec4 profiles = ivec4(0);  // the pass' second texel

ivec3 ofFirst(int i) {
    return costsAt(profiles.x + i);
}
ivec3 ofSecond(int j) {
    return costsAt(profiles.y + j);
}
// Beside the ends of a profile gaps over the other one's columns cost nothing: 0, else 1.
int columnGapCounts(int i) {
    return i == 0 || i == profiles.z ? 0 : 1;
}
int rowGapCounts(int j) {
    return j == 0 || j == profiles.w ? 0 : 1;
}
int columnOpen(int i, int j) {
    return columnGapCounts(i) * (ofFirst(i).x + ofSecond(j).x);
}
int rowOpen(int i, int j) {
    return rowGapCounts(j) * (ofFirst(i).x + ofSecond(j).x);
}

// Forwards a gap along an edge goes on by its first extension.
ivec3 forwardEdge(ivec2 corner, int row, int column, int opens) {
    int i = corner.x;
    int j = corner.y;
    ivec3 cell = ivec3(0);
    if (row == 0 && column > 0) {
        cell.x = -columnOpen(i, j + 1) - column * columnGapCounts(i) * ofSecond(j + 1).y;
        cell.z = cell.x - rowOpen(i + 1, j + column);
    } else if (row > 0) {
        cell.x = -opens * rowOpen(i + 1, j) - row * rowGapCounts(j) * ofFirst(i + 1).y;
        cell.y = cell.x - columnOpen(i + row, j + 1);
    }
    return cell;
}

ivec3 backwardEdge(ivec2 corner, int row, int column, int opens) {
    int i = corner.x;
    int j = corner.y;
    ivec3 cell = ivec3(0);
    if (row == 0 && column > 0) {
        cell.x = columnGapCounts(i) * (ofSecond(j - column).z - ofSecond(j).z) - columnOpen(i, j - column + 1);
        cell.z = cell.x - rowOpen(i, j - column);
    } else if (row > 0) {
        cell.x = rowGapCounts(j) * (ofFirst(i - row).z - ofFirst(i).z) - opens * rowOpen(i - row + 1, j);
        cell.y = cell.x - columnOpen(i - row, j);
    }
    return cell;
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy);
    int column = place.y;
    int row = diagonal - column;
    ivec4 begin = passNumbers(place.x, 0);
    if (row > begin.z || column > begin.w) discard;
    profiles = passNumbers(place.x, 1);
    ivec4 how = passNumbers(place.x, 2);
    bool isBackward = how.y != 0;
    ivec3 cell;
    if (row == 0 || column == 0) {
        cell = isBackward ? backwardEdge(begin.xy, row, column, how.z) : forwardEdge(begin.xy, row, column, how.z);
        // The path along the edge has a gap over rows at its end.
        if (column == 0) cell.z = cell.x;
    } else {
        // Of the scored columns, of those whose gaps begin here, and, backwards, of those whose gaps moved here: what opens a gap
        // stands at its other end and moves along with it.
        ivec2 scored = begin.xy + ivec2(row, column);
        ivec2 counts;
        ivec2 open;
        ivec2 opened;
        ivec2 extend;
        if (isBackward) {
            ivec2 here = begin.xy - ivec2(row, column);
            scored = here + 1;
            ivec2 rows = ivec2(ofFirst(here.x).x, ofFirst(row > 1 ? here.x + 2 : here.x + 1).x);
            ivec2 columns = ivec2(ofSecond(here.y).x, ofSecond(column > 1 ? here.y + 2 : here.y + 1).x);
            ivec3 rowBehind = ofFirst(here.x + 1);
            ivec3 columnBehind = ofSecond(here.y + 1);
            counts = ivec2(columnGapCounts(here.x), rowGapCounts(here.y));
            open = ivec2(rows.x + columnBehind.x, rowBehind.x + columns.x);
            opened = ivec2(rows.x + columns.y, rows.y + columns.x);
            extend = ivec2(columnBehind.y, rowBehind.y);
        } else {
            ivec3 first = ofFirst(scored.x);
            ivec3 second = ofSecond(scored.y);
            counts = ivec2(columnGapCounts(scored.x), rowGapCounts(scored.y));
            open = ivec2(first.x + second.x);
            opened = open;
            extend = ivec2(second.y, first.y);
        }
        ivec4 left = texelFetch(last, ivec2(place.x, column - 1), 0);
        ivec4 above = texelFetch(last, place, 0);
        int score = texelFetch(scores, ivec2(scored.y - 1, how.x + scored.x - 1), 0).x;
        ivec2 gaps = max(ivec2(left.x, above.x) - counts * open, ivec2(left.y, above.z) + counts * (opened - open)) - counts * extend;
        int both = texelFetch(beforeLast, ivec2(place.x, column - 1), 0).x + score;
        cell = ivec3(max(max(both, gaps.x), gaps.y), gaps);
    }
    fragmentOutput[0] = ivec4(cell, 0);
}
