#pragma once

#include <cstddef>
#include <memory>

#include "engine/algorithms/align/clustalw/profile_paths.hpp"
#include "engine/gl/gl_backend.hpp"

namespace glycine::align::gl {

/// Passes over profiles by fragments, a cell each: an anti-diagonal of all passes of a level a draw. The
/// backend outlives them.
std::unique_ptr<clustalw::ProfilePasses> profilePassesOn(glycine::gl::GlBackend& backend);

}  // namespace glycine::align::gl
