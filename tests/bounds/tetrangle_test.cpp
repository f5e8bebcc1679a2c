// The tetrangle inequality against quadruples worked by hand, and against configurations that are searched
// for.
#include "engine/bounds/tetrangle.hpp"

#include "engine/core/random.hpp"
#include "engine/structure/molecule.hpp"
#include "tests/bounds/bounds_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::bounds {
namespace {

using structure::Vector;
using Points = std::array<Vector, 4>;

TetrangleSweep sweep(FilledBounds<double>& bounds, InstructionSet set = detectInstructionSet()) {
    HostBackend backend("cpu", 2, set);
    return tightenBy(findTetrangleLimits(backend, bounds.view(), silentProgress()), bounds.view());
}

FilledBounds<double> smoothed(FilledBounds<double> bounds) {
    HostBackend backend("reference", 1);
    smoothWith(backend, bounds, Variant::Serial);
    return bounds;
}

// A rhombus with sides 1: one diagonal of at least 1.2 leaves √(4 − 1.2²) = 1.6 for the other.
TEST(Tetrangles, TheDiagonalsOfARhombus) {
    FilledBounds<double> bounds(4);
    for (const auto& [i, j] : {std::pair{0, 2}, {0, 3}, {1, 2}, {1, 3}})
        bounds.set(static_cast<std::size_t>(i), static_cast<std::size_t>(j), 1, 1);
    bounds.set(2, 3, 1.2, 2);
    bounds.set(0, 1, 0, 2);
    EXPECT_EQ(sweep(bounds).upper, 1U);
    EXPECT_NEAR(bounds.upper(0, 1), 1.6, 2e-5);
    EXPECT_EQ(bounds.upper(0, 1), bounds.upper(1, 0));
    EXPECT_EQ(bounds.upper(2, 3), 2);
}

// A square's corners 0 and 1 with both diagonals of at least √2 and the other three sides of at most 1.
TEST(Tetrangles, TheSideOfASquare) {
    FilledBounds<double> bounds(4);
    const double diagonal = std::sqrt(2.0);
    bounds.set(0, 2, diagonal, 2);
    bounds.set(1, 3, diagonal, 2);
    bounds.set(0, 3, 0.5, 1);
    bounds.set(1, 2, 0.5, 1);
    bounds.set(2, 3, 0.5, 1);
    bounds.set(0, 1, 0.1, 2);
    sweep(bounds);
    EXPECT_NEAR(bounds.lower(0, 1), 1, 2e-5);
    EXPECT_EQ(bounds.upper(0, 1), 2);
}

TEST(Tetrangles, ExactDistancesStay) {
    RandomSequence random(3);
    FilledBounds<double> bounds(9);
    std::vector<Vector> at(9);
    for (Vector& one : at) one = {random.uniform(), 5 * random.uniform(), 5 * random.uniform()};
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = 0; j < i; ++j) bounds.set(i, j, length(at[i] - at[j]), length(at[i] - at[j]));
    const TetrangleSweep found = sweep(bounds);
    EXPECT_EQ(found.upper + found.lower, 0U);
}

double distance(const Points& at, std::size_t i, std::size_t j) {
    return length(at[i] - at[j]);
}

/// The largest and the least d_01 of four points whose other distances are on a grid over their bounds: such
/// points lie in a plane, 0 and 1 on both sides of the line through 2 and 3 or on one.
std::pair<double, double> extremes(const FilledBounds<double>& bounds) {
    constexpr int kSteps = 10;
    const auto onGrid = [&](std::size_t i, std::size_t j, const auto& take) {
        for (int step = 0; step <= kSteps; ++step)
            take(bounds.lower(i, j) + step * (bounds.upper(i, j) - bounds.lower(i, j)) / kSteps);
    };
    double most = 0;
    double least = HUGE_VAL;
    onGrid(2, 3, [&](double across) {
        const auto places = [&](std::size_t point) {
            std::vector<std::pair<double, double>> found;
            onGrid(point, 2, [&](double a) {
                onGrid(point, 3, [&](double b) {
                    const double x = (a * a - b * b) / (2 * across) + across / 2;
                    if (std::abs(x) <= a) found.emplace_back(x, std::sqrt(a * a - x * x));
                });
            });
            return found;
        };
        const auto second = places(1);
        for (const auto& [x, y] : places(0))
            for (const auto& [otherX, otherY] : second) {
                most = std::max(most, std::hypot(x - otherX, y + otherY));
                least = std::min(least, std::hypot(x - otherX, y - otherY));
            }
    });
    return {most, least};
}

TEST(Tetrangles, LimitsAreThoseOfPointsThatExist) {
    RandomSequence random(11);
    int lessUpper = 0;
    int moreLower = 0;
    for (int problem = 0; problem < 100; ++problem) {
        Points at;
        for (Vector& one : at)
            one = {4 * random.uniform(), 4 * random.uniform(), problem % 2 * random.uniform()};
        FilledBounds<double> bounds(4);
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const double d = distance(at, i, j);
                bounds.set(i, j, d * (1 - 0.1 * random.uniform()), d * (1 + 0.1 * random.uniform()));
            }
        bounds.set(0, 1, 0, 30);
        bounds = smoothed(bounds);
        const auto [most, least] = extremes(bounds);
        const FilledBounds<double> before = bounds;
        sweep(bounds);
        EXPECT_LE(most, bounds.upper(0, 1)) << problem;
        EXPECT_GE(least, bounds.lower(0, 1)) << problem;
        // Extremes of four points lie where all bounds are reached, which the grid has; those of three
        // between.
        const bool isUpperLess = bounds.upper(0, 1) < before.upper(0, 1);
        const bool isLowerMore = bounds.lower(0, 1) > before.lower(0, 1);
        EXPECT_NEAR(most, bounds.upper(0, 1), isUpperLess ? 2e-5 : 0.1) << problem;
        EXPECT_NEAR(least, bounds.lower(0, 1), isLowerMore ? 2e-5 : 0.2) << problem;
        lessUpper += isUpperLess ? 1 : 0;
        moreLower += isLowerMore ? 1 : 0;
    }
    EXPECT_GT(lessUpper, 30);
    EXPECT_GT(moreLower, 30);
}

TEST(Tetrangles, InstructionSetsAgreeToTheBit) {
    RandomSequence random(5);
    std::vector<Vector> at(60);
    for (Vector& one : at) one = {9 * random.uniform(), 9 * random.uniform(), 9 * random.uniform()};
    FilledBounds<double> bounds(60);
    for (std::size_t i = 0; i < 60; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double d = length(at[i] - at[j]);
            const bool isKnown = d < 5;
            bounds.set(i, j, isKnown ? 0.9 * d : 1, isKnown ? 1.1 * d : kUnknownUpper<double>);
        }
    bounds = smoothed(bounds);
    FilledBounds<double> plain = bounds;
    const TetrangleSweep found = sweep(bounds);
    sweep(plain, InstructionSet::Generic);
    EXPECT_GT(found.lower, 100U);
    EXPECT_GT(found.upper, 10U);
    for (std::size_t i = 0; i < 60; ++i)
        for (std::size_t j = 0; j < 60; ++j) {
            EXPECT_EQ(bounds.upper(i, j), plain.upper(i, j));
            EXPECT_EQ(bounds.lower(i, j), plain.lower(i, j));
            if (i == j) continue;
            EXPECT_LE(length(at[i] - at[j]), bounds.upper(i, j));
            EXPECT_GE(length(at[i] - at[j]), bounds.lower(i, j));
        }
}

TEST(Tetrangles, RefusesWhatTakesTooLong) {
    FilledBounds<float> bounds(kMaxTetrangleAtoms + 1);
    EXPECT_THROW(checkTetrangles(bounds.view()), UnavailableError);
}

}  // namespace
}  // namespace glycine::bounds
