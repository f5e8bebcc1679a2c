#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/mutualinfo/simulated_expression.hpp"

/// The edges of a gene network, ranked by score.
namespace glycine::mutualinfo {

/// A pair of genes, numbered from 0, that a method has linked.
struct Edge {
    std::uint32_t row = 0;
    std::uint32_t column = 0;  ///< below `row`
    double score = 0;          ///< larger is likelier; the scale depends on the method
    double information = 0;    ///< mutual information of the pair, in the unit of its matrix
    bool operator==(const Edge&) const = default;
};

/// The genes that may regulate others. Pairs without a regulator cannot be edges.
struct Regulators {
    std::vector<char> flags{};  ///< per gene; empty: all genes

    bool includes(std::size_t gene) const { return flags.empty() || flags[gene] != 0; }
    bool mayLink(std::size_t a, std::size_t b) const { return includes(a) || includes(b); }
    /// Of `genes` genes, the number of regulators, and the number of pairs that may be linked.
    std::size_t count(std::size_t genes) const;
    std::size_t pairs(std::size_t genes) const;
};

/// Throws UsageError unless there are no flags or one per gene.
void checkRegulators(const Regulators& regulators, std::size_t genes);

/// Collects edges and keeps the best. Equal scores are ordered by larger information, then by smaller gene
/// numbers, so the order does not depend on threads.
class EdgeRanking {
  public:
    /// `most`: number of edges to keep; 0: all. `pairs`: number of pairs that may be added; a list that grows
    /// to it in one place takes less memory. 0: unknown.
    explicit EdgeRanking(std::size_t most, std::size_t pairs = 0);
    /// Thread-safe. Throws MemoryError if the edges do not fit in memory.
    void add(const std::vector<Edge>& edges);
    /// Returns the edges, best first, and leaves the ranking empty.
    std::vector<Edge> take();

  private:
    std::mutex mutex_;
    std::size_t most_;
    std::vector<Edge> edges_;
};

/// Pairs of genes that are truly linked, the larger number first. Directions are ignored.
using TruePairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

TruePairs truePairsOf(const SimulatedNetwork& network);

struct TruthScore {
    std::size_t pairs = 0;      ///< that may be linked
    std::size_t positives = 0;  ///< of these, truly linked
    /// Listed edges that are true or wrong, and unlisted pairs that are true or wrong.
    std::size_t truePositives = 0;
    std::size_t falsePositives = 0;
    std::size_t falseNegatives = 0;
    std::size_t trueNegatives = 0;
    /// Area under the precision-recall curve: Σ (recall_k − recall_(k−1)) precision_k over the distinct
    /// scores (average precision, without interpolation). Pairs that are not listed come last, with a common
    /// score.
    double precisionRecallArea = 0;
    /// Area under the receiver operating characteristic, by trapezoids, in the same order.
    double rocArea = 0;

    double precision() const;    ///< of the listed edges; 0 without any
    double recall() const;       ///< 0 without true pairs
    double specificity() const;  ///< 0 if all pairs are truly linked
};

/// `edges`: best first. Pairs in `truth` that the regulators do not allow are ignored. Throws UsageError for
/// regulators of other genes, and for edges and true pairs that are not pairs of the genes with the larger
/// number first.
TruthScore compareWithTruth(std::span<const Edge> edges, const TruePairs& truth, std::size_t genes,
                            const Regulators& regulators);

}  // namespace glycine::mutualinfo
