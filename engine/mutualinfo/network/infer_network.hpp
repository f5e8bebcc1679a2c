#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"
#include "engine/core/progress.hpp"
#include "engine/mutualinfo/network/edges.hpp"
#include "engine/mutualinfo/network/path_engine.hpp"
#include "engine/mutualinfo/network/selection_engine.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairs/pair_tile.hpp"

/// From the mutual information of all pairs of genes to a network. Scores of pairs follow from the matrix of
/// information alone. A pair without a value (NaN) is none of those that are scored. The diagonal of the
/// store is not looked at.
namespace glycine::mutualinfo {

/// Half of what TiedInformation rounds to: how far its values may be from what it was given.
inline constexpr double kTieError = 0x1p-41;

/// Hands information on in multiples of 2⁻⁴⁰ ≈ 10⁻¹² of its unit, which is how far backends and compilers
/// may differ in float64. Genes that tell equally much about each other, as many do whose ranks are the same,
/// then stay tied: which edges a method selects, and in which order, does not hang on the last bits.
class TiedInformation final : public pairs::PairSink {
  public:
    explicit TiedInformation(pairs::PairSink& sink) : sink_(sink) {}
    bool has(const pairs::PairTile& tile) const override { return sink_.has(tile); }
    void store(const pairs::PairTile& tile, MatrixView<const double> values) override;

  private:
    pairs::PairSink& sink_;
    Matrix<double> tied_;
};

/// Hands absolute values on.
class AbsoluteValues final : public pairs::PairSink {
  public:
    explicit AbsoluteValues(pairs::PairSink& sink) : sink_(sink) {}
    bool has(const pairs::PairTile& tile) const override { return sink_.has(tile); }
    void store(const pairs::PairTile& tile, MatrixView<const double> values) override;

  private:
    pairs::PairSink& sink_;
};

/// Mean and standard deviation of the values of a gene with all other genes, the gene itself left out. The
/// divisor of both is the number n of these values, N − 1 of N genes without gaps (not n − 1).
struct GeneBackground {
    std::vector<double> means;
    std::vector<double> deviations;
};
GeneBackground backgroundOf(const pairs::PairStore& information, Progress& progress);

/// Context likelihood of relatedness: √(z_i² + z_j²), not divided by 2, with z_i = max(0, (I_ij − mean_i) /
/// deviation_i); z_i is 0 where a gene has the same value with all others.
///
/// Source: J. J. Faith et al., "Large-scale mapping and validation of Escherichia coli transcriptional
/// regulation from a compendium of expression profiles", PLoS Biology 5:e8 (2007).
double relatedness(const GeneBackground& background, std::size_t i, std::size_t j, double information);

/// The median over genes of the median of their values with others; 0 without any. Most genes are
/// independent of most others, so that it is about what independent genes seem to have.
double typicalInformation(const pairs::PairStore& information, Progress& progress);

/// A score for each pair of genes, in the order (1, 0), (2, 0), (2, 1) …; not negative.
class PairScores {
  public:
    /// All 0. Throws MemoryError.
    explicit PairScores(std::size_t genes);
    double at(std::size_t i, std::size_t j) const { return values_.data()[index(i, j)]; }
    /// The score becomes the larger of what it is and `score`. From any thread.
    void raise(std::size_t i, std::size_t j, double score);
    const Matrix<double>& values() const { return values_; }

  private:
    static std::size_t index(std::size_t i, std::size_t j) {
        return i > j ? i * (i - 1) / 2 + j : j * (j - 1) / 2 + i;
    }
    Matrix<double> values_;
};

/// Maximum relevance, minimum redundancy: for each gene as target, others are selected one after the other,
/// each time the one for which s = I(other; target) − mean I(other; those selected before) is largest, as
/// long as that is not negative; see SelectionRequest, whose `unknown` is rounded. A pair's score is the
/// larger s of its two directions, 0 where neither selected the other. Of regulators only regulators are
/// selected. A pair without a value is not selected.
///
/// Source: P. E. Meyer, K. Kontos, F. Lafitte, G. Bontempi, "Information-theoretic inference of large
/// transcriptional regulatory networks", EURASIP J. Bioinformatics and Systems Biology 2007:79879.
PairScores relevanceWithoutRedundancy(SelectionEngine& engine, SelectionRequest request, Progress& progress);

/// Ranks of scores among those of `total` pairs: the best is 1, equal ones share the mean of theirs. Scores
/// of 0 are not held: they are what is left of `total`.
class ScoreRanks {
  public:
    /// Takes positive scores in any order.
    ScoreRanks(std::vector<double> positive, std::size_t total);
    double of(double score) const;

  private:
    std::vector<double> descending_;
    std::size_t total_;
};

/// The consensus of CLR and MRNET: ln(total) − (ln rank + ln rank) / 2, from 0 to ln(total).
double meanOfLogRanks(double firstRank, double secondRank, std::size_t total);

/// What an edge's score is.
enum class NetworkMethod {
    Information,  ///< the mutual information itself (a relevance network)
    Aracne,       ///< the same, of edges that the data-processing inequality leaves
    Clr,          ///< context likelihood of relatedness
    Mrnet,        ///< maximum relevance, minimum redundancy
    Consensus,    ///< the mean of the logarithms of the ranks that CLR and MRNET give
    // The following are no information: what they are was computed before, and is the score itself.
    Correlation,  ///< the absolute value of Pearson's or Spearman's correlation
    Partial,      ///< the same of partial correlations (partial_correlation.hpp)
    Forest,       ///< the importance in regressions by random forests, GENIE3 (random_forest.hpp)
};
constexpr auto namesOf(NetworkMethod) {
    using enum NetworkMethod;
    return namesAre<NetworkMethod>("method", {{Information, "mi"},
                                              {Aracne, "aracne"},
                                              {Clr, "clr"},
                                              {Mrnet, "mrnet"},
                                              {Consensus, "consensus"},
                                              {Correlation, "correlation"},
                                              {Partial, "partial"},
                                              {Forest, "forest"}});
}
/// Whether the method goes by mutual information.
constexpr bool isOfInformation(NetworkMethod method) {
    return method < NetworkMethod::Correlation;
}

/// Whether all values of all genes must be there, and the processor alone computes with them.
constexpr bool isOfValues(NetworkMethod method) {
    return method == NetworkMethod::Partial || method == NetworkMethod::Forest;
}

inline constexpr std::size_t kSelections = 256;

/// Whether the method goes by the selections of MRNET.
constexpr bool selectsRegulators(NetworkMethod method) {
    return method == NetworkMethod::Mrnet || method == NetworkMethod::Consensus;
}

struct InferenceOptions {
    NetworkMethod method = NetworkMethod::Clr;
    double threshold = 0;  ///< least information of an edge; pairs with 0 are none in any case
    /// τ of the data-processing inequality, 0 ≤ τ < 1: an edge x – z goes where some gene y has I_xy and I_yz
    /// of at least I_xz / (1 − τ). Where regulators are named, y is one of them: others tell no more about an
    /// edge of a regulator than that they are regulated, too.
    double tolerance = 0;
    Regulators regulators{};
    /// Information that a pair without a value counts as redundancy of MRNET: what independent genes seem to
    /// have. As 0 it would make genes without values the least redundant of all. Absent: typicalInformation.
    std::optional<double> unknown{};
    /// Genes that MRNET selects one by one for a target. Of more genes the others are scored at once, by
    /// their mean redundancy with these.
    std::size_t selections = kSelections;
    SelectionEngine* selection = nullptr;  ///< of MRNET; absent: the processor's
    std::size_t most = 0;                  ///< edges, the best; 0: all
};

struct Network {
    std::vector<Edge> edges;     ///< the best first; scores are positive
    std::size_t candidates = 0;  ///< pairs that may be linked and reach the threshold
    std::size_t indirect = 0;    ///< of these, what the data-processing inequality took
};

/// Throws UsageError for an unknown method, a threshold that is negative or no finite number, a tolerance
/// outside [0, 1), regulators of other genes, and Aracne without a path engine.
void checkInference(const InferenceOptions& options, std::size_t genes, bool hasPaths);

/// Bytes that a method holds of all pairs of so many genes beside information and edges.
double bytesOfScores(NetworkMethod method, std::size_t genes);

/// Infers a network from information that is not negative (NaN: not known), in memory for the edges and a
/// tile or two (of indirect paths); MRNET and the consensus take 8 bytes a pair more, the consensus up to
/// another 16. `paths` finds indirect paths; only NetworkMethod::Aracne needs it. Throws as checkInference,
/// MemoryError, and CancelledError.
///
/// Source of the data-processing inequality: A. A. Margolin et al., "ARACNE: an algorithm for the
/// reconstruction of gene regulatory networks in a mammalian cellular context", BMC Bioinformatics 7:S7
/// (2006); with regulators as the program ARACNE2 does.
Network inferNetwork(const pairs::PairStore& information, const InferenceOptions& options, PathEngine* paths,
                     Progress& progress);

}  // namespace glycine::mutualinfo
