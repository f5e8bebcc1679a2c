#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/pairwise/study/sequence_set.hpp"
#include "engine/study/problem.hpp"
#include "engine/study/published.hpp"

namespace glycine::align {

/// Whole alignments by ClustalW's or the thesis' method, with the times of "pairs", "guide tree" and
/// "progressive". The pairs run on the backend, by the configuration's variant, and profiles are aligned on
/// its device, where it has one. Checked: distances of all pairs among kCheckedSequences sequences, drawn
/// with `seed`, against the reference; that no residue is lost, computeAlignment makes sure of. Work: cells
/// of all pairs in 10⁹.
std::unique_ptr<study::Problem> alignmentProblem(std::shared_ptr<const pairwise::StudySequences> sequences,
                                                 AlignMethod method, std::uint64_t seed);

/// Tables and figures of Khaladkar's thesis.
std::vector<study::PublishedFigure> publishedFigures();

}  // namespace glycine::align
