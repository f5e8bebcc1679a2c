#pragma once

#include <cstddef>
#include <functional>

#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/instruction_set.hpp"

namespace glycine::align::cpu {

/// Selects the pairs to compute; `first` is not shorter than `second`. Empty: all pairs.
using PairChoice = std::function<bool(std::size_t first, std::size_t second)>;

/// Computes the posteriors of all selected pairs that `result` lacks, in float32, one pair per register lane.
/// Returns the number of pairs whose sums exceed the range of float32; they are computed again in double
/// precision.
std::size_t completePosteriors(const Sequences& sequences, InstructionSet instructions, int threads,
                               PosteriorSet& result, Progress& progress, const PairChoice& isWanted = {});

/// The most pairs of one sequence that are computed at once. A sequence is paired with those before it in
/// ascending order of length (pairwise::placesByLength).
inline constexpr std::size_t kPosteriorsAtOnce = 16;

}  // namespace glycine::align::cpu
