#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/mutualinfo/network/information_null.hpp"
#include "engine/mutualinfo/spline_basis.hpp"
#include "engine/statistics/chi_squared_mixture.hpp"

namespace glycine::mutualinfo {

namespace {

/// D^(−1/2) E[B Bᵀ] D^(−1/2) of the ranks 1 … samples, of the bins that have weight.
Eigen::MatrixXd standardisedMoments(const SplineOptions& splines, std::size_t samples) {
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
    const auto size = static_cast<Eigen::Index>(used.size());
    Eigen::MatrixXd standardised(size, size);
    for (std::size_t i = 0; i < used.size(); ++i)
        for (std::size_t j = 0; j < used.size(); ++j)
            standardised(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
                moments(used[i], used[j]) / std::sqrt(means[used[i]] * means[used[j]]);
    return standardised;
}

std::vector<double> mixtureWeights(const SplineOptions& splines, std::size_t samples) {
    if (samples < 2)
        throw UsageError("the analytic null distribution needs two samples at least; there is one");
    const Eigen::VectorXd lambda = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(
                                       standardisedMoments(splines, samples), Eigen::EigenvaluesOnly)
                                       .eigenvalues();
    // What is smaller changes nothing but the time.
    constexpr double kNegligible = 1e-9;
    std::vector<double> weights;
    // They ascend; the largest is 1, of what all bins have in common.
    for (Eigen::Index a = lambda.size() - 2; a >= 0; --a)
        for (Eigen::Index b = lambda.size() - 2; b >= 0; --b)
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
    double threshold(double p) const override {
        checkProbability("P", p);
        return mixture_.quantile(p) / scale_;
    }
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
        checkProbability("P", p);
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
    if (samples == 0) throw UsageError("0 samples; expected at least one");
    return std::make_unique<AracneNull>(samples);
}

}  // namespace glycine::mutualinfo
