#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"
#include "engine/core/random.hpp"
#include "engine/mutualinfo/network/information_null.hpp"
#include "engine/mutualinfo/network/resampling.hpp"
#include "engine/mutualinfo/sample_ranks.hpp"

namespace glycine::mutualinfo {

namespace {

class PermutationNull final : public InformationNull {
  public:
    explicit PermutationNull(std::vector<double> descending) : descending_(std::move(descending)) {}

    double pValue(double bits) const override {
        const auto end = std::ranges::upper_bound(descending_, bits, std::greater());
        return static_cast<double>(end - descending_.begin() + 1) /
               static_cast<double>(descending_.size() + 1);
    }
    double threshold(double p) const override {
        checkProbability("P", p);
        // Of the values themselves this many may lie at or above it.
        const double above = std::floor(p * static_cast<double>(descending_.size() + 1)) - 1;
        if (above < 0)
            throw UsageError(
                fmt::format("P = {} cannot be told from {} of permuted genes; expected {} or more", p,
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

/// Takes the values of pairs of different genes.
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
        if (areEven && !areSpread({expression.row(genes[i]), expression.columns()}, most)) areEven = false;
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
        if (areFew && !areSpread(present, std::max<std::size_t>(2, present.size() / 50))) areFew = false;
    });
    return areFew;
}

std::unique_ptr<InformationNull> permutationNull(Backend& backend, ExpressionView expression,
                                                 const MutualInformationOptions& options,
                                                 const PermutationPlan& plan, Progress& progress) {
    constexpr std::size_t kGenes = 1024;  ///< at once
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
        // Of few genes each comes several times, with a permutation of its own each time.
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
                "no pair of permuted genes has a sample that both have; a null distribution by "
                "permutation needs some");
    }
    std::ranges::sort(values, std::greater());
    return std::make_unique<PermutationNull>(std::move(values));
}

}  // namespace glycine::mutualinfo
