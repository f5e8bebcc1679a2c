#pragma once

#include <cstddef>
#include <vector>

#include "engine/bounds/smoother.hpp"
#include "engine/gl/bounds/strip_products.hpp"
#include "engine/gl/framework/gl_backend.hpp"

/// Variant `blocked`: a block of 64 k a pass and several rows a fragment, through multiple render targets.
/// Upper bounds: Floyd–Warshall in three phases, only what lies right of the diagonal. Lower bounds: with the
/// upper ones known, two max-minus products T = L ⊖ U, L* = T ⊖ U with exact pruning, the second one
/// symmetric.
namespace glycine::bounds::gl {

/// Edge of the largest square tile that the device can work on in the textures and the memory that are free,
/// in atoms (a multiple of 64; 0 if none).
std::size_t largestTile(glycine::gl::GlBackend& backend);
/// Bytes of the device that the smallest tile takes.
std::size_t bytesForSmallestTile();

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

/// Both products of the lower pass on matrices that are on the device: smoothed upper bounds and raw lower
/// bounds in, smoothed lower bounds out. `active`: the blocks that pruning leaves (null: all).
StripMatrix smoothLowerStrips(StripProducts& products, const StripMatrix& upper, StripMatrix lower,
                              const ActiveBlocks* active, Progress& progress);

/// Smooths matrices of any size: in one piece when they fit, else in tiles held by the host.
template <class T>
SmootherOutcome smoothBlocked(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                              Progress& progress);

extern template SmootherOutcome smoothBlocked<float>(glycine::gl::GlBackend&, const BoundMatrices<float>&,
                                                     Progress&);
extern template SmootherOutcome smoothBlocked<std::int32_t>(glycine::gl::GlBackend&,
                                                            const BoundMatrices<std::int32_t>&, Progress&);

}  // namespace glycine::bounds::gl
