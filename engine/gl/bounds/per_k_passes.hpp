#pragma once

#include "engine/bounds/smoother.hpp"
#include "engine/gl/framework/gl_backend.hpp"

/// The variants of GPU Gems 2, 43.3, that take one pass a k and a matrix: `scalar`, `scalar-shadercoords`,
/// `copy`, `triangle`, `triangle-single`, `triangle-packed`, `packed`, `packed-branch`.
namespace glycine::bounds::gl {

/// Whether a variant keeps both bounds in one texture.
constexpr bool isTriangles(Variant variant) {
    return variant == Variant::Triangle || variant == Variant::TriangleSingle ||
           variant == Variant::TrianglePacked;
}

/// Smooths by 2n passes, upper bounds first. T is float or int32. The whole matrix must fit one texture.
template <class T>
SmootherOutcome smoothByPassesPerK(glycine::gl::GlBackend& backend, const BoundMatrices<T>& matrices,
                                   Variant variant, Progress& progress);

extern template SmootherOutcome smoothByPassesPerK<float>(glycine::gl::GlBackend&,
                                                          const BoundMatrices<float>&, Variant, Progress&);
extern template SmootherOutcome smoothByPassesPerK<std::int32_t>(glycine::gl::GlBackend&,
                                                                 const BoundMatrices<std::int32_t>&, Variant,
                                                                 Progress&);

}  // namespace glycine::bounds::gl
