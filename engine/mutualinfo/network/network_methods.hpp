#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/mutualinfo/network/edge_ranking.hpp"
#include "engine/pairs/pair_store.hpp"

/// Scores of pairs of genes that follow from the matrix of mutual information alone. A pair without a value
/// (NaN) is none of those that are scored. The diagonal of the store is not looked at.
namespace glycine::mutualinfo {

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
/// long as that is not negative. A pair's score is the larger s of its two directions, 0 where neither
/// selected the other. Of regulators only regulators are selected. A pair without a value is not selected,
/// and counts `unknown` in the mean.
///
/// Source: P. E. Meyer, K. Kontos, F. Lafitte, G. Bontempi, "Information-theoretic inference of large
/// transcriptional regulatory networks", EURASIP J. Bioinformatics and Systems Biology 2007:79879.
PairScores relevanceWithoutRedundancy(const pairs::PairStore& information, const Regulators& regulators,
                                      double unknown, Progress& progress);

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

}  // namespace glycine::mutualinfo
