#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/bounds/outward.hpp"
#include "engine/bounds/reach.hpp"
#include "engine/bounds/smoother.hpp"
#include "engine/core/error.hpp"

namespace glycine::bounds {

namespace {

template <class T>
void zeroDiagonal(const BoundMatrices<T>& matrices) {
    for (std::size_t i = 0; i < matrices.atoms(); ++i) {
        matrices.upper(i, i) = 0;
        if (matrices.hasLower()) matrices.lower(i, i) = 0;
    }
}

template <class T>
double largestFinite(MatrixView<T> matrix) {
    double largest = 0;
    for (std::size_t i = 0; i < matrix.rows(); ++i)
        for (std::size_t j = 0; j < matrix.columns(); ++j)
            if (!isUnknownUpper(matrix(i, j))) largest = std::max(largest, toAngstrom(matrix(i, j)));
    return largest;
}

template <class T>
double smallestPositive(MatrixView<T> matrix) {
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < matrix.rows(); ++i)
        for (std::size_t j = 0; j < matrix.columns(); ++j)
            if (matrix(i, j) > 0) smallest = std::min(smallest, toAngstrom(matrix(i, j)));
    return smallest;
}

}  // namespace

NumberFormat numberFormat(const AnyBoundMatrices& matrices) {
    if (std::holds_alternative<BoundMatrices<float>>(matrices)) return NumberFormat::Float32;
    if (std::holds_alternative<BoundMatrices<double>>(matrices)) return NumberFormat::Float64;
    return NumberFormat::Fixed;
}

std::size_t atomCount(const AnyBoundMatrices& matrices) {
    return std::visit([](const auto& typed) { return typed.atoms(); }, matrices);
}

double pathRoundingBound(NumberFormat format, std::size_t sums, double largest) {
    switch (format) {
        case NumberFormat::Float32:
            return static_cast<double>(sums) * std::numeric_limits<float>::epsilon() * largest;
        case NumberFormat::Float64:
            return static_cast<double>(sums) * std::numeric_limits<double>::epsilon() * largest;
        case NumberFormat::Fixed:
            break;
    }
    return 0;
}

bool mayDiffer(Variant variant, bool isConsistent) {
    constexpr std::array kOwnOrder{Variant::Default, Variant::Dense, Variant::Sparse, Variant::Blocked};
    return !isConsistent || std::find(kOwnOrder.begin(), kOwnOrder.end(), variant) != kOwnOrder.end();
}

double largestFiniteBound(const AnyBoundMatrices& matrices) {
    return std::visit(
        [](const auto& typed) { return std::max(largestFinite(typed.upper), largestFinite(typed.lower)); },
        matrices);
}

double smallestBound(const AnyBoundMatrices& matrices) {
    const double smallest = std::visit(
        [](const auto& typed) {
            return std::min(smallestPositive(typed.upper), smallestPositive(typed.lower));
        },
        matrices);
    return std::isinf(smallest) ? 0 : smallest;
}

double bytesForBounds(NumberFormat format, std::size_t atoms) {
    const auto n = static_cast<double>(atoms);
    return 2 * n * n * withNumberOf(format, [](auto zero) { return static_cast<double>(sizeof zero); });
}

double hostBytesForSmoothing(NumberFormat format, std::size_t atoms) {
    constexpr double kPairsOfMatrices = 2.25;
    return kPairsOfMatrices * bytesForBounds(format, atoms);
}

SmoothingReport smooth(Backend& backend, const AnyBoundMatrices& matrices, const SmoothingOptions& options,
                       Progress& progress) {
    checkSmoothing(matrices, options);
    const std::unique_ptr<Smoother> smoother =
        createImplementation("bound smoothing", implementations<Smoother>(), backend);
    const SmoothingRequest request{options.variant, numberFormat(matrices), atomCount(matrices),
                                   options.rounding, smallestBound(matrices)};
    if (const Support support = smoother->supports(request); !support)
        throw UnavailableError(support.reason());

    std::visit([](const auto& typed) { zeroDiagonal(typed); }, matrices);
    SmoothingReport report;
    const auto* const fixed = std::get_if<BoundMatrices<std::int32_t>>(&matrices);
    const std::optional<FixedRange> range =
        fixed != nullptr ? std::optional<FixedRange>(std::in_place, *fixed, progress) : std::nullopt;
    if (fixed != nullptr || options.rounding == Rounding::Outward) {
        report.step = outwardStep(matrices, progress);
        roundOutward(matrices, report.step);
    }
    SmootherOutcome outcome = smoother->smooth(matrices, options.variant, progress);
    if (range) range->check(*fixed);
    // Contradictory lower bounds leave what they imply of d_ii there; a distance of an atom to itself is
    // zero.
    std::visit([](const auto& typed) { zeroDiagonal(typed); }, matrices);

    report.backend = backend.name();
    report.variant = toString(outcome.variant);
    report.device = backend.device();
    report.format = request.format;
    report.times = outcome.times;
    report.note = std::move(outcome.note);
    report.violationCount =
        findViolations(matrices, options.tolerance, options.maxListedViolations, report.violations);
    return report;
}

}  // namespace glycine::bounds

namespace glycine {

template <>
ImplementationList<bounds::Smoother>& implementations<bounds::Smoother>() {
    static ImplementationList<bounds::Smoother> all{bounds::reference::smoother(), bounds::cpu::smoother()};
    return all;
}

}  // namespace glycine
