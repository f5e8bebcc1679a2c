#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/progress.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/mutualinfo/network/edges.hpp"
#include "engine/pairs/pair_tile.hpp"

/// Network inference by regression with random forests.
namespace glycine::mutualinfo {

struct ForestOptions {
    std::size_t trees = 1000;    ///< per target
    std::size_t candidates = 0;  ///< regulators considered at a node; 0: the square root of their number
    std::uint64_t seed = 1;
};

/// The importance of each regulator for each target: the share of the target's variance that splits by this
/// regulator explain, averaged over all trees. A pair has the larger value of its two directions. Each tree
/// is fully grown on as many samples as the data have, drawn with replacement. Only the order of a
/// regulator's values matters. The result does not depend on the number of threads.
///
/// Hands all pairs to `sink`, in tiles of `side`. Work of `progress`: targets. Throws UsageError for no
/// trees, more candidates than regulators, regulators of other genes, and missing values; MemoryError;
/// CancelledError.
///
/// Source: V. A. Huynh-Thu, A. Irrthum, L. Wehenkel, P. Geurts, "Inferring regulatory networks from
/// expression data using tree-based methods", PLoS ONE 5:e12776 (2010), GENIE3.
void forestImportance(ExpressionView expression, const Regulators& regulators, const ForestOptions& options,
                      std::size_t side, pairs::PairSink& sink, Progress& progress);

/// Importance of each gene for one target; 0 for genes that are not regulators. As forestImportance.
std::vector<double> forestOfTarget(ExpressionView expression, const Regulators& regulators,
                                   const ForestOptions& options, std::size_t target);

}  // namespace glycine::mutualinfo
