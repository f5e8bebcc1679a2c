#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "engine/mutualinfo/network/edge_ranking.hpp"
#include "engine/mutualinfo/simulated_network.hpp"

/// A network against the true one.
namespace glycine::mutualinfo {

/// Pairs of genes that are linked indeed, the larger number first. Directions do not count.
using TruePairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

TruePairs truePairsOf(const SimulatedNetwork& network);

struct TruthScore {
    std::size_t pairs = 0;      ///< that might be linked
    std::size_t positives = 0;  ///< of these, what is linked indeed
    /// Of the edges that are listed: true, wrong; and the others.
    std::size_t truePositives = 0;
    std::size_t falsePositives = 0;
    std::size_t falseNegatives = 0;
    std::size_t trueNegatives = 0;
    /// Area under precision against recall: Σ (recall_k − recall_(k−1)) precision_k over the different scores
    /// (average precision; nothing is interpolated between them). Pairs that are not listed come last, all
    /// with one score.
    double precisionRecallArea = 0;
    /// Area under the receiver operating characteristic, by trapezoids; the same order.
    double rocArea = 0;

    double precision() const;    ///< of the listed edges; 0 without any
    double recall() const;       ///< 0 without true pairs
    double specificity() const;  ///< 0 where all pairs are linked
};

/// `edges`: the best first. `truth` may hold pairs that the regulators do not allow: they do not count.
/// Throws UsageError as checkTruth (check_network.hpp).
TruthScore compareWithTruth(std::span<const Edge> edges, const TruePairs& truth, std::size_t genes,
                            const Regulators& regulators);

}  // namespace glycine::mutualinfo
