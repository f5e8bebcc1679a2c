#pragma once

#include "engine/algorithms/align/clustalw/progressive.hpp"
#include "engine/algorithms/align/sequences.hpp"
#include "engine/core/progress.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::align::clustalw {

struct ClustalwAlignment {
    trees::Tree guideTree;  ///< without a root, as the .dnd file has it
    ProgressiveAlignment alignment;
};

/// All three stages of ClustalW 2.1 with its defaults, serially: pairs
/// (engine/algorithms/align/clustal_pair.hpp), guide tree, progressive alignment. Throws UsageError for fewer
/// than two sequences.
ClustalwAlignment alignAsClustalw(const Sequences& sequences, Progress& progress);

}  // namespace glycine::align::clustalw
