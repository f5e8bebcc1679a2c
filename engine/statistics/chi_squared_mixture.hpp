#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace glycine::statistics {

/// The distribution of Q = Σ w_i X_i with weights w_i > 0 and independent X_i, each chi-squared with one
/// degree of freedom.
class ChiSquaredMixture {
  public:
    /// Throws UsageError without weights, and for a weight that is not positive and finite.
    explicit ChiSquaredMixture(std::span<const double> weights);

    double mean() const { return mean_; }
    double variance() const { return variance_; }
    /// P(Q ≥ x), to about eight digits, also in the far tail; 1 for x ≤ 0.
    ///
    /// Integrates the moment-generating function through its saddle point, where the integrand is largest and
    /// free of cancellation, in about a hundred steps. This is the inversion of J. P. Imhof, "Computing the
    /// distribution of quadratic forms in normal variables", Biometrika 48 (1961), 419–426. The contour
    /// follows H. E. Daniels, "Saddlepoint approximations in statistics", Ann. Math. Stat. 25 (1954),
    /// 631–650.
    double survival(double x) const;
    /// The x with survival(x) = p, 0 < p < 1. Throws UsageError for other p.
    double quantile(double p) const;

  private:
    struct Term {
        double weight;
        std::size_t times;
    };
    double saddlePoint(double x) const;

    std::vector<Term> terms_;  ///< distinct weights, descending
    double mean_ = 0;
    double variance_ = 0;
};

}  // namespace glycine::statistics
