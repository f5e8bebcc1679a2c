#pragma once

#include <cstddef>

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

/// Both products of the lower pass on matrices that are on the device: smoothed upper bounds and raw lower
/// bounds in, smoothed lower bounds out. `active`: the blocks that pruning leaves (null: all).
StripMatrix smoothLowerStrips(StripProducts& products, const StripMatrix& upper, StripMatrix lower,
                              const ActiveBlocks* active, Progress& progress);

/// Smooths matrices of any size: in one piece when they fit, else in tiles held by the host.
template <class T>
SmootherOutcome smoothBlocked(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                              Progress& progress);

/// The part that works in tiles of at most `tile` atoms (see largestTile).
template <class T>
void smoothInTiles(glycine::gl::GlBackend& backend, StripProducts& products, const BoundMatrices<T>& matrices,
                   std::size_t tile, SmootherOutcome& outcome, Progress& progress);

extern template SmootherOutcome smoothBlocked<float>(glycine::gl::GlBackend&, const BoundMatrices<float>&,
                                                     Progress&);
extern template SmootherOutcome smoothBlocked<std::int32_t>(glycine::gl::GlBackend&,
                                                            const BoundMatrices<std::int32_t>&, Progress&);

}  // namespace glycine::bounds::gl
