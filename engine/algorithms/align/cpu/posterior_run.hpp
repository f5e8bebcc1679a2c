#pragma once

#include <cstddef>

#include "engine/algorithms/align/posterior/posteriors.hpp"
#include "engine/core/instruction_set.hpp"

namespace glycine::align::cpu {

/// Posteriors of all pairs that `result` lacks in float32, a pair in each lane of a register. Returns the
/// number of pairs whose sums float32 does not hold, which were computed again in double precision.
std::size_t completePosteriors(const Sequences& sequences, InstructionSet instructions, int threads,
                               PosteriorSet& result, Progress& progress);

}  // namespace glycine::align::cpu
