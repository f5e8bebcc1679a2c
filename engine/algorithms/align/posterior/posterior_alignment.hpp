#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/algorithms/align/posterior/posterior_engine.hpp"
#include "engine/core/progress.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::align {

/// How sequences are aligned by their posteriors; the values are those that were best on the families of
/// docs/results/align.md.
struct PosteriorAlignmentOptions {
    std::size_t consistencyRounds = 2;
    double selfWeight = 3;
    std::size_t refinements = 30;
    std::uint64_t seed = 1;
};

struct PosteriorAlignment {
    std::vector<std::vector<std::uint32_t>> columns;  ///< of each residue of each sequence
    std::size_t width = 0;
    std::vector<std::size_t> order;   ///< as sequences were joined
    std::vector<double> confidences;  ///< a column each, 0 … 1
    trees::Tree guideTree;
};

/// Guide tree by average linkage from expected accuracies, sequence weights from the tree, consistency,
/// progressive alignment by maximum expected accuracy, refinement. At least two sequences.
///
/// Source: Y. Liu, B. Schmidt, D. L. Maskell, "MSAProbs: multiple sequence alignment based on pair hidden
/// Markov models and partition function posterior probabilities", Bioinformatics 26 (2010), 1958–1964; A.
/// Gudyś, S. Deorowicz, "QuickProbs 2: towards rapid construction of high-quality alignments of large protein
/// families", Scientific Reports 7 (2017), 41553.
PosteriorAlignment alignByPosteriors(const Sequences& sequences, PosteriorRun& run,
                                     const PosteriorAlignmentOptions& options, Progress& progress);

}  // namespace glycine::align
