#pragma once

#include <memory>

#include "engine/bounds/shared_smoothing.hpp"
#include "engine/gl/framework/gl_backend.hpp"

namespace glycine::bounds::gl {

/// A worker whose blocks lie in textures, in blocks of 64 atoms. Throws UnavailableError where they do not
/// fit the textures or the memory.
std::unique_ptr<BlockWorker> makeBlockWorker(const WorkerPart& part, glycine::gl::GlBackend& backend);

}  // namespace glycine::bounds::gl
