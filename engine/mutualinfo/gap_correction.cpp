#include "engine/mutualinfo/gap_correction.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/quantity.hpp"

namespace glycine::mutualinfo {

std::size_t usualOverlap(std::size_t bins, std::size_t samples) {
    constexpr std::size_t kFewest = 12;
    return std::min({2 * bins, std::max(kFewest, (samples + 1) / 2), samples});
}

std::size_t overlapOf(const GapOptions& options, const SplineOptions& splines, std::size_t samples) {
    if (!options.minOverlap)
        return options.rule == GapRule::Standardised ? usualOverlap(splines.bins, samples) : 1;
    if (*options.minOverlap > samples)
        throw UsageError(fmt::format("--min-overlap {}: there {} {}, which no pair can exceed",
                                     *options.minOverlap, samples == 1 ? "is" : "are",
                                     formatCount(samples, "sample")));
    return *options.minOverlap;
}

std::size_t usualOrder(const SplineOptions& splines, GapRule rule, bool haveGaps) {
    constexpr std::size_t kUsual = SplineOptions{}.order;
    const bool isSmoother = haveGaps && rule == GapRule::Standardised && splines.bins > kUsual + 1;
    return isSmoother ? kUsual + 1 : kUsual;
}

SharedMoments momentsFor(ExpressionView expression, const SplineOptions& splines, GapRule rule,
                         const NullMoments::Plan& plan, Progress& progress) {
    if (rule == GapRule::Raw || isCorrelation(splines.estimator)) return {};
    bool haveGaps = false;
    for (std::size_t gene = 0; gene < expression.rows() && !haveGaps; ++gene)
        haveGaps = std::any_of(expression.row(gene), expression.row(gene) + expression.columns(),
                               [](double value) { return std::isnan(value); });
    return haveGaps ? std::make_shared<const NullMoments>(expression, splines, plan, progress) : nullptr;
}

GapCorrection::GapCorrection(ExpressionView expression, std::size_t minOverlap, SharedMoments moments,
                             double unit)
    : common_(expression), minOverlap_(minOverlap), moments_(std::move(moments)), unit_(unit) {}

double GapCorrection::corrected(std::size_t i, std::size_t j, double information) const {
    const std::size_t common = common_.of(i, j);
    if (common < minOverlap_) return std::numeric_limits<double>::quiet_NaN();
    if (!moments_ || common == common_.samples() || std::isnan(information)) return information;
    constexpr double kSteepest = 10;
    const NullMoments::Moments whole = moments_->whole();
    const NullMoments::Moments null = moments_->of(common, common_.of(i), common_.of(j));
    if (null.deviation <= 0) return whole.mean * unit_;
    const double bits = information / unit_;
    const double standardised = whole.mean + whole.deviation * (bits - null.mean) / null.deviation;
    return std::clamp(standardised, 0.0, kSteepest * bits * whole.mean / null.mean) * unit_;
}

double GapCorrection::errorOf(std::size_t i, std::size_t j, double information, double error) const {
    const double value = corrected(i, j, information);
    return std::max(corrected(i, j, information + error) - value,
                    value - corrected(i, j, std::max(0.0, information - error)));
}

void CorrectedInformation::store(const pairs::PairTile& tile, MatrixView<const double> values) {
    if (!correction_.isNeeded()) {
        sink_.store(tile, values);
        return;
    }
    if (corrected_.size() < values.rows() * values.columns())
        corrected_ = Matrix<double>(values.rows(), values.columns());
    const MatrixView<double> corrected(corrected_.data(), values.rows(), values.columns());
    parallelFor(omp_get_max_threads(), values.rows(), [&](std::size_t r, std::size_t) {
        const std::size_t row = tile.rows.begin + r;
        for (std::size_t c = 0; c < values.columns(); ++c) {
            const std::size_t column = tile.columns.begin + c;
            corrected(r, c) = column < row ? correction_.corrected(row, column, values(r, c)) : 0;
        }
    });
    sink_.store(tile, corrected);
}

}  // namespace glycine::mutualinfo
