#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/comparison.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/alignment.hpp"

namespace glycine::align {

// How results of the fast method are compared with the reference's. `numbers`: of pairs (pairs::pairNumber).

/// Takes in the lengths of the longest common subsequences of some pairs, which must be equal.
void compareSubsequences(const Sequences& sequences, InstructionSet instructions,
                         const std::vector<std::size_t>& numbers, Comparison& comparison, Progress& progress);

/// Takes in an alignment: its guide tree must be the same, and what it reaches of the accuracy expected of
/// some pairs within kAccuracyTolerance.
void compareFastAlignments(const Sequences& sequences, const MultipleAlignment& expected,
                           const MultipleAlignment& found, const std::vector<std::size_t>& numbers,
                           Comparison& comparison, Progress& progress);

}  // namespace glycine::align
