#pragma once

#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/alignment/posterior/third_sequences.hpp"
#include "engine/core/instruction_set.hpp"

namespace glycine::align {

/// One round of the consistency transformation (posterior_engine.hpp), in float32.
PosteriorSet madeConsistent(const PosteriorSet& posteriors, const ConsistencyRound& round,
                            InstructionSet instructions, int threads, Progress& progress);

}  // namespace glycine::align
