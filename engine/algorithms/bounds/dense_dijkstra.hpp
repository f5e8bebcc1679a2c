#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "engine/core/matrix.hpp"

namespace glycine::bounds {

inline constexpr std::size_t kNoAtom = std::numeric_limits<std::size_t>::max();

/// What a search from one start, or from several with different head starts, found.
template <class Sum>
struct ShortestPathTree {
    std::vector<Sum> distance;  ///< n values
    std::vector<std::size_t>
        previous;  ///< the atom before this one on its path; kNoAtom where the path starts
};

/// Dijkstra's algorithm on the complete graph whose edge lengths are the n × n `upper` bounds (symmetric, ≥
/// 0): distance_j = min over q of start_q + (length of the shortest path from q to j). The starts may be
/// negative. Sums are taken in `Sum` (double, or std::int64_t for bounds in fixed point). O(n²) time, O(n)
/// memory. Source: E. W. Dijkstra, "A Note on Two Problems in Connexion with Graphs", Numerische Mathematik 1
/// (1959).
template <class Sum, class T>
ShortestPathTree<Sum> denseDijkstra(MatrixView<const T> upper, std::vector<Sum> start) {
    const std::size_t n = upper.rows();
    ShortestPathTree<Sum> tree{std::move(start), std::vector<std::size_t>(n, kNoAtom)};
    std::vector<std::size_t> open(n);
    for (std::size_t j = 0; j < n; ++j) open[j] = j;
    while (!open.empty()) {
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

}  // namespace glycine::bounds
