#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/stopwatch.hpp"
#include "engine/core/variant_table.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/reference/serial_information.hpp"
#include "engine/mutualinfo/spline_basis.hpp"

namespace glycine::mutualinfo::reference {

namespace {

/// B_{i,k}(z) by equations 7 and 8 (Cox and de Boor), with 0/0 = 0. `end`: end of the last interval, which is
/// closed on the right.
double spline(const SplineBasis& basis, std::size_t i, std::size_t k, double z, double end) {
    const double left = basis.knot(i);
    if (k == 1) {
        const double right = basis.knot(i + 1);
        return z == end ? (left < end && right == end) : (left <= z && z < right);
    }
    double value = 0;
    if (const double width = basis.knot(i + k - 1) - left; width > 0)
        value += (z - left) / width * spline(basis, i, k - 1, z, end);
    if (const double width = basis.knot(i + k) - basis.knot(i + 1); width > 0)
        value += (basis.knot(i + k) - z) / width * spline(basis, i + 1, k - 1, z, end);
    return value;
}

/// −Σ p log₂ p, 0 log 0 = 0.
double entropyOf(std::span<const double> probabilities) {
    double sum = 0;
    for (const double p : probabilities)
        if (p > 0) sum -= p * std::log2(p);
    return sum;
}

}  // namespace

Matrix<double> weightingMatrix(std::span<const double> values, const SplineOptions& options) {
    const SplineBasis basis(options);
    const GenePositions gene = positionsOf(values, basis.intervals(), options.transform);
    Matrix<double> weights(values.size(), basis.bins(), 0.0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(gene.z[i])) continue;
        if (gene.isConstant) {
            weights(i, 0) = 1;
            continue;
        }
        for (std::size_t j = 0; j < basis.bins(); ++j)
            weights(i, j) =
                spline(basis, j, basis.order(), gene.z[i], static_cast<double>(basis.intervals()));
    }
    return weights;
}

double entropy(const Matrix<double>& x) {
    std::vector<double> probabilities(x.columns());
    double samples = 0;
    for (std::size_t s = 0; s < x.rows(); ++s)
        for (std::size_t k = 0; k < x.columns(); ++k) {
            probabilities[k] += x(s, k);
            samples += x(s, k);
        }
    if (samples == 0) return 0;
    for (double& p : probabilities) p /= samples;
    return entropyOf(probabilities);
}

double mutualInformation(const Matrix<double>& x, const Matrix<double>& y) {
    const std::size_t bins = x.columns();
    Matrix<double> joint(bins, bins, 0.0);
    for (std::size_t s = 0; s < x.rows(); ++s)
        for (std::size_t k = 0; k < bins; ++k)
            for (std::size_t l = 0; l < bins; ++l) joint(k, l) += x(s, k) * y(s, l);
    double samples = 0;
    for (std::size_t e = 0; e < joint.size(); ++e) samples += joint.data()[e];
    if (samples == 0) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> ofX(bins), ofY(bins);
    for (std::size_t k = 0; k < bins; ++k)
        for (std::size_t l = 0; l < bins; ++l) {
            joint(k, l) /= samples;
            ofX[k] += joint(k, l);
            ofY[l] += joint(k, l);
        }
    return std::max(0.0, entropyOf(ofX) + entropyOf(ofY) - entropyOf({joint.data(), joint.size()}));
}

namespace {

/// A gene's weighting matrix.
struct Gene {
    Matrix<double> weights;
    bool isConstant = false;
};

/// Algorithm 3 of the paper, tile by tile.
class SerialRun final : public InformationRun {
  public:
    SerialRun(ExpressionView expression, const SplineOptions& splines)
        : expression_(expression), splines_(splines) {}
    std::string_view variantName() const override { return toString(Variant::Serial); }
    pairs::PairTimes times() const override { return times_; }

    void compute(const pairs::PairTile& tile, std::span<const MatrixView<double>> results,
                 Progress& progress) override {
        const std::size_t geneBytes =
            std::max<std::size_t>(1, expression_.columns() * splines_.bins * sizeof(double));
        for (const pairs::PairTile& part :
             pairs::cutTile(tile, std::max<std::size_t>(1, kHeldBytes / geneBytes))) {
            const std::vector<Gene> rows = weigh(part.rows);
            const std::vector<Gene> others = part.isDiagonal() ? std::vector<Gene>() : weigh(part.columns);
            const std::vector<Gene>& columns = part.isDiagonal() ? rows : others;
            const MatrixView<double> values = pairs::partOf(results.front(), tile, part);
            const Stopwatch watch;
            for (std::size_t i = 0; i < rows.size(); ++i)
                for (std::size_t j = 0; j < part.columnsOf(i); ++j) {
                    values(i, j) = pairValue(rows[i], columns[j]);
                    progress.advance(static_cast<double>(expression_.columns()));
                }
            times_.compute += watch.seconds();
        }
    }

  private:
    /// Weighting matrices of the rows that are in memory at a time; the columns take as much again.
    static constexpr std::size_t kHeldBytes = std::size_t{64} << 20;

    std::vector<Gene> weigh(Range genes) {
        const Stopwatch watch;
        std::vector<Gene> weighed;
        for (std::size_t g = genes.begin; g < genes.end; ++g) {
            const std::span<const double> values{expression_.row(g), expression_.columns()};
            weighed.push_back(
                {weightingMatrix(values, splines_), positionsOf(values, 1, splines_.transform).isConstant});
        }
        times_.pack += watch.seconds();
        return weighed;
    }

    /// Rounding may leave a small value for a constant gene.
    static double pairValue(const Gene& x, const Gene& y) {
        const double value = mutualInformation(x.weights, y.weights);
        return (x.isConstant || y.isConstant) && !std::isnan(value) ? 0 : value;
    }

    ExpressionView expression_;
    SplineOptions splines_;
    pairs::PairTimes times_;
};

const VariantTable<Variant>& variants() {
    static const VariantTable<Variant> table("reference", {"float64"},
                                             {{Variant::Serial,
                                               "the paper's loops over pairs, samples and bins",
                                               "Shi et al. 2011, algorithms 1 to 3",
                                               {},
                                               true}});
    return table;
}

class ReferenceEngine : public InformationEngine {
  public:
    Support supports(const InformationRequest& request) const override {
        if (const Support known = variants().supports(request.variant); !known) return known;
        if (request.precision != WeightPrecision::Float64)
            return Support::no("the variant 'serial' computes only in float64");
        return Support::yes();
    }
    std::size_t preferredTile(const InformationRequest&) const override { return 1024; }
    std::unique_ptr<InformationRun> start(ExpressionView expression,
                                          const InformationRequest& request) override {
        return std::make_unique<SerialRun>(expression, request.splines);
    }
};

}  // namespace

Implementation<InformationEngine> engine() {
    return implementWith<InformationEngine, ReferenceEngine, Backend>(variants());
}

}  // namespace glycine::mutualinfo::reference
