// Rounding allowances: near ties, and rows that are checked exactly.
#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/bounds/exact_row.hpp"
#include "tests/bounds/tied_bounds.hpp"
#include "tests/test.hpp"

namespace glycine::bounds {
namespace {

// ---- How many sums a bound may have been taken through, where paths are equally long but for rounding.

using Bounds = fixtures::FilledBounds<float>;

/// The allowance of the row, in sums of numbers of `largest` Å.
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
    // An atom that cannot be reached adds no path.
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

// Steps of length 0, and steps that sums round away, do not round: only rises count.
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

// Without ties the allowance stays small, so that mistakes are found.
TEST(NearTies, OrdinaryMoleculesAreAllowedNoMoreThanTheirPaths) {
    for (const Kind kind : {Kind::Dense, Kind::Sparse, Kind::Unknown}) {
        Bounds input = makeBounds<float>(300, kind);
        double alone = 0;
        for (std::size_t row = 0; row < input.atoms(); ++row) {
            const ExactRow<float> exact = smoothRow(input.view(), row, Rounding::Nearest);
            const double largest = *std::max_element(exact.upper.begin(), exact.upper.end());
            alone = std::max(alone, pathRoundingBound(NumberFormat::Float32, exact.steps, largest));
        }
        EXPECT_LE(roundingOfAllRows(input.view(), silentProgress()), 1.5 * alone) << kind;
    }
}

TEST(NearTies, FixedPointAndOutwardRoundingHaveNone) {
    auto fixed = makeBounds<std::int32_t>(40, Kind::Sparse);
    EXPECT_EQ(roundingOfAllRows(fixed.view(), silentProgress()), 0);
    Bounds bounds = makeBounds<float>(40, Kind::Sparse);
    EXPECT_EQ(smoothRow(bounds.view(), 0, Rounding::Outward).rounding, 0);
    EXPECT_GT(smoothRow(bounds.view(), 0, Rounding::Nearest).rounding, 0);
}

/// For each atom x the most rises of walks to any r with D_x ≤ D_r ≤ D_x + tolerance, by the three steps at
/// nearTieRounding().
template <class T>
std::vector<int> risesByDefinition(MatrixView<T> edges, const std::vector<double>& distance,
                                   const std::vector<int>& before, double tolerance) {
    const std::size_t n = distance.size();
    const auto isNear = [&](std::size_t x, std::size_t r) {
        return distance[x] <= distance[r] && distance[r] <= distance[x] + tolerance;
    };
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t atom) { return distance[atom]; });
    std::vector<int> rises(n, -1);
    for (const std::size_t y : order) {
        rises[y] = before[y];
        for (std::size_t x = 0; x < n; ++x)
            for (std::size_t r = 0; r < n; ++r)
                if (distance[x] < distance[y] &&
                    distance[x] + double{edges(x, y)} <= distance[y] + tolerance && isNear(x, r) &&
                    distance[r] < distance[y] && rises[r] >= 0)
                    rises[y] = std::max(rises[y], rises[r] + 1);
    }
    std::vector<int> most(n, -1);
    for (std::size_t x = 0; x < n; ++x)
        for (std::size_t r = 0; r < n; ++r)
            if (isNear(x, r)) most[x] = std::max(most[x], rises[r]);
    return most;
}

template <class T>
double roundingByDefinition(const BoundMatrices<T>& input, std::size_t row) {
    const std::size_t n = input.atoms();
    const std::vector<double> upper = denseDijkstra<double, T>(input.upper, row).distance;
    const std::vector<double> lower = searchLower<double, T>(input, upper).distance;  // negated
    double largest = *std::ranges::max_element(upper);
    for (std::size_t p = 0; p < n; ++p)
        for (std::size_t q = 0; q < n; ++q) largest = std::max(largest, double{input.lower(p, q)});
    std::vector<int> start(n, -1);
    start[row] = 0;
    auto sums = 2 * static_cast<int>(n - 1);
    for (int pass = 0; pass < 2; ++pass) {
        const double tolerance =
            pathRoundingBound(numberFormat(input), 2 * static_cast<std::size_t>(sums), largest);
        const std::vector<int> rises = risesByDefinition(input.upper, upper, start, tolerance);
        std::vector<int> before(n, -1);
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = 0; q < n; ++q)
                if (p != q && upper[p] - double{input.lower(p, q)} <= lower[q] + tolerance)
                    before[q] = std::max(before[q], rises[p]);
        std::vector<int> all = risesByDefinition(input.upper, lower, before, tolerance);
        all[row] = *std::ranges::max_element(rises) - 1;
        sums = std::min(sums, std::max(0, *std::ranges::max_element(all)));
    }
    return pathRoundingBound(numberFormat(input), static_cast<std::size_t>(sums), largest);
}

template <class T>
void expectDefinedRounding(fixtures::FilledBounds<T> input, std::string_view what) {
    for (std::size_t row = 0; row < input.atoms(); row += 7)
        EXPECT_EQ(smoothRow(input.view(), row, Rounding::Nearest).rounding,
                  roundingByDefinition(input.view(), row))
            << what << ", row " << row;
}

TEST(NearTies, AreThoseOfTheDefinition) {
    for (const Ties ties : fixtures::kAllTies) {
        expectDefinedRounding(fixtures::makeTiedBounds<float>(ties, 64), nameOf(ties));
        expectDefinedRounding(fixtures::makeTiedBounds<double>(ties, 64), nameOf(ties));
    }
    for (const Kind kind : {Kind::Dense, Kind::Sparse, Kind::Unknown}) {
        expectDefinedRounding(makeBounds<float>(65, kind), "float");
        expectDefinedRounding(makeBounds<double>(65, kind), "double");
    }
}

// ---- Rows that are counted again: what rounding does is allowed on every path, and hardly more.

template <class T>
using Owned = fixtures::FilledBounds<T>;

struct Found {
    double difference = 0;
    double allowed = 0;
    double share() const { return difference == 0 ? 0 : difference / allowed; }
};
/// The largest share of the allowance that the first rows use.
Found compareRows(ExactRows& exact, std::size_t rows) {
    Found worst;
    for (std::size_t row = 0; row < rows; ++row)
        exact.compare(row, [&](std::string_view, std::size_t, double found, double expected, double allowed) {
            const Found one{found == expected ? 0 : std::abs(found - expected), allowed};
            if (one.share() >= worst.share()) worst = one;
        });
    return worst;
}

/// The same of elements, each by itself: all of small matrices.
Found compareElements(ExactRows& exact, std::size_t atoms) {
    Found worst;
    const std::size_t step = atoms / 64 + 1;
    for (std::size_t row = 0; row < atoms; row += step)
        for (std::size_t column = row % step; column < atoms; column += step) {
            if (column == row) continue;
            exact.compareElement(
                row, column,
                [&](std::string_view, std::size_t, double found, double expected, double allowed) {
                    const Found one{found == expected ? 0 : std::abs(found - expected), allowed};
                    if (one.share() >= worst.share()) worst = one;
                });
        }
    return worst;
}

template <class T>
void expectRows(const Owned<T>& input, Rounding rounding, std::string_view what) {
    Owned<T> given(input);
    for (const auto& [name, variant] : {std::pair{"reference", Variant::Default},
                                        {"cpu", Variant::Dense},
                                        {"cpu", Variant::Sparse},
                                        {"cpu", Variant::Recursive}}) {
        HostBackend backend(name, 1);
        Owned<T> smoothed(input);
        const SmoothingReport report =
            smooth(backend, smoothed.view(), {.variant = variant, .rounding = rounding}, silentProgress());
        ExactRows exact(given.view(), smoothed.view(), report.step);
        const Found found = compareRows(exact, std::min<std::size_t>(12, input.atoms()));
        EXPECT_LE(found.difference, found.allowed)
            << name << " " << toString(variant) << ", " << toString(rounding) << ": " << what;
        const Found element = compareElements(exact, input.atoms());
        EXPECT_LE(element.difference, element.allowed) << "elements of " << name << " " << toString(variant)
                                                       << ", " << toString(rounding) << ": " << what;
    }
}

TEST(ExactRow, RoundingIsAllowed) {
    for (const Rounding rounding : {Rounding::Nearest, Rounding::Outward}) {
        for (const Kind kind : fixtures::kAllKinds) {
            expectRows(makeBounds<float>(60, kind), rounding, "float");
            expectRows(makeBounds<double>(60, kind), rounding, "double");
        }
        expectRows(fixtures::onALine<float>(150, 1, true), rounding, "a line");
        // Sums along the exact paths of these rows explain three quarters of the roundings of `sparse`.
        expectRows(fixtures::onALine<float>(400, 5, false), rounding, "upper bounds of a line");
        expectRows(fixtures::onALine<double>(100, 4, true), rounding, "a line in double");
    }
    expectRows(makeBounds<std::int32_t>(60, Kind::Sparse), Rounding::Outward, "fixed");
}

TEST(ExactRow, OutwardRoundingIsAllowedForTheBoundsOfAPathAlone) {
    constexpr std::size_t kAtoms = 400;
    Owned<float> input(kAtoms);
    for (std::size_t i = 0; i < kAtoms; ++i)
        for (std::size_t j = i + 1; j < kAtoms; ++j) input.set(i, j, 0, 10);
    Owned<float> smoothed(input);
    smoothed.set(3, 5, 0, 10 - 1e-4);
    ExactRows exact(input.view(), smoothed.view(), 0x1p-20);
    const Found found = compareRows(exact, 10);
    EXPECT_NEAR(found.difference, 1e-4, 1e-6);
    EXPECT_LT(found.allowed, 5e-6);
}

// Each by the bounds next to it: a bound alone, one of each pair, a row, a tile and all of them, too large
// and too small.
template <class T>
class ExactElement : public testing::Test {};
using Formats = testing::Types<float, double, std::int32_t>;
TYPED_TEST_SUITE(ExactElement, Formats);

TYPED_TEST(ExactElement, FindsWhatIsWrong) {
    using T = TypeParam;
    constexpr std::size_t kAtoms = 60;
    const Rounding rounding = std::is_same_v<T, std::int32_t> ? Rounding::Outward : Rounding::Nearest;
    Owned<T> given = makeBounds<T>(kAtoms, Kind::Sparse);
    Owned<T> right(given);
    HostBackend backend("reference", 1);
    const SmoothingReport report = smooth(backend, right.view(), {.rounding = rounding}, silentProgress());
    struct Fault {
        std::string name;
        std::function<bool(std::size_t i, std::size_t j)> hits;
    };
    const std::vector<Fault> faults{
        {"one", [](std::size_t i, std::size_t j) { return i == 7 && j == 40; }},
        {"a row", [](std::size_t i, std::size_t) { return i == 13; }},
        {"a tile", [](std::size_t i, std::size_t j) { return i / 8 == 2 && j / 8 == 5; }},
        {"all", [](std::size_t, std::size_t) { return true; }},
    };
    for (const Fault& fault : faults)
        for (const double factor : {0.9, 1.05}) {
            Owned<T> wrong(right);
            BoundMatrices<T> view = wrong.view();
            std::size_t hit = 0, found = 0;
            for (std::size_t i = 0; i < kAtoms; ++i)
                for (std::size_t j = 0; j < kAtoms; ++j) {
                    if (i == j || !fault.hits(i, j)) continue;
                    hit += 1;
                    view.upper(i, j) = static_cast<T>(static_cast<double>(view.upper(i, j)) * factor);
                }
            ExactRows exact(given.view(), wrong.view(), report.step);
            for (std::size_t i = 0; i < kAtoms; ++i)
                for (std::size_t j = 0; j < kAtoms; ++j) {
                    if (i == j || !fault.hits(i, j)) continue;
                    bool isWrong = false;
                    exact.compareElement(i, j,
                                         [&](std::string_view kind, std::size_t, double value,
                                             double expected, double allowed) {
                                             isWrong |=
                                                 kind == "upper" && !(std::abs(value - expected) <= allowed);
                                         });
                    found += isWrong ? 1 : 0;
                }
            EXPECT_GE(2 * found, hit) << fault.name << " by " << factor << ": " << found << " of " << hit;
        }
}

}  // namespace
}  // namespace glycine::bounds
