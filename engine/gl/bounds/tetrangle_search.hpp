#pragma once

#include <cstddef>

#include "engine/bounds/smoothing_engine.hpp"
#include "engine/gl/framework/gl_backend.hpp"

/// Tetrangle limits by fragment passes, one for each atom k and 128 atoms l. Shaders compute
/// in float32: a pass keeps the quadruple of the tightest limit of each pair, and the host evaluates only
/// these, in double precision. So no limit is tighter than that of a quadruple, whatever the device rounds.
/// Where the device promised more than its quadruple gives, the host goes through all quadruples of the pair.
namespace glycine::bounds::gl {

Support supportsTetrangleSearch(glycine::gl::GlBackend& backend, std::size_t atoms);

/// As SmoothingEngine::tetrangleLimits; no bound may exceed 2²⁰ Å.
TetrangleLimits searchTetrangles(glycine::gl::GlBackend& backend, const AnyBoundMatrices& matrices,
                                 Progress& progress);

}  // namespace glycine::bounds::gl
