#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/bounds/bounds.hpp"
#include "engine/core/cancellation.hpp"

/// Exact rows of smoothed bounds by independent searches, and how far a result may differ from them.
namespace glycine::bounds {

// ---- Shortest paths

inline constexpr std::size_t kNoAtom = std::numeric_limits<std::size_t>::max();

/// Result of a search from one start, or from several starts with different initial distances.
template <class Sum>
struct ShortestPathTree {
    std::vector<Sum> distance;  ///< n values
    std::vector<std::size_t>
        previous;  ///< the atom before this one on its path; kNoAtom where the path starts
    std::vector<std::uint32_t> steps;  ///< edges of its path

    /// Edges of the longest path.
    std::uint32_t longest() const { return *std::max_element(steps.begin(), steps.end()); }
};

/// Dijkstra's algorithm on the complete graph whose edge lengths are the n × n `upper` bounds (symmetric, ≥
/// 0): distance_j = min over q of start_q + (length of the shortest path from q to j). The starts may be
/// negative. Sums are taken in `Sum` (double, or std::int64_t for bounds in fixed point). O(n²) time, O(n)
/// memory. Throws CancelledError once a signal has come. Source: E. W. Dijkstra, "A Note on Two Problems in
/// Connexion with Graphs", Numerische Mathematik 1 (1959).
template <class Sum, class T>
ShortestPathTree<Sum> denseDijkstra(MatrixView<const T> upper, std::vector<Sum> start) {
    const std::size_t n = upper.rows();
    ShortestPathTree<Sum> tree{std::move(start), std::vector<std::size_t>(n, kNoAtom),
                               std::vector<std::uint32_t>(n, 0)};
    // The atoms whose distance may still shrink, and their distances side by side: one pass over them takes
    // the steps from the nearest atom and finds the next one.
    std::vector<std::uint32_t> open(n);
    for (std::size_t j = 0; j < n; ++j) open[j] = static_cast<std::uint32_t>(j);
    std::vector<Sum> distance(tree.distance);
    auto nearest =
        static_cast<std::size_t>(std::min_element(distance.begin(), distance.end()) - distance.begin());
    while (!open.empty()) {
        throwIfCancellationRequested();
        const std::size_t k = open[nearest];
        const Sum reached = tree.distance[k] = distance[nearest];
        open[nearest] = open.back();
        distance[nearest] = distance.back();
        open.pop_back();
        distance.pop_back();
        const T* const edges = upper.row(k);
        nearest = 0;
        Sum least = std::numeric_limits<Sum>::max();
        for (std::size_t slot = 0; slot < open.size(); ++slot) {
            const std::size_t j = open[slot];
            const Sum candidate = reached + static_cast<Sum>(edges[j]);
            if (candidate < distance[slot]) {
                distance[slot] = candidate;
                tree.previous[j] = k;
                tree.steps[j] = tree.steps[k] + 1;
            }
            if (distance[slot] < least) {
                least = distance[slot];
                nearest = slot;
            }
        }
    }
    return tree;
}

/// The search from the single atom `source`. The direct edge is a path, so every atom is reached.
template <class Sum, class T>
ShortestPathTree<Sum> denseDijkstra(MatrixView<const T> upper, std::size_t source) {
    // Half of the range, so that an edge can be added to it.
    std::vector<Sum> start(upper.rows(), std::numeric_limits<Sum>::max() / 2);
    start[source] = 0;
    return denseDijkstra<Sum, T>(upper, std::move(start));
}

/// Calls look(atom) for all atoms, on all threads.
void forEachAtom(std::size_t atoms, const std::function<void(std::size_t)>& look);

/// The second search of a row, for its lower bounds: `distance` is −L_ij of all j ≠ i.
template <class Sum>
struct LowerSearch : ShortestPathTree<Sum> {
    std::vector<std::size_t> partner;  ///< the p of l_pq, for each q where a path may start
};

/// L_ij = max over p ≠ q of l_pq − U_ip − U_qj, with `upperOfRow` = U_i·: a search from all q, whose starts
/// are the least U_ip − l_pq.
template <class Sum, class T>
LowerSearch<Sum> searchLower(const BoundMatrices<T>& input, const std::vector<Sum>& upperOfRow) {
    const std::size_t n = input.atoms();
    std::vector<Sum> start(n, std::numeric_limits<Sum>::max() / 2);
    std::vector<std::size_t> partner(n, kNoAtom);
    forEachAtom(n, [&](std::size_t q) {
        throwIfCancellationRequested();
        const T* const lower = input.lower.row(q);
        Sum least = start[q];
        const auto lookAt = [&](std::size_t begin, std::size_t end) {
            for (std::size_t p = begin; p < end; ++p) {
                const Sum candidate = upperOfRow[p] - static_cast<Sum>(lower[p]);
                if (candidate < least) {
                    least = candidate;
                    partner[q] = p;
                }
            }
        };
        lookAt(0, q);
        lookAt(q + 1, n);
        start[q] = least;
    });
    return {denseDijkstra<Sum, T>(input.upper, std::move(start)), std::move(partner)};
}

/// Å; how far the smoothed bounds of row `i` may lie from the exact ones, and from one another, where every
/// sum and difference of floats was rounded to the nearest number, in any order: pathRoundingBound() of the
/// most sums that any backend may have taken. `upper` is what denseDijkstra() finds from i, `negatedLower`
/// the distances of searchLower(), empty without lower bounds. O(n²) time, O(n) memory. T: float or double.
///
/// An upper bound F of (i, j) is a walk from i to j, its edges added up in some order, each sum rounded by a
/// share of u = ε/2 at most. It is not above the exact path of s sums added up likewise, F ≤ D (1 + u)ˢ,
/// where D is the exact distance. But it may be another walk, with more sums: how far may it lie below D?
///
///  1. Call a step a rise when it ends at a larger exact distance from i than all atoms before it had. A
///     rounded sum grows with its operands, so F is at least the same sums with 0 in place of all edges
///     but those of the R rises. Sums with 0 are exact. So F ≥ Σe (1 − u)ᴿ⁻¹, Σ over the rises.
///  2. A rise over edge e from atom x to y, where the largest distance so far is that of r, has
///     e ≥ D_y − D_x ≥ D_y − D_r. So Σe ≥ D, and F ≥ D (1 − u)ᴿ⁻¹, whatever lies between the rises: steps
///     among atoms in one place, or so close that sums round them away, do not count.
///  3. With F ≤ D (1 + u)ˢ, Σe ≤ D + τ, where τ = (s + R − 1) u D, and every rise is nearly a tie:
///     D_r + e ≤ D_y + τ, hence D_r ≤ D_x + τ.
///
/// So atoms are visited by ascending distance, and each y gets the largest number of rises of a walk that
/// ends there: one more than the largest count among the atoms r with D_x ≤ D_r ≤ D_x + τ, D_r < D_y, of any
/// x with D_x < D_y and D_x + e ≤ D_y + τ.
///
/// A lower bound of (i, j) is a lower bound l_pq less the edges of two walks, i to p and q to j. The
/// distances of searchLower() are to the walk from q what D is to that from i, and D_p − l_pq ≥ −L_q is one
/// more place to lose up to τ. So it is too large by R u l at most, R the rises of both walks, each a
/// difference or sum.
///
/// τ grows with R. A first pass assumes 2 (n − 1) rises, the maximum; a second pass assumes the number that
/// the first one found, which is also an upper bound. τ is doubled, because distances of float64 bounds are
/// rounded like the results.
template <class T>
double nearTieRounding(const BoundMatrices<T>& input, std::size_t i, const std::vector<double>& upper,
                       const std::vector<double>& negatedLower);

// ---- Exact rows

/// A type that holds sums of fixed-point bounds exactly, and sums of floats with errors far below a float's
/// rounding.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, std::int32_t>, std::int64_t, double>;

/// A row of the smoothed bounds, exact.
template <class T>
struct ExactRow {
    std::vector<SumOf<T>> upper;
    std::vector<SumOf<T>> lower;  ///< empty without lower bounds
    /// The largest number of steps of the paths found: the longest path to an upper bound plus the longest
    /// one of the search for lower bounds.
    std::size_t steps = 0;
    /// Å; how far bounds that were rounded to nearest may lie from these (nearTieRounding()).
    double rounding = 0;
};

/// Row i of the smoothed `input`. With outward rounding or fixed point, no sum is rounded to nearest.
template <class T>
ExactRow<T> smoothRow(const BoundMatrices<T>& input, std::size_t i, Rounding rounding) {
    ShortestPathTree<SumOf<T>> upper = denseDijkstra<SumOf<T>, T>(input.upper, i);
    ExactRow<T> row{std::move(upper.distance), {}, upper.longest()};
    if (input.hasLower()) {
        LowerSearch<SumOf<T>> lower = searchLower(input, row.upper);
        row.steps += lower.longest();
        row.lower = std::move(lower.distance);
    }
    if constexpr (std::is_floating_point_v<T>)
        if (rounding == Rounding::Nearest) row.rounding = nearTieRounding(input, i, row.upper, row.lower);
    if (!input.hasLower()) return row;
    for (SumOf<T>& bound : row.lower) bound = -bound;
    row.lower[i] = 0;
    return row;
}

/// Called for each element (row, column), column ≠ row: "upper" or "lower", the number found and the exact
/// one in Å, infinite where there is no bound, and how far they may lie apart.
using RowComparison = std::function<void(std::string_view kind, std::size_t column, double found,
                                         double expected, double allowed)>;

/// Compares rows of `smoothed`, computed elsewhere, with what smoothRow() makes of the unsmoothed `input`
/// alone.
class ExactRows {
  public:
    /// `step`: SmoothingReport::step of the run.
    ExactRows(const AnyBoundMatrices& input, const AnyBoundMatrices& smoothed, double step);

    /// Where the input was rounded outward to multiples of the step, a bound may be off by one of them for
    /// each bound on its exact path (outward.hpp). Else by nearTieRounding(). Fixed point is exact. O(n²).
    void compare(std::size_t row, const RowComparison& compare) const;

    /// Compares element (row, column) with the value that the bounds next to it imply. Exactly the smoothed
    /// bounds satisfy U_ij = min over k ≠ j of U_ik + u_kj and L_ij = max over k ≠ j of L_ik − U_kj, or equal
    /// the input. Finds a wrong element in a correct row; a row that is wrong as a whole shows in its first
    /// elements. The allowed rounding grows with the number of atoms. Input and
    /// result may be one memory, see SmoothingOptions::keepInput. O(n).
    void compareElement(std::size_t row, std::size_t column, const RowComparison& compare) const;

  private:
    AnyBoundMatrices input_;
    AnyBoundMatrices smoothed_;
    double step_;
};

/// Å; the largest ExactRow::rounding of all rows of what smoothing makes of `input`. O(n³), rows in parallel.
/// Throws CancelledError.
double roundingOfAllRows(const AnyBoundMatrices& input, Progress& progress);

/// Estimated seconds to compare a row; `step` as above.
double secondsForExactRow(std::size_t atoms, double step);
/// Estimated seconds to compare an element.
double secondsForExactElement(std::size_t atoms);

}  // namespace glycine::bounds
