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
/// "progressive". The pairs run on the backend with the configuration's variant; profiles are aligned on its
/// device, if it has one. The check compares the distances of all pairs among kCheckedSequences sequences,
/// drawn with `seed`, with the reference. computeAlignment itself ensures that no residue is lost. Work:
/// cells of all pairs in 10⁹.
std::unique_ptr<study::Problem> alignmentProblem(std::shared_ptr<const pairwise::StudySequences> sequences,
                                                 AlignMethod method, std::uint64_t seed);

/// Alignments by --method fast, with the times of its stages; only for the processor's backends. Up to
/// kMaxForAllPairs sequences, the check requires the reference's guide tree. For `checkedPairs` pairs, drawn
/// with `seed`, the longest common subsequences must equal the reference's. The alignment must also reach
/// about the same share of the accuracy expected by their posteriors as the reference's does. With more
/// sequences, only the subsequences are checked, because the reference would take too long. computeAlignment
/// itself ensures that no residue is lost.
std::unique_ptr<study::Problem> fastProblem(std::shared_ptr<const pairwise::StudySequences> sequences,
                                            std::size_t checkedPairs, std::uint64_t seed);

/// Host memory that such a problem needs.
study::InputBytes bytesOfFast(DataSize size, bool isGenerated);

/// Tables and figures of Khaladkar's thesis.
std::vector<study::PublishedFigure> publishedFigures();

/// The `align` algorithm, with the methods' default, as the study harness sees it.
std::unique_ptr<study::Subject> alignSubject();

}  // namespace glycine::align
