#pragma once

#include "engine/core/progress.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::mutualinfo {

/// Partial correlations of all pairs of genes: the correlation that remains after accounting for all other
/// genes. They follow from the inverse Ω of the correlations as −Ω_ij / √(Ω_ii Ω_jj). The correlations are
/// shrunk first, R = (1 − λ) r + λ on the diagonal, so that the inverse exists for any number of samples. λ
/// is estimated as Σ Var(r_ij) / Σ r_ij² over i ≠ j, at most 1.
///
/// With fewer samples than genes, the inverse is computed in the space of samples.
///
/// Source: J. Schäfer, K. Strimmer, "A shrinkage approach to large-scale covariance matrix estimation and
/// implications for functional genomics", Statistical Applications in Genetics and Molecular Biology 4:32
/// (2005), as GeneNet does.
class PartialCorrelation {
  public:
    /// From Pearson's correlations, or with `transform` from those of ranks. Throws as checkExpression does,
    /// UsageError for missing values and fewer than three samples, and MemoryError.
    PartialCorrelation(ExpressionView expression, Transform transform);
    double shrinkage() const { return shrinkage_; }  ///< λ
    /// Hands the absolute values of all pairs to `sink`, in tiles of `side`; 0 if a gene is constant.
    void store(std::size_t side, pairs::PairSink& sink, Progress& progress) const;

  private:
    double shrinkage_ = 1;
    Matrix<double> rows_;  ///< products of its rows are the partial correlations, except for the sign
};

}  // namespace glycine::mutualinfo
