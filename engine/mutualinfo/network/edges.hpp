#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/mutualinfo/simulated_expression.hpp"

/// The edges of a gene network in the order of their scores.
namespace glycine::mutualinfo {

/// A pair of genes, counted from 0, that a method has linked.
struct Edge {
    std::uint32_t row = 0;
    std::uint32_t column = 0;  ///< below `row`
    double score = 0;          ///< the larger, the likelier; each method has a scale of its own
    double information = 0;    ///< mutual information of the pair, in the unit of its matrix
    bool operator==(const Edge&) const = default;
};

/// The genes that may regulate others: pairs of two others are no edges.
struct Regulators {
    std::vector<char> flags{};  ///< one a gene; empty: all may

    bool includes(std::size_t gene) const { return flags.empty() || flags[gene] != 0; }
    bool mayLink(std::size_t a, std::size_t b) const { return includes(a) || includes(b); }
    /// Of `genes` genes, how many may, and how many pairs may be linked.
    std::size_t count(std::size_t genes) const;
    std::size_t pairs(std::size_t genes) const;
};

/// Throws UsageError unless there is a flag for each of so many genes, or none.
void checkRegulators(const Regulators& regulators, std::size_t genes);

/// Collects edges and keeps the best. Of equal scores the larger information comes first, then the pair with
/// the smaller numbers, so that the order does not depend on threads.
class EdgeRanking {
  public:
    /// `most`: edges that are kept; 0: all.
    explicit EdgeRanking(std::size_t most) : most_(most) {}
    /// May be called from several threads. Throws MemoryError when there is not enough memory for all.
    void add(const std::vector<Edge>& edges);
    /// The best first. Nothing is left here.
    std::vector<Edge> take();

  private:
    std::mutex mutex_;
    std::size_t most_;
    std::vector<Edge> edges_;
};

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
/// Throws UsageError for regulators of other genes, and for edges and true pairs that are no pairs of so many
/// genes, the larger number first.
TruthScore compareWithTruth(std::span<const Edge> edges, const TruePairs& truth, std::size_t genes,
                            const Regulators& regulators);

}  // namespace glycine::mutualinfo
