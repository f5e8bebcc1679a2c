// One cell of the recurrences of docs/align.md, in the numbers of LaneNumbers (engine/pairwise/lane_numbers.hpp). Score and
// identities share one integer, and best scores are stored minus an opening. Global alignments are skewed, so that extending a gap
// costs nothing. WIDE: score and identities are separate, for values that do not fit. PACKED: the cells of four pairs.
#ifdef WIDE
#define NUMBER ivec2
NUMBER larger(NUMBER a, NUMBER b) {
    return a.x > b.x || (a.x == b.x && a.y > b.y) ? a : b;
}
#define ONLY_SCORE(score) ivec2(score, 0)
#elif defined(PACKED)
#define NUMBER ivec4
#define larger max
#define ONLY_SCORE(score) ivec4(score)
#elif defined(LEGACY)
#define NUMBER float
#define larger max
#define ONLY_SCORE(score) float(score)
#else
#define NUMBER int
#define larger max
#define ONLY_SCORE(score) (score)
#endif
#ifndef LINEAR
uniform int open;
#endif
#ifdef LOCAL
uniform int extend;
#endif

// `diagonal`, `left` and `above` are the preceding cells. `across` and `gap` hold alignments that end with a gap along the row and
// along the column. LINEAR: gaps have no opening penalty.
NUMBER alignCell(NUMBER diagonal, NUMBER score, NUMBER left, NUMBER above, inout NUMBER across, inout NUMBER gap,
                 inout NUMBER highest) {
    NUMBER cell = diagonal + score;
#ifdef LINEAR
    return larger(cell, larger(left, above));
#else
    across = larger(across, left);
    gap = larger(gap, above);
#ifdef LOCAL
    across -= ONLY_SCORE(extend);
    gap -= ONLY_SCORE(extend);
#endif
    cell = larger(larger(cell, gap), across);
#ifdef LOCAL
    cell = larger(cell, ONLY_SCORE(0));
    highest = larger(highest, cell);
#endif
    return cell - ONLY_SCORE(open);
#endif
}
