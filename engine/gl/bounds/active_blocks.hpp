#pragma once

#include <vector>

#include "engine/gl/bounds/strip_products.hpp"

namespace glycine::bounds::gl {

/// Exact pruning of the lower pass. Atom p can raise a lower bound of row i only if l_pq − U_ip exceeds a
/// lower bound that row i has already, so only if U_ip < max_q l_pq − min l. The same thresholds hold for the
/// second product, because the row maxima of T = L ⊖ U are those of L (U ≥ 0, and U_qq = 0).
///
/// Returns one threshold a column p, rounded up so that a rounded difference can never pass it: p is needed
/// for row i iff U_ip < threshold. Without pairs of different atoms all thresholds are 0.
template <class T>
std::vector<T> pruningThresholds(MatrixView<const T> lower);

/// The parts of A = `upper` (rows of the product × k) that can matter, by `thresholds` of the k.
template <class T>
ActiveBlocks findActiveBlocks(MatrixView<const T> upper, const T* thresholds, std::size_t rowsPerStrip);

}  // namespace glycine::bounds::gl
