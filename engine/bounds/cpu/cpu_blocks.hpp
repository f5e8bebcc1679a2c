#pragma once

#include <memory>

#include "engine/bounds/number_format.hpp"
#include "engine/bounds/shared_smoothing.hpp"
#include "engine/core/host_backends.hpp"

namespace glycine::bounds::cpu {

/// Worker `self` of those that share the matrices, with the tiles of variant `dense` for blocks. Throws
/// UnavailableError where there is no memory for its own.
std::unique_ptr<BlockWorker> makeBlockWorker(NumberFormat format, const BlockLayout& layout, std::size_t self,
                                             bool withLower, int threads, InstructionSet instructions);

}  // namespace glycine::bounds::cpu
