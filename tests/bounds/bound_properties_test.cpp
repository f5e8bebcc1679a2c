// What smoothed bounds must satisfy, whoever smoothed them.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "engine/bounds/smoother.hpp"
#include "tests/bounds/bounds_fixtures.hpp"

namespace glycine::bounds {
namespace {

using namespace fixtures;

struct Way {
    const char* backend;
    Variant variant;
};
std::ostream& operator<<(std::ostream& stream, const Way& way) {
    return stream << way.backend << '_' << toString(way.variant);
}

class BoundProperties : public testing::TestWithParam<std::tuple<Way, Kind>> {
  protected:
    static constexpr std::size_t kAtoms = 83;
    Kind kind() const { return std::get<1>(GetParam()); }
    template <class T>
    FilledBounds<T> input(bool onGrid) const {
        return makeBounds<T>(kAtoms, kind(), 11, onGrid);
    }
    template <class T>
    FilledBounds<T> smoothed(const FilledBounds<T>& bounds) const {
        const Way way = std::get<0>(GetParam());
        HostBackend backend(way.backend, 2);
        FilledBounds<T> result(bounds);
        smoothWith(backend, result, way.variant);
        return result;
    }
    template <class T>
    static void expectEqual(const FilledBounds<T>& a, const FilledBounds<T>& b) {
        EXPECT_EQ(largestDifference(a.upper, b.upper), 0);
        EXPECT_EQ(largestDifference(a.lower, b.lower), 0);
    }
};

TEST_P(BoundProperties, BoundsOnlyTighten) {
    const auto before = input<float>(false);
    const auto after = smoothed(before);
    for (std::size_t i = 0; i < kAtoms; ++i)
        for (std::size_t j = 0; j < kAtoms; ++j) {
            ASSERT_LE(after.upper(i, j), before.upper(i, j));
            ASSERT_GE(after.lower(i, j), before.lower(i, j));
        }
}

TEST_P(BoundProperties, TriangleInequalitiesHoldEverywhere) {
    const auto bounds = smoothed(input<std::int32_t>(false));
    for (std::size_t i = 0; i < kAtoms; ++i)
        for (std::size_t j = 0; j < kAtoms; ++j)
            for (std::size_t k = 0; k < kAtoms; ++k) {
                ASSERT_LE(bounds.upper(i, j), bounds.upper(i, k) + bounds.upper(k, j));
                // i = j: the diagonal is zero, even where contradictory bounds would ask for more
                if (i != j && i != k) {
                    ASSERT_GE(bounds.lower(i, j), bounds.lower(i, k) - bounds.upper(k, j));
                }
            }
}

TEST_P(BoundProperties, LowerBoundsEqualTheFormula) {
    const auto before = input<double>(true);
    const auto after = smoothed(before);
    Matrix<double> partial(kAtoms, kAtoms, 0.0);  // max over p of l_pq − U_ip
    for (std::size_t i = 0; i < kAtoms; ++i)
        for (std::size_t p = 0; p < kAtoms; ++p)
            for (std::size_t q = 0; q < kAtoms; ++q)
                partial(i, q) = std::max(partial(i, q), before.lower(p, q) - after.upper(i, p));
    for (std::size_t i = 0; i < kAtoms; ++i)
        for (std::size_t j = 0; j < kAtoms; ++j) {
            double expected = 0;
            for (std::size_t q = 0; q < kAtoms; ++q)
                expected = std::max(expected, partial(i, q) - after.upper(q, j));
            ASSERT_EQ(after.lower(i, j), i == j ? 0 : expected) << i << ' ' << j;
        }
}

// Smoothing twice changes nothing, contradictions included.
TEST_P(BoundProperties, SmoothedBoundsAreAFixedPoint) {
    const auto once = smoothed(input<std::int32_t>(false));
    expectEqual(smoothed(once), once);
    const auto onceFloat = smoothed(input<float>(true));
    expectEqual(smoothed(onceFloat), onceFloat);
}

TEST_P(BoundProperties, OrderOfTheAtomsDoesNotMatter) {
    const auto before = input<std::int32_t>(false);
    std::vector<std::size_t> order(kAtoms);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(4));
    const auto permuted = [&](const FilledBounds<std::int32_t>& bounds) {
        FilledBounds<std::int32_t> result(kAtoms);
        for (std::size_t i = 0; i < kAtoms; ++i)
            for (std::size_t j = 0; j < kAtoms; ++j) {
                result.upper(i, j) = bounds.upper(order[i], order[j]);
                result.lower(i, j) = bounds.lower(order[i], order[j]);
            }
        return result;
    };
    expectEqual(smoothed(permuted(before)), permuted(smoothed(before)));
}

// Tighter input never gives looser output.
TEST_P(BoundProperties, Monotone) {
    const auto before = input<std::int32_t>(false);
    FilledBounds<std::int32_t> tighter(before);
    std::mt19937 generator(8);
    for (std::size_t i = 0; i < kAtoms; ++i)
        for (std::size_t j = i + 1; j < kAtoms; ++j)
            if (generator() % 5 == 0) {
                tighter.upper(i, j) = tighter.upper(j, i) = tighter.upper(i, j) / 100 * 99;
                tighter.lower(i, j) = tighter.lower(j, i) = tighter.lower(i, j) + 10000;
            }
    const auto loose = smoothed(before);
    const auto tight = smoothed(tighter);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < kAtoms; ++i)
        for (std::size_t j = 0; j < kAtoms; ++j) {
            ASSERT_LE(tight.upper(i, j), loose.upper(i, j));
            ASSERT_GE(tight.lower(i, j), loose.lower(i, j));
            changed += tight.upper(i, j) != loose.upper(i, j);
        }
    EXPECT_GT(changed, 0u);
}

INSTANTIATE_TEST_SUITE_P(HostBackends, BoundProperties,
                         testing::Combine(testing::Values(Way{"reference", Variant::Serial},
                                                          Way{"cpu", Variant::Dense},
                                                          Way{"cpu", Variant::Sparse}),
                                          testing::ValuesIn(kAllKinds)),
                         [](const testing::TestParamInfo<BoundProperties::ParamType>& parameters) {
                             return testing::PrintToString(std::get<0>(parameters.param)) + '_' +
                                    testing::PrintToString(std::get<1>(parameters.param));
                         });

}  // namespace
}  // namespace glycine::bounds
