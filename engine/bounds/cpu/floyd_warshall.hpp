#pragma once

#include "engine/bounds/cpu/min_plus.hpp"
#include "engine/bounds/cpu/symmetric_tiles.hpp"
#include "engine/core/progress.hpp"

namespace glycine::bounds::cpu {

/// Side of the tiles for n atoms, the same on every machine: the float sums, and so the bits, depend on it.
std::size_t tileSideFor(std::size_t atoms);

/// Replaces the upper bounds in `upper` (≥ 0, zero diagonal, padded with kUnknownUpper) by the lengths of the
/// shortest paths: Floyd-Warshall over blocks of k, in three phases (the diagonal tile, the tiles in its row
/// and column, all others), on the tiles on and above the diagonal only. The result does not depend on the
/// number of threads or on the instruction set. Beside `upper` it takes memory for 2 · n · side numbers.
///
/// Source of the three phases: G. Venkataraman, S. Sahni, S. Mukhopadhyaya, "A Blocked All-Pairs
/// Shortest-Paths Algorithm", ACM Journal of Experimental Algorithmics 8 (2003).
///
/// T: float, double or std::int32_t. Throws CancelledError.
template <class T>
void closeUpperBounds(SymmetricTiles<T>& upper, const MinPlusKernel<T>& kernel, int threads,
                      Progress& progress);

}  // namespace glycine::bounds::cpu
