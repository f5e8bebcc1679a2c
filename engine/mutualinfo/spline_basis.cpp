#include "engine/mutualinfo/spline_basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"

namespace glycine::mutualinfo {

namespace {

constexpr unsigned kPlaceBits = 32;

/// An unsigned integer in the same order as the value; equal for both zeros.
std::uint64_t orderOf(double value) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

}  // namespace

/// Sorting packed numbers is several times as fast as sorting samples by their values. The upper half is that
/// of orderOf, which distinguishes most values; the lower half is the sample.
void SampleRanks::find(std::span<const double> values, bool shareTies, std::span<double> ranks) {
    numbers_.resize(values.size());
    std::size_t count = 0;
    for (std::size_t s = 0; s < values.size(); ++s) {
        numbers_[count] = (orderOf(values[s]) >> kPlaceBits << kPlaceBits) + s;
        if (std::isnan(values[s]))
            ranks[s] = std::numeric_limits<double>::quiet_NaN();
        else
            ++count;
    }
    boost::sort::pdqsort_branchless(numbers_.data(), numbers_.data() + count);
    const auto sampleOf = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
    for (std::size_t begin = 0; begin < count;) {
        std::size_t end = begin + 1;
        while (end < count && numbers_[end] >> kPlaceBits == numbers_[begin] >> kPlaceBits) ++end;
        if (end == begin + 1)
            ranks[sampleOf(numbers_[begin])] = static_cast<double>(end);
        else
            rankAlike(values, shareTies, {begin, end}, ranks);
        begin = end;
    }
}

void SampleRanks::rankAlike(std::span<const double> values, bool shareTies, Range places,
                            std::span<double> ranks) {
    samples_.clear();
    for (std::size_t i = places.begin; i < places.end; ++i)
        samples_.push_back(static_cast<std::uint32_t>(numbers_[i]));
    const auto isLess = [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; };
    if (!std::ranges::is_sorted(samples_, isLess)) std::ranges::stable_sort(samples_, isLess);
    for (std::size_t begin = 0; begin < samples_.size();) {
        std::size_t end = begin + 1;
        while (shareTies && end < samples_.size() && values[samples_[end]] == values[samples_[begin]]) ++end;
        const std::size_t first = places.begin + begin + 1;
        const std::size_t last = places.begin + end;
        for (std::size_t i = begin; i < end; ++i) ranks[samples_[i]] = static_cast<double>(first + last) / 2;
        begin = end;
    }
}

bool hasFewTies(std::span<const double> values, std::size_t most) {
    if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) return false;
    // Counts values per hash. If no hash has more than `most` values, no value has.
    constexpr unsigned kTableBits = 16;
    std::vector<std::uint32_t> counts(std::size_t{1} << kTableBits);
    std::uint32_t largest = 0;
    for (const double value : values)
        largest = std::max(largest, ++counts[orderOf(value) * 0x9e3779b97f4a7c15U >> (64 - kTableBits)]);
    if (largest <= most) return true;
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    for (std::size_t s = most; s < sorted.size(); ++s)
        if (sorted[s] == sorted[s - most]) return false;
    return true;
}

SplineOptions withImplied(SplineOptions options) {
    if (options.estimator == Estimator::Bins) options.order = 1;
    if (options.estimator == Estimator::Spearman) options.transform = Transform::Ranks;
    if (options.estimator == Estimator::Pearson) options.transform = Transform::None;
    return options;
}

void checkSplines(const SplineOptions& options) {
    checkKnown(options.estimator);
    checkKnown(options.knots);
    checkKnown(options.transform);
    if (isCorrelation(options.estimator)) return;
    if (options.bins < 2 || options.bins > kMaxBins)
        throw UsageError(fmt::format("{} bins: expected 2 to {}", options.bins, kMaxBins));
    if (options.order < 1 || options.order >= options.bins)
        throw UsageError(
            fmt::format("splines of order {} on {} bins: expected an order of at least 1 and below "
                        "the number of bins",
                        options.order, options.bins));
}

SplineShape splineShape(const SplineOptions& options) {
    return {static_cast<unsigned>(options.bins), static_cast<unsigned>(options.order), options.knots};
}

SplineBasis::SplineBasis(const SplineOptions& options) : shape_(splineShape(options)) {
    checkSplines(options);
    for (unsigned i = 0; i < shape_.bins + shape_.order; ++i) knots_.push_back(shape_.knot(i));
}

std::size_t SplineBasis::evaluate(double z, double* weights) const {
    // min, because the last interval is closed on the right.
    const auto interval = std::min(static_cast<std::size_t>(z), intervals() - 1);
    const std::size_t order = this->order();
    const std::size_t last = interval + order - 1;  // t_last ≤ z < t_last+1
    weights[0] = 1;
    for (std::size_t degree = 1; degree < order; ++degree) {
        double carried = 0;
        for (std::size_t j = 0; j < degree; ++j) {
            const double right = knots_[last + j + 1] - z;
            const double left = z - knots_[last + j + 1 - degree];
            const double share = weights[j] / (right + left);
            weights[j] = carried + right * share;
            carried = left * share;
        }
        weights[degree] = carried;
    }
    return interval;
}

std::string describeSplines(const SplineOptions& splines) {
    if (isCorrelation(splines.estimator)) return std::string(toString(splines.estimator));
    std::string text = fmt::format("{} bins, order {}", splines.bins, splines.order);
    if (splines.knots != Knots::Clamped) text += fmt::format(", {} knots", toString(splines.knots));
    if (splines.transform != Transform::None) text += fmt::format(", {} ranks", toString(splines.transform));
    return text;
}

namespace {

/// The smallest and the largest present value.
std::pair<double, double> extentOf(std::span<const double> values) {
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const double value : values) {
        // Comparisons with NaN are false.
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    return {least, most};
}

}  // namespace

GenePositions& PositionFinder::find(std::span<const double> values) {
    auto [least, most] = extentOf(values);
    positions_.isConstant = least == most;
    positions_.isEmpty = least > most;
    std::vector<double>& z = positions_.z;
    z.resize(values.size());
    // Equal values are not ranked: ordinal ranks would turn them into a gradient.
    const bool areRanked = transform_ != Transform::None && least < most;
    if (areRanked) {
        ranks_.find(values, transform_ == Transform::Ranks, z);
        std::tie(least, most) = extentOf(z);
    } else {
        std::ranges::copy(values, z.begin());
    }
    if (positions_.isConstant)
        for (double& one : z) one = std::isnan(one) ? one : 0;
    if (positions_.isConstant || positions_.isEmpty) return positions_;
    // Uses halves if the range itself would overflow.
    const double scale = std::isfinite(most - least) ? 1 : 0.5;
    const double range = most * scale - least * scale;
    for (double& one : z) one = (one * scale - least * scale) / range * static_cast<double>(intervals_);
    return positions_;
}

GenePositions positionsOf(std::span<const double> values, std::size_t intervals, Transform transform) {
    return std::move(PositionFinder(intervals, transform).find(values));
}

GeneWeights weightsOf(std::span<const double> values, const SplineBasis& basis, Transform transform) {
    const GenePositions positions = positionsOf(values, basis.intervals(), transform);
    GeneWeights gene{.firstBins = std::vector<std::uint16_t>(values.size(), kNoBin),
                     .weights = std::vector<double>(values.size() * basis.order()),
                     .isConstant = positions.isConstant,
                     .isEmpty = positions.isEmpty};
    for (std::size_t s = 0; s < values.size(); ++s)
        if (!std::isnan(positions.z[s]))
            gene.firstBins[s] =
                static_cast<std::uint16_t>(basis.evaluate(positions.z[s], &gene.weights[s * basis.order()]));
    return gene;
}

}  // namespace glycine::mutualinfo
