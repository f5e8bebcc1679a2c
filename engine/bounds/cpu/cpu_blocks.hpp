#pragma once

#include <memory>

#include "engine/bounds/number_format.hpp"
#include "engine/bounds/shared_smoothing.hpp"
#include "engine/core/host_backends.hpp"

namespace glycine::bounds::cpu {

/// A worker whose blocks are the tiles of variant `dense`. Throws UnavailableError where there is no memory
/// for its own.
std::unique_ptr<BlockWorker> makeBlockWorker(const WorkerPart& part, int threads,
                                             InstructionSet instructions);

}  // namespace glycine::bounds::cpu
