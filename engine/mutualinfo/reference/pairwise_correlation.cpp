#include "engine/mutualinfo/reference/pairwise_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo::reference {

double pairCorrelation(std::span<const double> x, std::span<const double> y) {
    double count = 0, sumX = 0, sumY = 0;
    double leastX = 2, mostX = -2, leastY = 2, mostY = -2;
    for (std::size_t s = 0; s < x.size(); ++s) {
        if (std::isnan(x[s]) || std::isnan(y[s])) continue;
        count += 1;
        sumX += x[s];
        sumY += y[s];
        leastX = std::min(leastX, x[s]), mostX = std::max(mostX, x[s]);
        leastY = std::min(leastY, y[s]), mostY = std::max(mostY, y[s]);
    }
    if (count == 0) return std::numeric_limits<double>::quiet_NaN();
    if (leastX == mostX || leastY == mostY) return 0;
    // What deviates by the whole range at most is brought to 1: squares of a tiny range would vanish.
    const double meanX = sumX / count, meanY = sumY / count;
    const double rangeX = mostX - leastX, rangeY = mostY - leastY;
    double squaresX = 0, squaresY = 0, products = 0;
    for (std::size_t s = 0; s < x.size(); ++s) {
        if (std::isnan(x[s]) || std::isnan(y[s])) continue;
        const double fromX = (x[s] - meanX) / rangeX, fromY = (y[s] - meanY) / rangeY;
        squaresX += fromX * fromX;
        squaresY += fromY * fromY;
        products += fromX * fromY;
    }
    return std::clamp(products / std::sqrt(squaresX * squaresY), -1.0, 1.0);
}

namespace {

class PairwiseRun final : public InformationRun {
  public:
    PairwiseRun(ExpressionView expression, Transform transform)
        : expression_(expression), transform_(transform) {}
    std::string_view variantName() const override { return toString(Variant::Pairwise); }
    pairs::PairTimes times() const override { return times_; }

    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override {
        const Stopwatch watch;
        std::vector<std::vector<double>> columns;
        for (std::size_t g = tile.columns.begin; g < tile.columns.end; ++g) columns.push_back(scaled(g));
        for (std::size_t i = 0; i < tile.rows.size(); ++i) {
            const std::vector<double> row = scaled(tile.rows.begin + i);
            for (std::size_t j = 0; j < (tile.isDiagonal() ? i : columns.size()); ++j) {
                results.front()(i, j) = pairCorrelation(row, columns[j]);
                progress.advance(static_cast<double>(expression_.columns()));
            }
        }
        times_.compute += watch.seconds();
    }

  private:
    std::vector<double> scaled(std::size_t gene) const {
        return positionsOf({expression_.row(gene), expression_.columns()}, 1, transform_).z;
    }

    ExpressionView expression_;
    Transform transform_;
    pairs::PairTimes times_;
};

const VariantTable<Variant>& correlationVariants() {
    static const VariantTable<Variant> table(
        "reference", {"float64"},
        {{Variant::Pairwise, "Pearson's and Spearman's r: sums over the samples of each pair"}});
    return table;
}

class CorrelationReference : public InformationEngine {
  public:
    Support supports(const InformationRequest& request) const override {
        if (const Support known = correlationVariants().supports(request.variant); !known) return known;
        if (request.precision != WeightPrecision::Float64)
            return Support::no("correlations are computed in float64 alone");
        return Support::yes();
    }
    /// Its columns are held as they are compared.
    std::size_t preferredTile(const InformationRequest&) const override { return 256; }
    std::unique_ptr<InformationRun> start(ExpressionView expression,
                                          const InformationRequest& request) override {
        return std::make_unique<PairwiseRun>(expression, request.splines.transform);
    }
};

}  // namespace

InformationEngineEntry correlationEngine() {
    return implementWith<InformationEngine, CorrelationReference, Backend>(correlationVariants());
}

}  // namespace glycine::mutualinfo::reference
