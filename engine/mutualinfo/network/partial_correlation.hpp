#pragma once

#include "engine/core/progress.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::mutualinfo {

/// Partial correlations of all pairs of genes: r of what is left of both when all other genes are accounted
/// for. They follow from the inverse Ω of the correlations, −Ω_ij / √(Ω_ii Ω_jj), which are shrunk first, R =
/// (1 − λ) r + λ on the diagonal, so that the inverse exists for any number of samples. λ is estimated: Σ
/// Var(r_ij) / Σ r_ij² over i ≠ j, at most 1.
///
/// Of fewer samples than genes, the inverse is found in the space of samples.
///
/// Source: J. Schäfer, K. Strimmer, "A shrinkage approach to large-scale covariance matrix estimation and
/// implications for functional genomics", Statistical Applications in Genetics and Molecular Biology 4:32
/// (2005), as GeneNet does.
class PartialCorrelation {
  public:
    /// Of Pearson's correlations, or with `transform` of those of ranks. Throws as checkExpression, and
    /// UsageError for missing values and fewer than three samples; MemoryError.
    PartialCorrelation(ExpressionView expression, Transform transform);
    double shrinkage() const { return shrinkage_; }  ///< λ
    /// Hands the absolute values of all pairs to `sink`, in tiles of `side`; 0 where a gene is constant.
    void store(std::size_t side, pairs::PairSink& sink, Progress& progress) const;

  private:
    double shrinkage_ = 1;
    Matrix<double> rows_;  ///< the products of its rows are what is asked for, but for the sign
};

}  // namespace glycine::mutualinfo
