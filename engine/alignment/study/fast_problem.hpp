#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/pairwise/study/sequence_set.hpp"
#include "engine/study/problem.hpp"
#include "engine/study/study_memory.hpp"

namespace glycine::align {

/// Alignments by --fast, with the times of its stages. Concerns the processor's backends alone. Checked, up
/// to kMostForAllPairs sequences: the guide tree is that of the reference; of `checkedPairs` pairs, drawn
/// with `seed`, the longest common subsequences are the reference's, and the alignment puts together about as
/// much of what their posteriors expect as the reference's does. Of more sequences the subsequences alone:
/// the reference would take too long. That no residue is lost, computeAlignment makes sure of.
std::unique_ptr<study::Problem> fastProblem(std::shared_ptr<const pairwise::StudySequences> sequences,
                                            std::size_t checkedPairs, std::uint64_t seed);

/// What such a problem takes of the host's memory.
study::InputBytes bytesOfFast(DataSize size, bool isGenerated);

}  // namespace glycine::align
