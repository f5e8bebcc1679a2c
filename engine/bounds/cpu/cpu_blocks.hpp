#pragma once

#include <memory>

#include "engine/bounds/number_format.hpp"
#include "engine/bounds/shared_smoothing.hpp"
#include "engine/core/host_backends.hpp"

namespace glycine::bounds::cpu {

/// A worker whose blocks are the tiles of variant `dense`, on the disk where the memory does not hold them.
/// Throws UnavailableError where that does not even hold panels.
std::unique_ptr<BlockWorker> makeBlockWorker(const WorkerPart& part, int threads,
                                             InstructionSet instructions);

/// For tests: workers have at most so much memory; 0: what there is.
void pretendMemory(std::size_t bytes);

}  // namespace glycine::bounds::cpu
