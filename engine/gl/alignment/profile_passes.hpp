#pragma once

#include <memory>

#include "engine/alignment/clustal/profile_paths.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::align::gl {

/// Sweeps over profiles by fragments of 4 × 4 cells, or of one cell in the linear scheme. Each draw covers an
/// anti-diagonal of all passes of a level. The backend must outlive the passes.
std::unique_ptr<clustalw::ProfilePasses> profilePassesOn(glycine::gl::GlBackend& backend);

}  // namespace glycine::align::gl
