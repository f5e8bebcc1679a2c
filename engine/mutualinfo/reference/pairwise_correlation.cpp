#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo::reference {

namespace {

/// Range of one gene's values over the samples that both genes have.
struct Extent {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();

    void add(double value) { least = std::min(least, value), most = std::max(most, value); }
    /// The value's relative position in the range. Computes the difference first, because positions relative
    /// to all of a gene's values would keep few digits of values that are close together. Halves cannot
    /// overflow.
    double position(double value) const {
        const double unit = std::max(std::abs(least), std::abs(most)) > 1 ? 0.5 : 1;
        return (unit * value - unit * least) / (unit * most - unit * least);
    }
};

/// Pearson's r, −1 … 1, over the samples that are NaN in neither of two genes: 0 if one of them is constant
/// there, NaN if there are none. Values may have any magnitude: means, and then sums of deviations, are
/// computed from positions between the least and the greatest of those samples.
double pairCorrelation(std::span<const double> x, std::span<const double> y) {
    const auto forBoth = [&](auto&& use) {
        for (std::size_t s = 0; s < x.size(); ++s)
            if (!std::isnan(x[s]) && !std::isnan(y[s])) use(x[s], y[s]);
    };
    double count = 0;
    Extent ofX, ofY;
    forBoth([&](double a, double b) { count += 1, ofX.add(a), ofY.add(b); });
    if (count == 0) return std::numeric_limits<double>::quiet_NaN();
    if (ofX.least == ofX.most || ofY.least == ofY.most) return 0;
    double sumX = 0, sumY = 0;
    forBoth([&](double a, double b) { sumX += ofX.position(a), sumY += ofY.position(b); });
    const double meanX = sumX / count, meanY = sumY / count;
    double squaresX = 0, squaresY = 0, products = 0;
    forBoth([&](double a, double b) {
        const double fromX = ofX.position(a) - meanX, fromY = ofY.position(b) - meanY;
        squaresX += fromX * fromX;
        squaresY += fromY * fromY;
        products += fromX * fromY;
    });
    return std::clamp(products / std::sqrt(squaresX * squaresY), -1.0, 1.0);
}

/// The values of a gene that are correlated: its values or their ranks.
std::vector<double> correlatedValues(std::span<const double> values, Transform transform) {
    if (transform == Transform::None) return {values.begin(), values.end()};
    return positionsOf(values, 1, transform).z;
}

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
        for (std::size_t g = tile.columns.begin; g < tile.columns.end; ++g) columns.push_back(valuesOf(g));
        for (std::size_t i = 0; i < tile.rows.size(); ++i) {
            const std::vector<double> row = valuesOf(tile.rows.begin + i);
            for (std::size_t j = 0; j < tile.columnsOf(i); ++j) {
                results.front()(i, j) = pairCorrelation(row, columns[j]);
                progress.advance(static_cast<double>(expression_.columns()));
            }
        }
        times_.compute += watch.seconds();
    }

  private:
    std::vector<double> valuesOf(std::size_t gene) const {
        return correlatedValues({expression_.row(gene), expression_.columns()}, transform_);
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
            return Support::no("correlations are computed only in float64");
        return Support::yes();
    }
    /// Keeps the columns of a tile in memory while they are compared.
    std::size_t preferredTile(const InformationRequest&) const override { return 256; }
    std::unique_ptr<InformationRun> start(ExpressionView expression,
                                          const InformationRequest& request) override {
        return std::make_unique<PairwiseRun>(expression, request.splines.transform);
    }
};

}  // namespace

Implementation<InformationEngine> correlationEngine() {
    return implementWith<InformationEngine, CorrelationReference, Backend>(correlationVariants());
}

}  // namespace glycine::mutualinfo::reference
