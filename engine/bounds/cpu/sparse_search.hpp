#pragma once

#include <cstddef>

#include "engine/bounds/cpu/min_plus.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"

namespace glycine::bounds::cpu {

/// Number of known upper bounds. Files give unknown pairs one default (the molecule's diameter, or
/// "unknown"), which is the largest bound of the matrix. A path over an edge of that length is no shorter
/// than the edge between its ends, so a search follows only smaller bounds, which are the known ones.
template <class T>
struct KnownBounds {
    T cap = 0;              ///< the largest upper bound, i ≠ j
    std::size_t edges = 0;  ///< number of (i, j), i ≠ j, both ways, with an upper bound below `cap`
    /// edges / (n² − n), 0 … 1.
    double density(std::size_t atoms) const;
};
template <class T>
KnownBounds<T> findKnownBounds(MatrixView<const T> upper, int threads);

/// Whether smoothUpperBoundsSparse() is expected to be faster than closeUpperBounds(), which takes the same
/// time for any bounds. The limits were measured; see the definition.
bool isSparseFaster(std::size_t atoms, double density);

/// Replaces upper bounds (symmetric, ≥ 0, zero diagonal) by min(cap, length of the shortest path over known
/// bounds): exactly the shortest paths over all bounds. From kSearchSources atoms at a time, nodes are taken
/// from a priority queue as in Dijkstra's algorithm; one whose distance from a later source improves
/// afterwards is taken again. Distances at the end are the same whatever the order. In float formats, entry
/// (i, j), i < j, is summed from i to j. Memory: 8 or 12 bytes a known bound, and a little for each thread.
/// `isAboveAlone`: leaves what is below the diagonal as it was.
///
/// T: float, double or std::int32_t. Throws CancelledError; `upper` is then partly smoothed.
template <class T>
void smoothUpperBoundsSparse(MatrixView<T> upper, const KnownBounds<T>& known, const MinPlusKernel<T>& kernel,
                             int threads, Progress& progress, bool isAboveAlone = false);

}  // namespace glycine::bounds::cpu
