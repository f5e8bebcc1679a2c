#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace glycine::statistics {

/// Least-squares fit of a polynomial of a given degree to points.
///
/// Source: G. E. Forsythe, "Generation and use of orthogonal polynomials for data-fitting with a digital
/// computer", J. SIAM 5 (1957), 74–88: no normal equations, which would lose digits.
class PolynomialFit {
  public:
    /// `x`: distinct numbers, as many as `y`. The degree is limited to their number − 1. Throws
    /// std::invalid_argument without points.
    PolynomialFit(std::span<const double> x, std::span<const double> y, std::size_t degree);
    /// Evaluates the fit; outside the range of the points, at its nearest end.
    double operator()(double x) const;

  private:
    /// p_{j+1}(x) = (x − shift_j) p_j(x) − share_j p_{j−1}(x), p_0 = 1, with its weight in the fit.
    struct Term {
        double shift = 0;
        double share = 0;
        double weight = 0;
    };
    std::vector<Term> terms_;
    double least_;
    double most_;
};

}  // namespace glycine::statistics
