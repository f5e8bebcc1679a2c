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

/// Infers networks from the mutual information of all pairs of genes. Scores of pairs depend only on the
/// matrix of information. A pair without a value (NaN) gets no score. The diagonal of the store is ignored.
namespace glycine::mutualinfo {

/// Half the rounding unit of TiedInformationSink: the largest difference between its output and its input.
inline constexpr double kTieError = 0x1p-41;

/// Passes information on, rounded to multiples of 2⁻⁴⁰ ≈ 10⁻¹² of its unit, which is the difference that
/// backends and compilers may cause in float64. Pairs with equal information, such as many pairs with the
/// same ranks, then stay tied. The edges that a method selects, and their order, do not depend on the last
/// bits.
class TiedInformationSink final : public pairs::PairSink {
  public:
    explicit TiedInformationSink(pairs::PairSink& sink) : sink_(sink) {}
    bool has(const pairs::PairTile& tile) const override { return sink_.has(tile); }
    void store(const pairs::PairTile& tile, MatrixView<const double> values) override;

  private:
    pairs::PairSink& sink_;
    Matrix<double> tied_;
};

/// Passes absolute values on to another sink.
class AbsoluteValuesSink final : public pairs::PairSink {
  public:
    explicit AbsoluteValuesSink(pairs::PairSink& sink) : sink_(sink) {}
    bool has(const pairs::PairTile& tile) const override { return sink_.has(tile); }
    void store(const pairs::PairTile& tile, MatrixView<const double> values) override;

  private:
    pairs::PairSink& sink_;
};

/// Mean and standard deviation of the values of a gene with all other genes, excluding itself. The divisor of
/// both is the number n of these values (not n − 1), which is N − 1 for N genes without gaps.
struct GeneBackground {
    std::vector<double> means;
    std::vector<double> deviations;
};
GeneBackground backgroundOf(const pairs::PairStore& information, Progress& progress);

/// Context likelihood of relatedness: √(z_i² + z_j²), not divided by 2, with z_i = max(0, (I_ij − mean_i) /
/// deviation_i). z_i is 0 if a gene has the same value with all others.
///
/// Source: J. J. Faith et al., "Large-scale mapping and validation of Escherichia coli transcriptional
/// regulation from a compendium of expression profiles", PLoS Biology 5:e8 (2007).
double relatedness(const GeneBackground& background, std::size_t i, std::size_t j, double information);

/// The median over genes of the median of their values with others; 0 without values. Most genes are
/// independent of most others, so this approximates the estimate for independent genes.
double typicalInformation(const pairs::PairStore& information, Progress& progress);

/// A score for each pair of genes, in the order (1, 0), (2, 0), (2, 1) …; not negative.
class PairScores {
  public:
    /// Sets all scores to 0. Throws MemoryError.
    explicit PairScores(std::size_t genes);
    double at(std::size_t i, std::size_t j) const { return values_.data()[index(i, j)]; }
    /// Raises the score to `score` if it is lower. Thread-safe.
    void raise(std::size_t i, std::size_t j, double score);
    const Matrix<double>& values() const { return values_; }

  private:
    static std::size_t index(std::size_t i, std::size_t j) {
        return i > j ? i * (i - 1) / 2 + j : j * (j - 1) / 2 + i;
    }
    Matrix<double> values_;
};

/// Maximum relevance, minimum redundancy. For each gene as target, other genes are selected one at a time:
/// the one with the largest s = I(other; target) − mean I(other; genes selected before), as long as s is not
/// negative. See SelectionRequest, whose `unknown` is rounded here. A pair's score is the larger s of its two
/// directions, 0 if neither selected the other. If regulators are given, only they are selected. A pair
/// without a value is not selected.
///
/// Source: P. E. Meyer, K. Kontos, F. Lafitte, G. Bontempi, "Information-theoretic inference of large
/// transcriptional regulatory networks", EURASIP J. Bioinformatics and Systems Biology 2007:79879.
PairScores relevanceWithoutRedundancy(SelectionEngine& engine, SelectionRequest request, Progress& progress);

/// Ranks of scores among `total` pairs: the best is 1, equal scores share their mean rank. Scores of 0 are
/// not stored; they are the rest of `total`.
class ScoreRanks {
  public:
    /// Takes positive scores in any order.
    ScoreRanks(std::vector<double> positive, std::size_t total);
    double of(double score) const;

  private:
    std::vector<double> descending_;
    std::size_t total_;
};

/// The consensus of CLR and MRNET: ln(total) − (ln rank₁ + ln rank₂) / 2, from 0 to ln(total).
double meanOfLogRanks(double firstRank, double secondRank, std::size_t total);

/// Determines the score of an edge.
enum class NetworkMethod {
    Information,  ///< the mutual information itself (a relevance network)
    Aracne,       ///< the same, for edges that pass the data-processing inequality
    Clr,          ///< context likelihood of relatedness
    Mrnet,        ///< maximum relevance, minimum redundancy
    Consensus,    ///< the mean of the logarithms of the ranks by CLR and by MRNET
    // The following use no mutual information. Their values are computed before and are the scores
    // themselves.
    Correlation,  ///< the absolute value of Pearson's or Spearman's correlation
    Partial,      ///< the absolute value of partial correlations (partial_correlation.hpp)
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
/// Whether the method uses mutual information.
constexpr bool isOfInformation(NetworkMethod method) {
    return method < NetworkMethod::Correlation;
}

/// Whether the method needs all values of all genes, and runs on the CPU only.
constexpr bool isOfValues(NetworkMethod method) {
    return method == NetworkMethod::Partial || method == NetworkMethod::Forest;
}

inline constexpr std::size_t kSelections = 256;

/// Whether the method uses the selections of MRNET.
constexpr bool selectsRegulators(NetworkMethod method) {
    return method == NetworkMethod::Mrnet || method == NetworkMethod::Consensus;
}

struct InferenceOptions {
    NetworkMethod method = NetworkMethod::Clr;
    double threshold = 0;  ///< least information of an edge; pairs with 0 are never edges
    /// τ of the data-processing inequality, 0 ≤ τ < 1: an edge x – z is removed if some gene y has I_xy and
    /// I_yz of at least I_xz / (1 − τ). If regulators are given, y must be one: another gene would only show
    /// that it is regulated, too.
    double tolerance = 0;
    Regulators regulators{};
    /// Information that a pair without a value counts as redundancy in MRNET: the typical estimate for
    /// independent genes. With 0, genes without values would seem the least redundant of all. Absent:
    /// typicalInformation.
    std::optional<double> unknown{};
    /// Genes that MRNET selects one at a time for a target. Any further genes are then scored at once, by
    /// their mean redundancy with the selected ones.
    std::size_t selections = kSelections;
    SelectionEngine* selection = nullptr;  ///< for MRNET; absent: the CPU's
    std::size_t most = 0;                  ///< number of best edges to keep; 0: all
};

struct Network {
    std::vector<Edge> edges;     ///< best first; scores are positive
    std::size_t candidates = 0;  ///< pairs that may be linked and reach the threshold
    std::size_t indirect = 0;    ///< of these, removed by the data-processing inequality
};

/// Throws UsageError for an unknown method, a threshold that is negative or not finite, and a tolerance
/// outside [0, 1). Also throws UsageError for regulators of other genes, no selections, and Aracne without a
/// path engine.
void checkInference(const InferenceOptions& options, std::size_t genes, bool hasPaths);

/// Bytes that a method needs for all pairs of `genes` genes, in addition to information and edges.
double bytesOfScores(NetworkMethod method, std::size_t genes);

/// Infers a network from non-negative information (NaN: unknown). Needs memory for the edges and a tile or
/// two (of indirect paths). MRNET needs 12 bytes per pair more, the consensus up to 24. `paths` finds
/// indirect paths; only NetworkMethod::Aracne needs it. Throws as checkInference does, MemoryError, and
/// CancelledError.
///
/// Source of the data-processing inequality: A. A. Margolin et al., "ARACNE: an algorithm for the
/// reconstruction of gene regulatory networks in a mammalian cellular context", BMC Bioinformatics 7:S7
/// (2006); with regulators as the program ARACNE2 does.
Network inferNetwork(const pairs::PairStore& information, const InferenceOptions& options, PathEngine* paths,
                     Progress& progress);

}  // namespace glycine::mutualinfo
