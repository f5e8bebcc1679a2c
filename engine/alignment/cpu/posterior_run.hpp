#pragma once

#include <cstddef>
#include <functional>

#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/instruction_set.hpp"

namespace glycine::align::cpu {

/// Which pairs of sequences are wanted; the first one is not shorter. Empty: all.
using PairChoice = std::function<bool(std::size_t first, std::size_t second)>;

/// Posteriors of all pairs that `result` lacks, or of those of them that are wanted, in float32, a pair in
/// each lane of a register. Returns the number of pairs whose sums float32 does not hold, which were computed
/// again in double precision.
std::size_t completePosteriors(const Sequences& sequences, InstructionSet instructions, int threads,
                               PosteriorSet& result, Progress& progress, const PairChoice& isWanted = {});

/// By ascending length (pairwise::placesByLength) a sequence goes with those before it, this many at once.
inline constexpr std::size_t kPosteriorsAtOnce = 16;

}  // namespace glycine::align::cpu
