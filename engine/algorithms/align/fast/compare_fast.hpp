#pragma once

#include <span>

#include "engine/algorithms/align/alignment.hpp"
#include "engine/core/comparison.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/progress.hpp"

/// Alignments of many sequences beside those of the reference. `pairs`: numbers of some pairs
/// (pairs::pairNumber), for which everything is computed again.
namespace glycine::align {

/// Lengths of common subsequences with these instructions: must be the reference's.
void compareSubsequences(const Sequences& sequences, std::span<const std::size_t> pairs,
                         InstructionSet instructions, Comparison& comparison, Progress& progress);

/// Guide trees must be equal, and what both alignments put together of the posteriors of these pairs within
/// kAccuracyTolerance.
void compareFastAlignments(const Sequences& sequences, const MultipleAlignment& expected,
                           const MultipleAlignment& found, std::span<const std::size_t> pairs,
                           Comparison& comparison, Progress& progress);

}  // namespace glycine::align
