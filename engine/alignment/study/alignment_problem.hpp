#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/pairwise/study/pairwise_problem.hpp"
#include "engine/study/problem.hpp"
#include "engine/study/published.hpp"
#include "engine/study/study_memory.hpp"
#include "engine/study/subject.hpp"

namespace glycine::align {

/// Whole alignments by ClustalW's or the thesis' method, with the times of "pairs", "guide tree" and
/// "progressive". The pairs run on the backend, by the configuration's variant, and profiles are aligned on
/// its device, where it has one. Checked: distances of all pairs among kCheckedSequences sequences, drawn
/// with `seed`, against the reference; that no residue is lost, computeAlignment makes sure of. Work: cells
/// of all pairs in 10⁹.
std::unique_ptr<study::Problem> alignmentProblem(std::shared_ptr<const pairwise::StudySequences> sequences,
                                                 AlignMethod method, std::uint64_t seed);

/// Alignments by --method fast, with the times of its stages. Concerns the processor's backends alone.
/// Checked, up to kMostForAllPairs sequences: the guide tree is that of the reference; of `checkedPairs`
/// pairs, drawn with `seed`, the longest common subsequences are the reference's, and the alignment puts
/// together about as much of what their posteriors expect as the reference's does. Of more sequences the
/// subsequences alone: the reference would take too long. That no residue is lost, computeAlignment makes
/// sure of.
std::unique_ptr<study::Problem> fastProblem(std::shared_ptr<const pairwise::StudySequences> sequences,
                                            std::size_t checkedPairs, std::uint64_t seed);

/// What such a problem takes of the host's memory.
study::InputBytes bytesOfFast(DataSize size, bool isGenerated);

/// Tables and figures of Khaladkar's thesis.
std::vector<study::PublishedFigure> publishedFigures();

/// `align` by its own method as the study harness sees it.
std::unique_ptr<study::Subject> alignSubject();

}  // namespace glycine::align
