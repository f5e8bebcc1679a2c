#include "engine/bounds/outward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/bounds/number_format.hpp"
#include "engine/bounds/reach.hpp"

namespace glycine::bounds {

namespace {

constexpr int kLeastExponent = -100;

/// 2ᵖ: floats hold the multiples of a step up to this many steps.
template <class T>
constexpr double kExactSteps = T(1) / std::numeric_limits<T>::epsilon() * 2;

/// What no smoothed upper bound exceeds, in steps of 1: the least step that it allows.
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
#pragma omp parallel for schedule(static) if (n >= 512)
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
