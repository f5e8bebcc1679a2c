#pragma once

#include "engine/bounds/smoother.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::bounds::gl {

/// Variant `triangle` (GPU Gems 2, 43.3.3): upper bounds above the diagonal of one texture, lower bounds
/// below it, three primitives a pass. T is float or int32. The whole matrix must fit one texture.
template <class T>
SmootherOutcome smoothInTriangles(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                                  Progress& progress);

extern template SmootherOutcome smoothInTriangles<float>(glycine::gl::GlBackend&, const BoundMatrices<float>&,
                                                         Progress&);
extern template SmootherOutcome smoothInTriangles<std::int32_t>(glycine::gl::GlBackend&,
                                                                const BoundMatrices<std::int32_t>&,
                                                                Progress&);

}  // namespace glycine::bounds::gl
