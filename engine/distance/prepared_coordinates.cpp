#include "engine/distance/prepared_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/compensated_sum.hpp"
#include "engine/core/error.hpp"
#include "engine/core/process_team.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/device_coordinates.hpp"

namespace glycine::distance {

namespace {

/// Attributes processed at once: their medians are found in memory of this width.
constexpr std::size_t kAttributesAtOnce = 64;

/// The rows that this process reads if a team shares them.
Range ownRows(ProcessTeam* team, std::size_t rows) {
    return team != nullptr ? ownPart(*team, rows) : Range{0, rows};
}

/// Replaces each number by the largest one of all processes; null: of this process alone.
void takeLargest(ProcessTeam* team, std::span<double> numbers) {
    constexpr std::size_t kAtOnce = 4096;
    if (team == nullptr) return;
    for (const Range some : splitRange(numbers.size(), kAtOnce)) {
        const std::span<double> own = numbers.subspan(some.begin, some.size());
        Matrix<double> all(team->processes(), own.size());
        std::ranges::copy(own, all.row(team->rank()));
        completeParts(*team, std::as_writable_bytes(std::span(all.data(), all.size())), all.rows());
        for (std::size_t process = 0; process < all.rows(); ++process)
            for (std::size_t k = 0; k < own.size(); ++k) own[k] = std::max(own[k], all(process, k));
    }
}

/// Rounding bounds derived from the largest rounding of each attribute.
CoordinateRounding roundingOf(const std::vector<double>& ofAttributes) {
    CoordinateRounding rounding;
    for (const double largest : ofAttributes) {
        rounding.largest = std::max(rounding.largest, largest);
        rounding.manhattan += 2 * largest;
    }
    if (rounding.largest == 0) return rounding;
    // Relative to the largest, whose own square may overflow float64.
    double squares = 0;
    for (const double largest : ofAttributes)
        squares += (largest / rounding.largest) * (largest / rounding.largest);
    rounding.euclidean = 2 * rounding.largest * std::sqrt(squares);
    return rounding;
}

/// The lower median of each of some attributes.
std::vector<double> medians(const CoordinateRows<double>& numbers, Range attributes) {
    std::vector<double> result(attributes.size());
    Matrix<double> turned(attributes.size(), numbers.rows());
    for (std::size_t i = 0; i < numbers.rows(); ++i)
        for (std::size_t k = 0; k < attributes.size(); ++k) turned(k, i) = numbers(i, attributes.begin + k);
    for (std::size_t k = 0; k < attributes.size(); ++k) {
        double* const first = turned.row(k);
        double* const middle = first + (numbers.rows() - 1) / 2;
        std::nth_element(first, middle, first + numbers.rows());
        result[k] = *middle;
    }
    return result;
}

/// A power of two that scales the largest difference within a column to about 1, if `precision` lacks the
/// range for its square and for the squares of much smaller differences; else 1.
double unitOfDifferences(CoordinateView input, Precision precision, ProcessTeam* team) {
    const DeviceCoordinates* const device = input.device();
    const auto ofHost = [team](const auto& numbers) {
        double widest = 0, highest = 0;
        const Range own = ownRows(team, numbers.rows());
        const auto rows = static_cast<std::ptrdiff_t>(own.size());
        const auto* const first = numbers.row(0);
#pragma omp parallel for schedule(static) reduction(max : widest, highest) if (rows > 1000)
        for (std::ptrdiff_t i = 0; i < rows; ++i) {
            const auto* const row = numbers.row(own.begin + static_cast<std::size_t>(i));
            for (std::size_t k = 0; k < numbers.columns(); ++k) {
                const double value = row[k];
                const double difference = std::abs(value - double{first[k]});
                widest = std::max(widest, std::min(difference, std::numeric_limits<double>::max()));
                highest = std::max(highest, std::abs(value));
            }
        }
        double both[] = {widest, highest};
        takeLargest(team, both);
        return std::pair(both[0], both[1]);
    };
    const auto [largest, size] = device == nullptr
                                     ? input.visit(ofHost)
                                     : std::pair(device->summary().widest, device->summary().highest);
    if (largest == 0) return 1;
    // Sums of 2²⁰ squares of the largest difference fit, and squares of differences 2²⁰ times smaller are not
    // denormal.
    const bool isSingle = precision == Precision::Float32;
    const int highest = isSingle ? 53 : 490, lowest = isSingle ? -40 : -480;
    const int exponent = std::ilogb(largest);
    if (exponent >= lowest && exponent <= highest) return 1;
    constexpr int kRange = 1020;  // range of float64 exponents
    return std::ldexp(1.0, std::min({-exponent, kRange - std::ilogb(size), kRange}));
}

/// Any coordinates as float64 numbers.
Matrix<double> widened(CoordinateView input) {
    return input.visit([](const auto& numbers) {
        Matrix<double> wide(numbers.rows(), numbers.columns());
        for (std::size_t i = 0; i < numbers.rows(); ++i)
            std::copy_n(numbers.row(i), numbers.columns(), wide.row(i));
        return wide;
    });
}

/// A power of two that scales float64 numbers to about 1 if their squares would leave the range of double;
/// else 1. It does not change correlations.
template <class Number>
double unitOf(const Number* row, std::size_t columns) {
    if constexpr (std::is_same_v<Number, float>) return 1;
    double largest = 0;
    for (std::size_t k = 0; k < columns; ++k) largest = std::max(largest, std::abs(double{row[k]}));
    constexpr int kHarmless = 400;
    constexpr int kLargest = 1000;
    const int exponent = std::ilogb(largest);
    return std::abs(exponent) <= kHarmless ? 1 : std::ldexp(1.0, std::clamp(-exponent, -kLargest, kLargest));
}

/// Mean of a row as the sum of two numbers. For float64 numbers far from 0, the second holds the rounding
/// error of the first. A double sum of float32 numbers has no relevant error.
struct Mean {
    double value = 0;
    double rest = 0;
};
template <class Number>
Mean meanOf(const Number* row, std::size_t columns, double unit) {
    double sum = 0;
    for (std::size_t k = 0; k < columns; ++k) sum += row[k] * unit;
    Mean mean{sum / static_cast<double>(columns)};
    if constexpr (std::is_same_v<Number, double>) {
        for (std::size_t k = 0; k < columns; ++k) mean.rest += row[k] * unit - mean.value;
        mean.rest /= static_cast<double>(columns);
    }
    return mean;
}

}  // namespace

PreparedCoordinates::PreparedCoordinates(CoordinateView input, Precision precision, Preparation preparation,
                                         ProcessTeam* team)
    : view_(input) {
    if (preparation != Preparation::None) {
        input.visit([&](const auto& numbers) {
            if (preparation != Preparation::Rank)
                standardise(numbers, precision, preparation == Preparation::Standardise, team);
            else if (precision == Precision::Float64)
                rank(numbers, Matrix<double>(numbers.rows(), numbers.columns()));
            else
                rank(numbers, Matrix<float>(numbers.rows(), numbers.columns()));
        });
        view_ = viewOf(own_);
        return;
    }
    unit_ = unitOfDifferences(input, precision, team);
    if (unit_ == 1 && input.precision() == precision) return;
    const bool isWide = input.precision() == Precision::Float64;
    Matrix<double> wide = isWide ? Matrix<double>() : widened(input);
    const auto numbers = isWide ? input.as<double>() : CoordinateRows<double>(wide.view());
    if (precision == Precision::Float32)
        centre(numbers);
    else if (unit_ == 1)
        own_ = std::move(wide);
    else
        scale(numbers);
    view_ = viewOf(own_);
}

double PreparedCoordinates::bytes(CoordinateView input, Precision precision, Preparation preparation) {
    if (preparation == Preparation::None && input.precision() == precision) return 0;
    return static_cast<double>(input.rows()) * static_cast<double>(input.columns()) *
           static_cast<double>(precision == Precision::Float32 ? sizeof(float) : sizeof(double));
}

void PreparedCoordinates::scale(CoordinateRows<double> input) {
    Matrix<double> scaled(input.rows(), input.columns());
    for (std::size_t i = 0; i < input.rows(); ++i)
        for (std::size_t k = 0; k < input.columns(); ++k) scaled(i, k) = input(i, k) * unit_;
    own_ = std::move(scaled);
}

void PreparedCoordinates::centre(CoordinateRows<double> input) {
    Matrix<float> centred(input.rows(), input.columns());
    std::vector<double> roundings(input.columns(), 0);
    const std::vector<Range> blocks = splitRange(input.columns(), kAttributesAtOnce);
    const auto count = static_cast<std::ptrdiff_t>(blocks.size());
#pragma omp parallel for schedule(dynamic) if (centred.size() > 100000)
    for (std::ptrdiff_t b = 0; b < count; ++b) {
        const Range attributes = blocks[static_cast<std::size_t>(b)];
        const std::vector<double> centres = medians(input, attributes);
        for (std::size_t i = 0; i < input.rows(); ++i) {
            for (std::size_t k = 0; k < attributes.size(); ++k) {
                const double value = input(i, attributes.begin + k);
                const double difference = value - centres[k];
                const auto rounded = static_cast<float>(difference * unit_);
                centred(i, attributes.begin + k) = rounded;
                double& rounding = roundings[attributes.begin + k];
                rounding = std::max(rounding, std::abs((difference - double{rounded} / unit_) +
                                                       lostInSum(difference, value, -centres[k])));
            }
        }
    }
    for (std::size_t i = 0; i < centred.rows(); ++i)
        for (std::size_t k = 0; k < centred.columns(); ++k)
            if (!std::isfinite(centred(i, k)))
                throw InputError(
                    fmt::format("row {}, column {}: {} does not fit float32, even relative to the median of "
                                "its column; use --precision float64 (reference, cpu or cuda)",
                                i + 1, k + 1, input(i, k)));
    rounding_ = roundingOf(roundings);
    own_ = std::move(centred);
}

template <class From, class To>
void PreparedCoordinates::rank(CoordinateRows<From> input, Matrix<To> ranks) {
    const auto columns = static_cast<std::ptrdiff_t>(input.columns());
#pragma omp parallel for schedule(static) if (ranks.size() > 100000)
    for (std::ptrdiff_t column = 0; column < columns; ++column) {
        const auto k = static_cast<std::size_t>(column);
        std::vector<From> values(input.rows());
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = input(i, k);
        std::ranges::sort(values);
        for (std::size_t i = 0; i < values.size(); ++i)
            ranks(i, k) = static_cast<To>(std::ranges::lower_bound(values, input(i, k)) - values.begin());
    }
    own_ = std::move(ranks);
}

template <class From>
void PreparedCoordinates::standardise(CoordinateRows<From> input, Precision precision, bool isShifted,
                                      ProcessTeam* team) {
    const std::size_t columns = input.columns();
    std::vector<double> roundings(columns, 0);
    const auto fill = [&](auto result) {
        using To = std::remove_reference_t<decltype(result(0, 0))>;
        const Range own = ownRows(team, input.rows());
        for (std::size_t i = own.begin; i < own.end; ++i) {
            const From* row = input.row(i);
            // A row of equal entries would leave the rounding error of its mean.
            const From none = isShifted ? row[0] : From{0};
            if (std::all_of(row, row + columns, [none](From value) { return value == none; }))
                throw InputError(fmt::format(
                    "row {}: all {} values are {:g}; the {} with a row without {} is undefined", i + 1,
                    columns, none, isShifted ? "correlation" : "cosine", isShifted ? "variance" : "length"));
            const double unit = unitOf(row, columns);
            const Mean mean = isShifted ? meanOf(row, columns, unit) : Mean();
            const auto deviation = [&](std::size_t k) { return (row[k] * unit - mean.value) - mean.rest; };
            double squares = 0;
            for (std::size_t k = 0; k < columns; ++k) squares += deviation(k) * deviation(k);
            const double scale = 1 / std::sqrt(squares);
            for (std::size_t k = 0; k < columns; ++k) {
                const double value = deviation(k) * scale;
                result(i, k) = static_cast<To>(value);
                roundings[k] = std::max(roundings[k], std::abs(value - double{result(i, k)}));
            }
        }
        if (team != nullptr)
            completeParts(*team, std::as_writable_bytes(std::span(result.data(), result.size())),
                          result.rows());
        own_ = std::move(result);
    };
    if (precision == Precision::Float64)
        fill(Matrix<double>(input.rows(), columns));
    else
        fill(Matrix<float>(input.rows(), columns));
    takeLargest(team, roundings);
    rounding_ = roundingOf(roundings);
}

}  // namespace glycine::distance
