#include "engine/bounds/bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/bounds/agreement.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/bounds/outward.hpp"
#include "engine/bounds/shared_smoothing.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "engine/core/arguments.hpp"
#include "engine/core/error.hpp"
#include "engine/core/pair_squares.hpp"
#include "engine/core/stopwatch.hpp"

namespace glycine::bounds {

namespace {

template <class T>
void zeroDiagonal(const BoundMatrices<T>& matrices) {
    for (std::size_t i = 0; i < matrices.atoms(); ++i) {
        matrices.upper(i, i) = 0;
        if (matrices.hasLower()) matrices.lower(i, i) = 0;
    }
}

/// The best of the accepted numbers above the diagonal of a symmetric matrix; `none`, which all others are
/// better than, if there is none.
template <class T, class Accepts, class Better>
T extreme(MatrixView<T> matrix, T none, const Accepts& accepts, const Better& better) {
    const std::size_t n = matrix.rows();
    std::vector<T> ofRows(n, none);
#pragma omp parallel for schedule(dynamic, 64) if (n >= kManyAtoms)
    for (std::size_t i = 0; i < n; ++i) {
        T best = none;
        for (std::size_t j = i + 1; j < n; ++j) {
            const T bound = matrix(i, j);
            best = accepts(bound) && better(bound, best) ? bound : best;
        }
        ofRows[i] = best;
    }
    T best = none;
    for (const T ofRow : ofRows) best = better(ofRow, best) ? ofRow : best;
    return best;
}

template <class T>
double largestFinite(MatrixView<T> matrix) {
    return toAngstrom(extreme(
        matrix, T(0), [](T bound) { return !isUnknownUpper(bound); }, std::greater()));
}

template <class T>
double smallestPositive(MatrixView<T> matrix) {
    constexpr T kNone = std::numeric_limits<T>::max();
    const T smallest = extreme(
        matrix, kNone, [](T bound) { return bound > 0; }, std::less());
    return smallest == kNone ? std::numeric_limits<double>::infinity() : toAngstrom(smallest);
}

template <class T>
void checkShapesOf(const BoundMatrices<T>& matrices) {
    const MatrixView<T> upper = matrices.upper;
    const MatrixView<T> lower = matrices.lower;
    if (upper.empty())
        throw InputError("the upper bounds are empty; expected an n x n matrix with n of at least 1");
    if (upper.rows() != upper.columns())
        throw InputError(fmt::format("the upper bounds are a {} x {} matrix; expected a square one",
                                     upper.rows(), upper.columns()));
    checkView("the upper bounds", upper);
    checkView("the lower bounds", lower);
    if (!matrices.hasLower()) return;
    if (lower.rows() != upper.rows() || lower.columns() != upper.columns())
        throw InputError(fmt::format(
            "the lower bounds are a {} x {} matrix, the upper bounds {} x {}; expected equal sizes",
            lower.rows(), lower.columns(), upper.rows(), upper.columns()));
    if (lower.data() == upper.data())
        throw UsageError("the upper and the lower bounds share their memory; expected a matrix for each");
}

/// The checks of checkSmoothing that read no elements.
void checkShapes(const AnyBoundMatrices& matrices) {
    std::visit([](const auto& typed) { checkShapesOf(typed); }, matrices);
}

/// Whether the matrix is symmetric and all its elements are accepted, but for the diagonal.
template <class T, class Accepts>
bool isSound(MatrixView<const T> matrix, const Accepts& accepts) {
    const std::size_t n = matrix.rows();
    const std::vector<Range> squares = splitRange(n, kPairSquare);
    bool all = true;
#pragma omp parallel for schedule(dynamic) reduction(&& : all) if (n >= kManyAtoms)
    for (std::size_t row = 0; row < squares.size(); ++row)
        visitMirrored<T>(squares[row], matrix, matrix, [&](std::size_t, std::size_t, T above, T below) {
            all &= accepts(above) & (above == below);
        });
    return all;
}

/// Ignores the diagonal, which becomes 0 in any case.
template <class T, class Accepts>
void checkElements(std::string_view what, MatrixView<T> matrix, std::string_view expected,
                   const Accepts& accepts) {
    if (isSound<T>(matrix, accepts)) return;
    // The first fault is named.
    const std::size_t n = matrix.rows();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (i != j && !accepts(matrix(i, j)))
                throw InputError(
                    fmt::format("{}: ({}, {}) is {}; expected {}", what, i, j, matrix(i, j), expected));
    const Place place = findAsymmetry<T>(matrix).value();
    throw InputError(fmt::format("{}: not symmetric: ({}, {}) is {}, ({}, {}) is {}", what, place.row,
                                 place.column, matrix(place.row, place.column), place.column, place.row,
                                 matrix(place.column, place.row)));
}

/// The list's order. It is total, so that the list does not depend on the threads.
bool isWorse(const Violation& a, const Violation& b) {
    if (a.excess() != b.excess()) return a.excess() > b.excess();
    return a.i != b.i ? a.i < b.i : a.j < b.j;
}

/// Keeps the worst `limit`, descending.
void keepWorst(std::vector<Violation>& violations, std::size_t limit) {
    const auto end = violations.begin() + static_cast<std::ptrdiff_t>(std::min(limit, violations.size()));
    std::partial_sort(violations.begin(), end, violations.end(), isWorse);
    violations.erase(end, violations.end());
}

template <class T>
std::size_t findWorst(const BoundMatrices<T>& matrices, double tolerance, std::size_t limit,
                      std::vector<Violation>& worst) {
    // Lists are cut only when far above the limit, so that few pairs are sorted often.
    const std::size_t n = matrices.atoms();
    const std::size_t most = limit < n * n ? 2 * limit + 1024 : limit;
    std::size_t count = 0;
#pragma omp parallel reduction(+ : count) if (n >= kManyAtoms)
    {
        std::vector<Violation> mine;
#pragma omp for schedule(dynamic, 64)
        for (std::size_t i = 0; i < n; ++i) {
            const T* upper = matrices.upper.row(i);
            const T* lower = matrices.lower.row(i);
            for (std::size_t j = i + 1; j < n; ++j) {
                if (lower[j] <= upper[j] && tolerance >= 0) continue;  // nearly all pairs, in one comparison
                const Violation violation{i, j, toAngstrom(upper[j]), toAngstrom(lower[j])};
                if (!(violation.excess() > tolerance)) continue;
                ++count;
                mine.push_back(violation);
                if (mine.size() > most) keepWorst(mine, limit);
            }
        }
#pragma omp critical(glycine_bounds_violations)
        worst.insert(worst.end(), mine.begin(), mine.end());
    }
    keepWorst(worst, limit);
    return count;
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
    constexpr std::array kOwnOrder{Variant::Default, Variant::Dense, Variant::Sparse, Variant::Recursive,
                                   Variant::Blocked};
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

double SharedHostBytes::most() const {
    return std::max({reading, smoothing, checking, writing});
}

SharedHostBytes hostBytesForSharing(NumberFormat format, std::size_t atoms, double blockBytes) {
    const double matrices = bytesForBounds(format, atoms);
    return {matrices, matrices + blockBytes, matrices, matrices};
}

bool keepsInput(NumberFormat format, const SmoothingOptions& options) {
    // Floats are rounded outward in place.
    return options.keepInput && (format == NumberFormat::Fixed || options.rounding == Rounding::Nearest);
}

void restoreInput(const AnyBoundMatrices& matrices) {
    const auto copyUp = []<class T>(MatrixView<T> matrix) {
        visitAllPairs(matrix.rows(), [&](std::size_t i, std::size_t j) { matrix(i, j) = matrix(j, i); });
    };
    std::visit(
        [&](const auto& typed) {
            copyUp(typed.upper);
            if (typed.hasLower()) copyUp(typed.lower);
            zeroDiagonal(typed);
        },
        matrices);
}

SmoothingReport smooth(Backend& backend, const AnyBoundMatrices& matrices, const SmoothingOptions& options,
                       Progress& progress) {
    Stopwatch watch;
    checkSmoothing(matrices, options);
    const std::unique_ptr<SmoothingEngine> engine = createImplementation<SmoothingEngine>(backend);
    const SmoothingRequest request{options.variant, numberFormat(matrices), atomCount(matrices),
                                   options.rounding, [&] { return smallestBound(matrices); }};
    if (const Support support = engine->supports(request); !support) throw UnavailableError(support.reason());

    std::visit([](const auto& typed) { zeroDiagonal(typed); }, matrices);
    SmoothingReport report;
    const auto* const fixed = std::get_if<BoundMatrices<std::int32_t>>(&matrices);
    const std::optional<FixedRange> range =
        fixed != nullptr ? std::optional<FixedRange>(std::in_place, *fixed, progress) : std::nullopt;
    if (fixed != nullptr || options.rounding == Rounding::Outward) {
        report.step = outwardStep(matrices, progress);
        roundOutward(matrices, report.step);
    }
    report.checkSeconds = watch.restart();
    const bool isShared = backend.crew() != nullptr || teamAtWork() != nullptr;
    report.hasKeptInput = isShared && keepsInput(request.format, options);
    SmoothingOutcome outcome =
        isShared ? smoothTogether(backend, *engine, matrices, options.variant, report.hasKeptInput, progress)
                 : engine->smooth(matrices, options.variant, progress);
    watch.restart();
    if (range) range->check(*fixed);
    // Contradictory lower bounds raise d_ii, although an atom's distance to itself is zero.
    std::visit([](const auto& typed) { zeroDiagonal(typed); }, matrices);

    report.backend = backend.name();
    report.variant = toString(outcome.variant);
    report.device = backend.device();
    report.format = request.format;
    report.times = outcome.times;
    report.note = std::move(outcome.note);
    report.shared = outcome.shared;
    report.violationCount =
        findViolations(matrices, options.tolerance, options.maxListedViolations, report.violations);
    report.checkSeconds += watch.seconds();
    return report;
}

std::optional<DeviceSmoothing> smoothOnDevice(Backend& backend, const DeviceBoundRequest& request,
                                              const AnyBoundMatrices& host, const SmoothingOptions& options,
                                              Progress& progress) {
    checkNumber("the tolerance of violations", options.tolerance,
                std::isfinite(options.tolerance) && options.tolerance >= 0,
                "a finite number of Å, at least 0");
    const std::unique_ptr<SmoothingEngine> engine = createImplementation<SmoothingEngine>(backend);
    std::optional<DeviceBoundOutcome> outcome = engine->smoothOnDevice(request, host, progress);
    if (!outcome) return std::nullopt;
    DeviceSmoothing found;
    found.knownPairs = outcome->knownPairs;
    SmoothingReport& report = found.report;
    report.backend = backend.name();
    report.variant = toString(outcome->variant);
    report.device = backend.device();
    report.format = request.format;
    report.times = outcome->times;
    report.note = std::move(outcome->note);
    report.violationCount = outcome->violationCount;
    const bool isOnHost = std::visit([](const auto& typed) { return typed.hasLower(); }, host);
    if (!isOnHost) return found;
    std::visit([](const auto& typed) { zeroDiagonal(typed); }, host);
    const Stopwatch watch;
    findViolations(host, options.tolerance, options.maxListedViolations, report.violations);
    report.checkSeconds = watch.seconds();
    return found;
}

void checkSmoothing(const AnyBoundMatrices& matrices, const SmoothingOptions& options) {
    checkKnown(options.variant);
    checkKnown(options.rounding);
    checkNumber("the tolerance of violations", options.tolerance,
                std::isfinite(options.tolerance) && options.tolerance >= 0,
                "a finite number of Å, at least 0");
    checkShapes(matrices);
    const auto check = []<class T>(const BoundMatrices<T>& typed) {
        checkElements("the upper bounds", typed.upper,
                      fmt::format("a bound from 0 to {}, which stands for unknown", kUnknownUpper<T>),
                      [](T bound) { return bound >= 0 && bound <= kUnknownUpper<T>; });
        if (typed.hasLower())
            checkElements("the lower bounds", typed.lower,
                          fmt::format("a bound of at least 0 and below {}", kUnknownUpper<T>),
                          [](T bound) { return bound >= 0 && bound < kUnknownUpper<T>; });
    };
    std::visit(check, matrices);
}

std::size_t findViolations(const AnyBoundMatrices& matrices, double tolerance, std::size_t limit,
                           std::vector<Violation>& worst) {
    checkNumber("the tolerance of violations", tolerance, std::isfinite(tolerance), "a finite number of Å");
    checkShapes(matrices);
    worst.clear();
    return std::visit(
        [&](const auto& typed) { return typed.hasLower() ? findWorst(typed, tolerance, limit, worst) : 0; },
        matrices);
}

}  // namespace glycine::bounds
