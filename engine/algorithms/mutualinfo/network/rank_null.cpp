#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "engine/algorithms/mutualinfo/network/information_null.hpp"
#include "engine/algorithms/mutualinfo/spline_basis.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/statistics/chi_squared_mixture.hpp"

namespace glycine::mutualinfo {

namespace {

/// Eigenvalues of a symmetric matrix, descending, by Jacobi's rotations. The matrix is destroyed.
std::vector<double> eigenvalues(Matrix<double>& a) {
    const std::size_t n = a.rows();
    const auto offDiagonal = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j) sum += a(i, j) * a(i, j);
        return sum;
    };
    for (int sweep = 0; sweep < 60 && offDiagonal() > 1e-32; ++sweep)
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) {
                if (a(p, q) == 0) continue;
                const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
                const double t = std::copysign(1 / (std::abs(theta) + std::hypot(1, theta)), theta);
                const double c = 1 / std::hypot(1, t);
                const double s = t * c;
                for (std::size_t k = 0; k < n; ++k) {
                    const double x = a(k, p);
                    const double y = a(k, q);
                    a(k, p) = c * x - s * y;
                    a(k, q) = s * x + c * y;
                }
                for (std::size_t k = 0; k < n; ++k) {
                    const double x = a(p, k);
                    const double y = a(q, k);
                    a(p, k) = c * x - s * y;
                    a(q, k) = s * x + c * y;
                }
            }
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = a(i, i);
    std::ranges::sort(values, std::greater());
    return values;
}

/// D^(−1/2) E[B Bᵀ] D^(−1/2) of the ranks 1 … samples, of the bins that have weight.
Matrix<double> standardisedMoments(const SplineOptions& splines, std::size_t samples) {
    std::vector<double> ranks(samples);
    for (std::size_t s = 0; s < samples; ++s) ranks[s] = static_cast<double>(s);
    const SplineBasis basis(splines);
    const GeneWeights gene = weightsOf(ranks, basis, Transform::None);
    const std::size_t k = basis.order();
    Matrix<double> moments(basis.bins(), basis.bins(), 0.0);
    std::vector<double> means(basis.bins());
    for (std::size_t s = 0; s < samples; ++s)
        for (std::size_t i = 0; i < k; ++i) {
            means[gene.firstBins[s] + i] += gene.weights[s * k + i];
            for (std::size_t j = 0; j < k; ++j)
                moments(gene.firstBins[s] + i, gene.firstBins[s] + j) +=
                    gene.weights[s * k + i] * gene.weights[s * k + j];
        }
    std::vector<std::size_t> used;
    for (std::size_t bin = 0; bin < means.size(); ++bin)
        if (means[bin] > 0) used.push_back(bin);
    Matrix<double> standardised(used.size(), used.size());
    for (std::size_t i = 0; i < used.size(); ++i)
        for (std::size_t j = 0; j < used.size(); ++j)
            standardised(i, j) = moments(used[i], used[j]) / std::sqrt(means[used[i]] * means[used[j]]);
    return standardised;
}

std::vector<double> mixtureWeights(const SplineOptions& splines, std::size_t samples) {
    if (samples < 2)
        throw UsageError("the analytic null distribution needs two samples at least; there is one");
    Matrix<double> moments = standardisedMoments(splines, samples);
    const std::vector<double> lambda = eigenvalues(moments);
    // What is smaller changes nothing but the time.
    constexpr double kNegligible = 1e-9;
    std::vector<double> weights;
    for (std::size_t a = 1; a < lambda.size(); ++a)
        for (std::size_t b = 1; b < lambda.size(); ++b)
            if (lambda[a] * lambda[b] > kNegligible) weights.push_back(lambda[a] * lambda[b]);
    return weights;
}

class RankNull final : public InformationNull {
  public:
    RankNull(const SplineOptions& splines, std::size_t samples)
        : mixture_(mixtureWeights(splines, samples)),
          scale_(2 * static_cast<double>(samples) * std::numbers::ln2),
          samples_(samples) {}
    double pValue(double bits) const override { return mixture_.survival(bits * scale_); }
    double threshold(double p) const override { return mixture_.quantile(p) / scale_; }
    std::string description() const override {
        return fmt::format("ranks of {}, a mixture of chi-squared distributions with mean {} bits",
                           formatCount(samples_, "sample"), formatNumber(mixture_.mean() / scale_));
    }

  private:
    statistics::ChiSquaredMixture mixture_;
    double scale_;
    std::size_t samples_;
};

class AracneNull final : public InformationNull {
  public:
    explicit AracneNull(std::size_t samples) : slope_(48.7 + 0.634 * static_cast<double>(samples)) {}
    double pValue(double bits) const override {
        return std::min(1.0, std::exp(kConstant - bits * std::numbers::ln2 * slope_));
    }
    double threshold(double p) const override {
        return (kConstant - std::log(p)) / slope_ / std::numbers::ln2;
    }
    std::string description() const override { return "the constants that ARACNE prints"; }

  private:
    static constexpr double kConstant = 1.062;
    double slope_;
};

}  // namespace

std::unique_ptr<InformationNull> rankNull(const SplineOptions& splines, std::size_t samples) {
    return std::make_unique<RankNull>(splines, samples);
}

std::unique_ptr<InformationNull> aracneNull(std::size_t samples) {
    return std::make_unique<AracneNull>(samples);
}

}  // namespace glycine::mutualinfo
