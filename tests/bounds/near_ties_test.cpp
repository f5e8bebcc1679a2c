// How many sums a bound may have been taken through, where paths are equally long but for rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "engine/bounds/exact_row.hpp"
#include "tests/bounds/tied_bounds.hpp"

namespace glycine::bounds {
namespace {

using fixtures::Kind;
using fixtures::makeBounds;
using fixtures::onALine;
using Bounds = fixtures::FilledBounds<float>;

/// What is allowed for the row, in sums of numbers of `largest` Å.
double sumsOf(Bounds& bounds, std::size_t row, double largest) {
    return smoothRow(bounds.view(), row, Rounding::Nearest).rounding /
           pathRoundingBound(NumberFormat::Float32, 1, largest);
}

/// All pairs `others` Å but those of neighbours.
Bounds chain(std::size_t n, double link, double others) {
    Bounds bounds(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) bounds.set(i, j, 0, j == i + 1 ? link : others);
    return bounds;
}

// By hand: 0-1-2-3-4 adds three times; L12 = l04 − U01 − U24 with U24 = u23 + u34, three sums again.
TEST(NearTies, SumsOfPathsThatAreAlone) {
    Bounds direct = chain(3, 2, 2);
    EXPECT_EQ(sumsOf(direct, 0, 2), 0);
    Bounds links = chain(5, 1, 20);
    EXPECT_EQ(sumsOf(links, 0, 4), 3);
    EXPECT_EQ(sumsOf(links, 2, 2), 1);
    Bounds held = chain(5, 1, 20);
    held.set(0, 4, 3.5, 20);
    EXPECT_EQ(sumsOf(held, 1, 3.5), 3);
    EXPECT_EQ(sumsOf(held, 0, 4), 3);  // L01 = l04 − U14; L00, which would take one more, is no result
    // What cannot be reached is no path.
    Bounds apart = chain(3, 1, std::numeric_limits<double>::infinity());
    apart.set(1, 2, 0, std::numeric_limits<double>::infinity());
    EXPECT_EQ(sumsOf(apart, 0, 1), 0);
    Bounds one(1);
    EXPECT_EQ(smoothRow(one.view(), 0, Rounding::Nearest).rounding, 0);
}

// The direct bound is the shortest path, by less than rounding: a backend may have gone through all atoms.
TEST(NearTies, TheLongerOfTwoPathsThatRoundingConfuses) {
    Bounds tied = chain(5, 1, 20);
    const auto direct = [&](float length) {
        tied.upper(0, 4) = tied.upper(4, 0) = length;
        return sumsOf(tied, 0, 4);
    };
    EXPECT_NEAR(direct(4), 3, 1e-6);
    EXPECT_NEAR(direct(std::nextafter(4.0F, 0.0F)), 3, 1e-6);
    EXPECT_LT(direct(3.99F), 3);
}

// Steps of nothing round nothing, nor do steps that sums round away: only what leads on counts.
TEST(NearTies, AtomsInOnePlaceCountOnce) {
    for (const double spread : {0.0, 1e-9}) {
        std::vector<double> places;
        for (std::size_t i = 0; i < 90; ++i)
            places.push_back(1.1 * static_cast<double>(i / 30) + spread * static_cast<double>(i % 30));
        Bounds bounds = onALine<float>(places, false);
        // From the first place to the second and the third: one sum; float64 would see each atom apart.
        const double sums = sumsOf(bounds, 0, 2.2);
        EXPECT_GE(sums, 1 - 1e-6);
        EXPECT_LE(sums, spread == 0 ? 1 + 1e-6 : 90);
    }
}

// A line of atoms 0.1 Å apart: between the ends all of them lie on some shortest path, and no more.
TEST(NearTies, AllAtomsOfALine) {
    std::vector<double> places;
    for (std::size_t i = 0; i < 150; ++i) places.push_back(0.1 * static_cast<double>(i));
    Bounds bounds = onALine<float>(places, false);
    EXPECT_NEAR(sumsOf(bounds, 0, bounds.upper(0, 149)), 148, 1e-3);
    EXPECT_NEAR(sumsOf(bounds, 75, bounds.upper(75, 0)), 74, 1e-3);
}

// Nothing that is allowed for ties costs the eye for mistakes where there are none.
TEST(NearTies, OrdinaryMoleculesAreAllowedNoMoreThanTheirPaths) {
    for (const Kind kind : {Kind::Dense, Kind::Sparse, Kind::Unknown}) {
        Bounds input = makeBounds<float>(300, kind);
        Progress progress;
        double alone = 0;
        for (std::size_t row = 0; row < input.atoms(); ++row) {
            const ExactRow<float> exact = smoothRow(input.view(), row, Rounding::Nearest);
            const double largest = *std::max_element(exact.upper.begin(), exact.upper.end());
            alone = std::max(alone, pathRoundingBound(NumberFormat::Float32, exact.steps, largest));
        }
        EXPECT_LE(roundingOfAllRows(input.view(), progress), 1.5 * alone) << kind;
    }
}

TEST(NearTies, FixedPointAndOutwardRoundingHaveNone) {
    auto fixed = makeBounds<std::int32_t>(40, Kind::Sparse);
    Progress progress;
    EXPECT_EQ(roundingOfAllRows(fixed.view(), progress), 0);
    Bounds bounds = makeBounds<float>(40, Kind::Sparse);
    EXPECT_EQ(smoothRow(bounds.view(), 0, Rounding::Outward).rounding, 0);
    EXPECT_GT(smoothRow(bounds.view(), 0, Rounding::Nearest).rounding, 0);
}

}  // namespace
}  // namespace glycine::bounds
