#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/progress.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/network/edges.hpp"
#include "engine/pairs/pair_tile.hpp"

/// Networks of regression by random forests.
namespace glycine::mutualinfo {

struct ForestOptions {
    std::size_t trees = 1000;    ///< of each target
    std::size_t candidates = 0;  ///< regulators that a node looks at; 0: the root of their number
    std::uint64_t seed = 1;
};

/// The importance of each regulator for each target: the share of the target's variance that splits by this
/// regulator explain, the mean of all trees; a pair has the larger value of its two directions. A tree is
/// grown to its end on as many samples, drawn with replacement. Values count by their order alone. The same
/// for any number of threads.
///
/// Hands all pairs to `sink`, in tiles of `side`. Work of `progress`: targets. Throws UsageError for no
/// trees, more candidates than regulators, regulators of other genes, and missing values; MemoryError;
/// CancelledError.
///
/// Source: V. A. Huynh-Thu, A. Irrthum, L. Wehenkel, P. Geurts, "Inferring regulatory networks from
/// expression data using tree-based methods", PLoS ONE 5:e12776 (2010), GENIE3.
void forestImportance(ExpressionView expression, const Regulators& regulators, const ForestOptions& options,
                      std::size_t side, pairs::PairSink& sink, Progress& progress);

/// Of one target: importance of each gene, 0 for those that are no regulators. As forestImportance.
std::vector<double> forestOfTarget(ExpressionView expression, const Regulators& regulators,
                                   const ForestOptions& options, std::size_t target);

}  // namespace glycine::mutualinfo
