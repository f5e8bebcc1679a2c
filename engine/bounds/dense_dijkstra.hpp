#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/near_ties.hpp"
#include "engine/core/cancellation.hpp"

namespace glycine::bounds {

inline constexpr std::size_t kNoAtom = std::numeric_limits<std::size_t>::max();

/// What a search from one start, or from several with different head starts, found.
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
    std::vector<std::size_t> open(n);
    for (std::size_t j = 0; j < n; ++j) open[j] = j;
    while (!open.empty()) {
        throwIfCancellationRequested();
        std::size_t nearest = 0;
        for (std::size_t slot = 1; slot < open.size(); ++slot)
            if (tree.distance[open[slot]] < tree.distance[open[nearest]]) nearest = slot;
        const std::size_t k = open[nearest];
        open[nearest] = open.back();
        open.pop_back();
        const T* edges = upper.row(k);
        for (const std::size_t j : open) {
            const Sum candidate = tree.distance[k] + static_cast<Sum>(edges[j]);
            if (candidate < tree.distance[j]) {
                tree.distance[j] = candidate;
                tree.previous[j] = k;
                tree.steps[j] = tree.steps[k] + 1;
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
    for (std::size_t p = 0; p < n; ++p) {
        throwIfCancellationRequested();
        for (std::size_t q = 0; q < n; ++q) {
            const Sum candidate = upperOfRow[p] - static_cast<Sum>(input.lower(p, q));
            if (p != q && candidate < start[q]) {
                start[q] = candidate;
                partner[q] = p;
            }
        }
    }
    return {denseDijkstra<Sum, T>(input.upper, std::move(start)), std::move(partner)};
}

/// What holds all sums of bounds in fixed point exactly, and those of floats with errors far below a float's
/// rounding.
template <class T>
using SumOf = std::conditional_t<std::is_same_v<T, std::int32_t>, std::int64_t, double>;

/// A row of the smoothed bounds, exact.
template <class T>
struct ExactRow {
    std::vector<SumOf<T>> upper;
    std::vector<SumOf<T>> lower;  ///< empty without lower bounds
    /// The most steps of the paths that were found: those of one to an upper bound, and of one from it.
    std::size_t steps = 0;
    /// Å; how far bounds that were rounded to nearest may lie from these (nearTieRounding()).
    double rounding = 0;
};

/// Row i of what smoothing makes of `input`. Where sums were rounded outward, or in fixed point, nothing is
/// rounded to nearest.
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

}  // namespace glycine::bounds
