#include "engine/bounds/outward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "engine/bounds/agreement.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/core/error.hpp"

namespace glycine::bounds {

namespace {

constexpr double kNotReached = std::numeric_limits<double>::infinity();

/// Å; sums of the fixed format stay below.
constexpr double kFixedSumLimit = kUnknownUpper<std::int32_t> / kFixedUnitsPerAngstrom;

[[noreturn]] void refusePath(std::size_t i, std::size_t j, const std::string& length) {
    throw InputError(fmt::format(
        "the upper bound that follows for pair ({}, {}) is {}; the fixed format holds less than {:.0f} Å "
        "(float32 with outward rounding is as safe, float64 finer)",
        std::min(i, j), std::max(i, j), length, kFixedSumLimit));
}

/// Dijkstra's algorithm; where a group is used up, the search goes on from the next atom. O(n²) time, O(n)
/// memory. Throws CancelledError.
template <class T>
Reach measureReach(MatrixView<const T> upper, const Progress& progress) {
    const std::size_t n = upper.rows();
    Reach reach{std::vector<std::size_t>(n), std::vector<double>(n, kNotReached),
                std::vector<std::uint32_t>(n, 0)};
    std::vector<std::size_t> open(n);
    for (std::size_t atom = 0; atom < n; ++atom) open[atom] = n - 1 - atom;
    while (!open.empty()) {
        progress.throwIfCancelled();
        // The last one stands for a new group, where none is reached: roots are taken in ascending order.
        std::size_t nearest = open.size() - 1;
        for (std::size_t slot = 0; slot < open.size(); ++slot)
            if (reach.distance[open[slot]] < reach.distance[open[nearest]]) nearest = slot;
        const std::size_t k = open[nearest];
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(nearest));
        if (reach.distance[k] == kNotReached) {
            reach.distance[k] = 0;
            reach.root[k] = k;
        }
        const T* const edges = upper.row(k);
        for (const std::size_t j : open) {
            if (isUnknownUpper(edges[j])) {
                reach.hasUnknown = true;
                continue;
            }
            const double candidate = reach.distance[k] + toAngstrom(edges[j]);
            if (!(candidate < reach.distance[j])) continue;
            reach.distance[j] = candidate;
            reach.steps[j] = reach.steps[k] + 1;
            reach.root[j] = reach.root[k];
        }
    }
    return reach;
}

constexpr int kLeastExponent = -100;

/// 2ᵖ: floats hold the multiples of a step up to this many steps.
template <class T>
constexpr double kExactSteps = T(1) / std::numeric_limits<T>::epsilon() * 2;

/// The least step that a limit of all smoothed upper bounds allows.
template <class T>
double stepForUpper(MatrixView<const T> upper, const Progress& progress) {
    const std::size_t n = upper.rows();
    const Reach reach = measureReach(upper, progress);
    // A sum of up to n distances in double precision lies this much below the exact one at most.
    const double slack = 1 + static_cast<double>(n + 4) * std::numeric_limits<double>::epsilon();
    double byPaths = 0;
    for (std::size_t j = 0; j < n; ++j) {
        // Rounded up, the path is at most distance + steps·s long, and twice that at most 2ᵖ·s.
        const double left = kExactSteps<T> - 2.0 * reach.steps[j];
        byPaths = left > 0 ? std::max(byPaths, 2 * reach.distance[j] * slack / left)
                           : std::numeric_limits<double>::infinity();
    }
    if (reach.hasUnknown) return byPaths;
    T largest = 0;
    for (std::size_t i = 0; i < n; ++i)
        largest = std::max(largest, *std::max_element(upper.row(i), upper.row(i) + n));
    return std::min(byPaths, largest / kExactSteps<T>);
}

template <class T>
double stepFor(const BoundMatrices<T>& matrices, const Progress& progress) {
    double least = stepForUpper<T>(matrices.upper, progress);
    for (std::size_t i = 0; matrices.hasLower() && i < matrices.atoms(); ++i)
        least = std::max<double>(
            least, *std::max_element(matrices.lower.row(i), matrices.lower.row(i) + matrices.atoms()) /
                       kExactSteps<T>);
    int exponent = 0;
    const double mantissa = std::frexp(least, &exponent);  // in [0.5, 1)
    if (mantissa == 0.5) --exponent;
    return std::ldexp(1.0, least > 0 ? std::max(exponent, kLeastExponent) : kLeastExponent);
}

}  // namespace

FixedRange::FixedRange(const BoundMatrices<std::int32_t>& input, const Progress& progress) {
    // Where every pair has a bound, no smoothed one is larger than the largest.
    bool hasUnknown = false;
    for (std::size_t i = 0; i < input.atoms() && !hasUnknown; ++i)
        hasUnknown =
            std::any_of(input.upper.row(i), input.upper.row(i) + input.atoms(), isUnknownUpper<std::int32_t>);
    if (!hasUnknown) return;
    Reach reach = measureReach<std::int32_t>(input.upper, progress);
    const auto farthest = std::max_element(reach.distance.begin(), reach.distance.end());
    // Distances are whole numbers of 2⁻²⁰ Å, exact in double precision.
    if (*farthest >= kFixedSumLimit) {
        const auto atom = static_cast<std::size_t>(farthest - reach.distance.begin());
        refusePath(reach.root[atom], atom, fmt::format("{:.1f} Å", *farthest));
    }
    if (2 * *farthest >= kFixedSumLimit) reach_ = std::move(reach);
}

void FixedRange::check(const BoundMatrices<std::int32_t>& smoothed) const {
    if (!reach_) return;
    for (std::size_t i = 0; i < smoothed.atoms(); ++i)
        for (std::size_t j = i + 1; j < smoothed.atoms(); ++j)
            if (reach_->root[i] == reach_->root[j] && isUnknownUpper(smoothed.upper(i, j)))
                refusePath(i, j, "longer");
}

double outwardStep(const AnyBoundMatrices& matrices, const Progress& progress) {
    return std::visit(
        [&progress]<class T>(const BoundMatrices<T>& typed) {
            if constexpr (std::is_floating_point_v<T>)
                return stepFor(typed, progress);
            else
                return toAngstrom(T(1));
        },
        matrices);
}

void roundOutward(const AnyBoundMatrices& matrices, double step) {
    const auto round = [step]<class T>(const BoundMatrices<T>& typed) {
        if constexpr (std::is_floating_point_v<T>) {
            // Powers of two: quotients and products are exact.
            const double limit = kExactSteps<T> * step;
            const auto up = [&](T bound) {
                return bound < limit ? T(std::ceil(bound / step) * step) : bound;
            };
            const auto down = [&](T bound) { return T(std::floor(bound / step) * step); };
            const std::size_t n = typed.atoms();
#pragma omp parallel for schedule(static) if (n >= kManyAtoms)
            for (std::size_t i = 0; i < n; ++i) {
                std::transform(typed.upper.row(i), typed.upper.row(i) + n, typed.upper.row(i), up);
                if (typed.hasLower())
                    std::transform(typed.lower.row(i), typed.lower.row(i) + n, typed.lower.row(i), down);
            }
        }
    };
    std::visit(round, matrices);
}

}  // namespace glycine::bounds
