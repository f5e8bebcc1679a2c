#pragma once

#include "engine/bounds/cpu/dense_smoothing.hpp"

namespace glycine::bounds::cpu {

/// Replaces the upper bounds as closeUpperBounds() does, by Floyd-Warshall that halves rows, columns and k
/// down to single tiles: at each depth it works on a part of the matrix that some cache holds, without
/// knowing its size. Sums are taken in another order than in `dense`, and tiles are updated in place. The
/// result does not depend on the number of threads or on the instruction set. Allocates four tiles per
/// thread.
///
/// Source: J.-S. Park, M. Penner, V. K. Prasanna, "Optimizing Graph Algorithms for Improved Cache
/// Performance", IPDPS 2002; IEEE Transactions on Parallel and Distributed Systems 15 (2004), 769–782
/// (procedure FWR). Of the symmetric matrix only the tiles on and above the diagonal are computed.
///
/// T: float, double or std::int32_t. Throws CancelledError.
template <class T>
void closeUpperBoundsRecursively(SymmetricTiles<T>& upper, const MinPlusKernel<T>& kernel, int threads,
                                 Progress& progress);

}  // namespace glycine::bounds::cpu
