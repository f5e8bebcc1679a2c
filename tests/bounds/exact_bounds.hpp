#pragma once

#include "engine/bounds/exact_row.hpp"
#include "tests/bounds/bounds_fixtures.hpp"
#include "tests/test.hpp"

/// Smoothed bounds without any rounding, for comparison with rounded ones: whole numbers of 2⁻⁵⁰ Å in 64
/// bits.
namespace glycine::bounds::fixtures {

/// All bounds of the tests lie below 2⁹ Å and most sums below 2¹¹, so that nothing overflows.
inline constexpr double kExactUnit = 0x1p-50;
inline constexpr std::int64_t kExactUnknown = std::int64_t{1} << 61;

/// Moves bounds that are finer than the unit (floats below 2⁻²⁶ Å) to it.
template <class T>
void moveToExactUnits(FilledBounds<T>& bounds) {
    for (Matrix<T>* matrix : {&bounds.upper, &bounds.lower})
        for (std::size_t i = 0; i < matrix->size(); ++i) {
            T& bound = matrix->data()[i];
            if (!isUnknownUpper(bound)) bound = static_cast<T>(std::round(bound / kExactUnit) * kExactUnit);
        }
}

template <class T>
std::int64_t toExact(T bound) {
    if (isUnknownUpper(bound)) return kExactUnknown;
    const double units = static_cast<double>(bound) / kExactUnit;
    EXPECT_EQ(units, std::floor(units));
    return static_cast<std::int64_t>(units);
}

/// Exact results for `input`, and the number of input bounds behind each result.
struct ExactBounds {
    Matrix<std::int64_t> upper, lower;
    Matrix<std::uint32_t> upperSteps, lowerSteps;

    template <class T>
    explicit ExactBounds(const FilledBounds<T>& input)
        : upper(input.atoms(), input.atoms()),
          lower(input.atoms(), input.atoms()),
          upperSteps(input.atoms(), input.atoms()),
          lowerSteps(input.atoms(), input.atoms()) {
        const std::size_t n = input.atoms();
        Matrix<std::int64_t> u(n, n), l(n, n);
        for (std::size_t i = 0; i < n * n; ++i) {
            u.data()[i] = toExact(input.upper.data()[i]);
            l.data()[i] = toExact(input.lower.data()[i]);
        }
        const BoundMatrices<std::int64_t> exact{u.view(), l.view()};
        for (std::size_t i = 0; i < n; ++i) {
            const auto paths = denseDijkstra<std::int64_t, std::int64_t>(exact.upper, i);
            const auto search = searchLower(exact, paths.distance);
            for (std::size_t j = 0; j < n; ++j) {
                upper(i, j) = paths.distance[j];
                upperSteps(i, j) = paths.steps[j];
                lower(i, j) = i == j ? 0 : -search.distance[j];
                std::size_t start = j;
                while (search.previous[start] != kNoAtom) start = search.previous[start];
                const std::size_t partner = search.partner[start];
                lowerSteps(i, j) = search.steps[j] + 1 + (partner == kNoAtom ? 0 : paths.steps[partner]);
            }
        }
    }
};

/// How many results exclude what the exact bounds allow; and how many lie farther from them than one step of
/// `step` Å for each input bound that they are made of.
struct Excluded {
    std::size_t pairs = 0;
    std::size_t tooFar = 0;
};
template <class T>
Excluded compareWithExact(const FilledBounds<T>& found, const ExactBounds& exact, double step) {
    Excluded result;
    const std::size_t n = found.atoms();
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            const bool isUnknown = exact.upper(i, j) >= kExactUnknown;
            EXPECT_EQ(isUnknownUpper(found.upper(i, j)), isUnknown) << i << ' ' << j;
            const std::int64_t above = isUnknown ? 0 : toExact(found.upper(i, j)) - exact.upper(i, j);
            const std::int64_t below = exact.lower(i, j) - toExact(found.lower(i, j));
            result.pairs += above < 0 || below < 0;
            result.tooFar += static_cast<double>(above) * kExactUnit > exact.upperSteps(i, j) * step ||
                             static_cast<double>(below) * kExactUnit > exact.lowerSteps(i, j) * step;
        }
    return result;
}

/// n atoms on a string, each within 1 to 1.5 Å of the next, nothing else known but that the ends are apart:
/// the longest paths, every sum of which rounds.
template <class T>
FilledBounds<T> stringOfAtoms(std::size_t n, std::uint32_t seed) {
    FilledBounds<T> bounds(n);
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(1, 1.5);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j)
            bounds.set(i, j, 0.0, j == i + 1 ? uniform(generator) : std::numeric_limits<double>::infinity());
    if (n > 2) bounds.set(0, n - 1, static_cast<double>(n) * 0.9 + 1 / 3.0, 1e3);
    moveToExactUnits(bounds);
    return bounds;
}

}  // namespace glycine::bounds::fixtures

namespace glycine::bounds {
using namespace fixtures;
}
