// Rows that are counted again: what rounding does is allowed on every path, and hardly more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "engine/bounds/exact_row.hpp"
#include "engine/core/host_backends.hpp"
#include "tests/bounds/tied_bounds.hpp"

namespace glycine::bounds {
namespace {

using fixtures::Kind;
using fixtures::makeBounds;
template <class T>
using Owned = fixtures::FilledBounds<T>;

struct Found {
    double difference = 0;
    double allowed = 0;
    double share() const { return difference == 0 ? 0 : difference / allowed; }
};
/// What takes the largest share of what is allowed in the first rows.
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
    for (const auto& [name, variant] :
         {std::pair{"reference", Variant::Default}, {"cpu", Variant::Dense}, {"cpu", Variant::Sparse}}) {
        HostBackend backend(name, 1);
        Owned<T> smoothed(input);
        Progress progress;
        const SmoothingReport report =
            smooth(backend, smoothed.view(), {.variant = variant, .rounding = rounding}, progress);
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
        // What the exact paths of these rows sum up would explain three quarters of what `sparse` rounds.
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
    Progress progress;
    const SmoothingReport report = smooth(backend, right.view(), {.rounding = rounding}, progress);
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
