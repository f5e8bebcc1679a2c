#pragma once

#include <cstddef>
#include <vector>

#include "engine/bounds/smoothing_engine.hpp"
#include "engine/gl/bounds/strip_products.hpp"
#include "engine/gl/framework/gl_backend.hpp"

/// Variant `blocked`: each pass takes a block of 64 values of k, and each fragment computes several rows
/// through multiple render targets. Upper bounds: Floyd–Warshall in three phases, right of the diagonal only.
/// Lower bounds: with the upper ones known, two max-minus products T = L ⊖ U, L* = T ⊖ U with exact pruning.
/// The second product is symmetric.
namespace glycine::bounds::gl {

/// Side in atoms of the largest square tile that fits the free textures and memory of the device: a multiple
/// of 64, or 0 if none fits.
std::size_t largestTile(glycine::gl::GlBackend& backend);
/// Device bytes that the smallest tile requires.
std::size_t bytesForSmallestTile();

/// Exact pruning of the lower pass. Atom p can raise a lower bound of row i only if l_pq − U_ip exceeds a
/// lower bound of that row, that is, only if U_ip < max_q l_pq − min l. The same thresholds hold for the
/// second product, because T = L ⊖ U has the row maxima of L (U ≥ 0, and U_qq = 0).
///
/// Returns one threshold per column p, rounded up so that a rounded difference can never pass it: row i needs
/// p iff U_ip < threshold. Without pairs of different atoms all thresholds are 0.
template <class T>
std::vector<T> pruningThresholds(MatrixView<const T> lower);

/// Finds the parts of A = `upper` (rows of the product × k) that can matter, by the `thresholds` of k.
template <class T>
ActiveBlocks findActiveBlocks(MatrixView<const T> upper, const T* thresholds, std::size_t rowsPerStrip);

/// Both products of the lower pass on matrices in device memory: takes smoothed upper and raw lower bounds,
/// returns smoothed lower bounds. `active`: the blocks that pruning leaves (null: all).
StripMatrix smoothLowerStrips(StripProducts& products, const StripMatrix& upper, StripMatrix lower,
                              const ActiveBlocks* active, Progress& progress);

/// Smooths matrices of any size: in one piece if they fit, otherwise in tiles held by the host.
template <class T>
SmoothingOutcome smoothBlocked(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                               Progress& progress);

extern template SmoothingOutcome smoothBlocked<float>(glycine::gl::GlBackend&, const BoundMatrices<float>&,
                                                      Progress&);
extern template SmoothingOutcome smoothBlocked<std::int32_t>(glycine::gl::GlBackend&,
                                                             const BoundMatrices<std::int32_t>&, Progress&);

}  // namespace glycine::bounds::gl
