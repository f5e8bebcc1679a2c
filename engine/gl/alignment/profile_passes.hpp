#pragma once

#include <memory>

#include "engine/alignment/clustal/profile_paths.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::align::gl {

/// Passes over profiles by fragments, 4 × 4 cells each: an anti-diagonal of all passes of a level a draw; by
/// the linear scheme a cell each. The backend outlives them.
std::unique_ptr<clustalw::ProfilePasses> profilePassesOn(glycine::gl::GlBackend& backend);

}  // namespace glycine::align::gl
