#include "engine/mutualinfo/network/information_null.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/mutualinfo/spline_basis.hpp"
#include "engine/statistics/chi_squared_mixture.hpp"

namespace glycine::mutualinfo {

namespace {

/// D^(−1/2) E[B Bᵀ] D^(−1/2) of the ranks 1 … samples, for the bins with non-zero weight.
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
    // Smaller weights only cost time.
    constexpr double kNegligible = 1e-9;
    std::vector<double> weights;
    // Eigenvalues ascend. The largest is 1, for the component that all bins share, and is left out.
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

namespace {

class PermutationNull final : public InformationNull {
  public:
    explicit PermutationNull(std::vector<double> descending) : descending_(std::move(descending)) {}

    bool isOfPermutations() const override { return true; }
    double pValue(double bits) const override {
        const auto end = std::ranges::upper_bound(descending_, bits, std::greater());
        return static_cast<double>(end - descending_.begin() + 1) /
               static_cast<double>(descending_.size() + 1);
    }
    double threshold(double p) const override {
        checkProbability("P", p);
        // This many values may reach or exceed the threshold.
        const double above = std::floor(p * static_cast<double>(descending_.size() + 1)) - 1;
        if (above < 0)
            throw UsageError(
                fmt::format("P = {} cannot be estimated from {} of permuted genes; expected {} or more", p,
                            formatCount(descending_.size(), "pair"),
                            formatCount(static_cast<std::uint64_t>(std::ceil(1 / p)))));
        const auto index = static_cast<std::size_t>(above);
        return index < descending_.size()
                   ? std::nextafter(descending_[index], std::numeric_limits<double>::infinity())
                   : 0;
    }
    std::string description() const override {
        return formatCount(descending_.size(), "pair") + " of permuted genes";
    }

  private:
    std::vector<double> descending_;
};

/// Collects the values of pairs of different genes.
class PooledValues final : public pairs::PairSink {
  public:
    PooledValues(std::span<const std::size_t> genes, std::vector<double>& values)
        : genes_(genes), values_(values) {}
    void store(const pairs::PairTile& tile, MatrixView<const double> values) override {
        for (std::size_t row = tile.rows.begin; row < tile.rows.end; ++row)
            for (std::size_t column = tile.columns.begin; column < std::min(row, tile.columns.end);
                 ++column) {
                const double value = values(row - tile.rows.begin, column - tile.columns.begin);
                if (genes_[row] != genes_[column] && !std::isnan(value)) values_.push_back(value);
            }
    }

  private:
    std::span<const std::size_t> genes_;
    std::vector<double>& values_;
};

}  // namespace

std::vector<std::size_t> varyingGenes(ExpressionView expression, std::size_t fewest) {
    checkExpression(expression);
    std::vector<std::size_t> genes;
    for (std::size_t g = 0; g < expression.rows(); ++g) {
        double first = 0;
        std::size_t values = 0;
        bool isVarying = false;
        for (const double value : std::span(expression.row(g), expression.columns())) {
            if (std::isnan(value)) continue;
            if (values++ == 0) first = value;
            isVarying = isVarying || value != first;
            if (isVarying && values >= fewest) break;
        }
        if (isVarying && values >= fewest) genes.push_back(g);
    }
    return genes;
}

bool haveEvenRanks(ExpressionView expression) {
    const std::size_t most = std::max<std::size_t>(2, expression.columns() / 50);
    const std::vector<std::size_t> genes = varyingGenes(expression);
    std::atomic<bool> areEven = true;
    parallelFor(omp_get_max_threads(), genes.size(), [&](std::size_t i, std::size_t) {
        if (areEven && !hasFewTies({expression.row(genes[i]), expression.columns()}, most)) areEven = false;
    });
    return areEven;
}

bool haveFewTies(ExpressionView expression) {
    std::atomic<bool> areFew = true;
    parallelFor(omp_get_max_threads(), expression.rows(), [&](std::size_t gene, std::size_t) {
        std::vector<double> present;
        for (const double value : std::span(expression.row(gene), expression.columns()))
            if (!std::isnan(value)) present.push_back(value);
        const auto [least, most] = std::ranges::minmax_element(present);
        if (present.empty() || *least == *most) return;
        if (areFew && !hasFewTies(present, std::max<std::size_t>(2, present.size() / 50))) areFew = false;
    });
    return areFew;
}

std::unique_ptr<InformationNull> permutationNull(Backend& backend, ExpressionView expression,
                                                 const MutualInformationOptions& options,
                                                 const PermutationPlan& plan, Progress& progress) {
    constexpr std::size_t kGenes = 1024;  ///< per round
    checkInformation(expression, options);
    if (plan.pairs == 0) throw UsageError("a null distribution of 0 pairs; expected at least one");
    const std::vector<std::size_t> varying = varyingGenes(expression, plan.fillsGaps ? plan.fewestValues : 2);
    if (varying.size() < 2)
        throw InputError(fmt::format("{} of {} vary{}; a null distribution by permutation needs two at least",
                                     varying.size(), formatCount(expression.rows(), "gene"),
                                     plan.fillsGaps ? fmt::format(" and have {} or more (--min-overlap)",
                                                                  formatCount(plan.fewestValues, "value"))
                                                    : ""));
    requireHostMemory(fmt::format("a null distribution of {} pairs", formatCount(plan.pairs)),
                      static_cast<double>(plan.pairs) * sizeof(double));
    MutualInformationOptions bits = options;
    bits.unit = Unit::Bits;
    bits.tile = 0;
    std::vector<double> values;
    values.reserve(plan.pairs);
    const auto side = static_cast<std::size_t>(std::sqrt(2.5 * static_cast<double>(plan.pairs))) + 2;
    for (std::uint64_t round = 0; values.size() < plan.pairs; ++round) {
        const std::uint64_t seed = derivedSeed(plan.seed, round);
        RandomSequence random(seed);
        std::vector<std::size_t> genes = varying;
        shuffle(std::span(genes), random);
        // If there are few genes, each is used several times, with a different permutation each time.
        const std::size_t wanted = std::min(kGenes, side);
        for (std::size_t i = 0; genes.size() < wanted; ++i) genes.push_back(genes[i]);
        genes.resize(wanted);
        Matrix<double> permuted;
        if (plan.fillsGaps) {
            const Matrix<double> filled = withoutGaps(expression, genes);
            std::vector<std::size_t> rows(genes.size());
            std::iota(rows.begin(), rows.end(), 0);
            permuted = permutedGenes(filled.view(), rows, seed);
        } else {
            permuted = permutedGenes(expression, genes, seed);
        }
        if (plan.isResampled)
            permuted = bootstrapSample(std::as_const(permuted).view(), derivedSeed(seed, genes.size()));
        const std::size_t before = values.size();
        PooledValues pool(genes, values);
        computeMutualInformation(backend, std::as_const(permuted).view(), bits, pool, progress);
        if (values.size() == before)
            throw InputError(
                "no pair of permuted genes has a sample in common; a null distribution by permutation needs "
                "such pairs");
    }
    std::ranges::sort(values, std::greater());
    return std::make_unique<PermutationNull>(std::move(values));
}

Matrix<double> permutedGenes(ExpressionView expression, std::span<const std::size_t> genes,
                             std::uint64_t seed) {
    checkExpression(expression);
    for (const std::size_t gene : genes)
        if (gene >= expression.rows())
            throw UsageError(
                fmt::format("gene {} of {}: expected a number below it", gene, expression.rows()));
    const std::size_t samples = expression.columns();
    Matrix<double> permuted(genes.size(), samples);
    parallelFor(omp_get_max_threads(), genes.size(), [&](std::size_t g, std::size_t) {
        double* row = permuted.row(g);
        std::copy_n(expression.row(genes[g]), samples, row);
        RandomSequence random(derivedSeed(seed, g));
        shuffle(std::span(row, samples), random);
    });
    return permuted;
}

Matrix<double> withoutGaps(ExpressionView expression, std::span<const std::size_t> genes) {
    const std::size_t samples = expression.columns();
    Matrix<double> filled(genes.size(), samples);
    parallelFor(omp_get_max_threads(), genes.size(), [&](std::size_t g, std::size_t) {
        const std::span<const double> values(expression.row(genes[g]), samples);
        std::vector<double> present;
        for (const double value : values)
            if (!std::isnan(value)) present.push_back(value);
        if (present.size() == samples) {
            std::ranges::copy(values, filled.row(g));
            return;
        }
        std::ranges::sort(present);
        for (std::size_t s = 0; s < samples; ++s) {
            // `samples` is at least 2: the gene has a value, and also a gap.
            const double place =
                static_cast<double>(s * (present.size() - 1)) / static_cast<double>(samples - 1);
            const auto below = static_cast<std::size_t>(place);
            const double above = present[std::min(below + 1, present.size() - 1)];
            filled(g, s) = std::lerp(present[below], above, place - static_cast<double>(below));
        }
    });
    return filled;
}

Matrix<double> bootstrapSample(ExpressionView expression, std::uint64_t seed) {
    checkExpression(expression);
    RandomSequence random(seed);
    std::vector<std::size_t> drawn(expression.columns());
    for (std::size_t& sample : drawn) sample = random.below(expression.columns());
    Matrix<double> sampled(expression.rows(), expression.columns());
    parallelFor(omp_get_max_threads(), expression.rows(), [&](std::size_t g, std::size_t) {
        for (std::size_t s = 0; s < drawn.size(); ++s) sampled(g, s) = expression(g, drawn[s]);
    });
    return sampled;
}

}  // namespace glycine::mutualinfo
