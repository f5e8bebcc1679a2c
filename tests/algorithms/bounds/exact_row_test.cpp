// Rows that are counted again: what rounding does is allowed on every path, and hardly more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "engine/algorithms/bounds/exact_row.hpp"
#include "engine/core/host_backends.hpp"
#include "tests/algorithms/bounds/tied_bounds.hpp"

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

}  // namespace
}  // namespace glycine::bounds
