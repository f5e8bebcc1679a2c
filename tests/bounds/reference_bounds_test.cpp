// The specification: cases worked by hand, and properties.
#include "engine/bounds/bounds.hpp"
#include "engine/bounds/outward.hpp"
#include "engine/bounds/smoothing_engine.hpp"
#include "tests/bounds/bounds_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::bounds {
namespace {

// ---- The reference backend against examples worked by hand, and the calls that every backend shares.

template <class T>
class ReferenceBounds : public testing::Test {
  protected:
    SmoothingReport run(FilledBounds<T>& bounds) { return smoothWith(backend_, bounds, Variant::Serial); }
    double upper(const FilledBounds<T>& bounds, std::size_t i, std::size_t j) {
        return toAngstrom(bounds.upper(i, j));
    }
    double lower(const FilledBounds<T>& bounds, std::size_t i, std::size_t j) {
        return toAngstrom(bounds.lower(i, j));
    }
    HostBackend backend_{"reference", 1};
};
using Formats = testing::Types<float, double, std::int32_t>;
TYPED_TEST_SUITE(ReferenceBounds, Formats);

TYPED_TEST(ReferenceBounds, OneAtom) {
    FilledBounds<TypeParam> bounds(1);
    const SmoothingReport report = this->run(bounds);
    EXPECT_EQ(bounds.upper(0, 0), 0);
    EXPECT_EQ(bounds.lower(0, 0), 0);
    EXPECT_EQ(report.violationCount, 0u);
    EXPECT_EQ(report.variant, "serial");
    EXPECT_EQ(report.backend, "reference");
}

// u01 = 2, u12 = 3, u02 = 10 → U02 = min(10, 2 + 3) = 5.
// l02 = 4.5: l01 = max(0.5, 4.5 − 3) = 1.5; l12 = max(1, 4.5 − 2) = 2.5.
TYPED_TEST(ReferenceBounds, ThreeAtoms) {
    FilledBounds<TypeParam> bounds(3);
    bounds.set(0, 1, 0.5, 2);
    bounds.set(1, 2, 1, 3);
    bounds.set(0, 2, 4.5, 10);
    EXPECT_EQ(this->run(bounds).violationCount, 0u);
    EXPECT_EQ(this->upper(bounds, 0, 1), 2);
    EXPECT_EQ(this->upper(bounds, 1, 2), 3);
    EXPECT_EQ(this->upper(bounds, 0, 2), 5);
    EXPECT_EQ(this->upper(bounds, 2, 0), 5);
    EXPECT_EQ(this->lower(bounds, 0, 1), 1.5);
    EXPECT_EQ(this->lower(bounds, 1, 2), 2.5);
    EXPECT_EQ(this->lower(bounds, 0, 2), 4.5);
    EXPECT_EQ(this->lower(bounds, 2, 1), 2.5);
}

// A chain 0-1-2-3 with u = 1 each, the other upper bounds unknown, and l03 = 2.75.
// U02 = 1 + 1 = 2, U13 = 2, U03 = 3.
// L01: 2.75 − U13 = 0.75.  L12: l03 − U01 − U23 = 2.75 − 1 − 1 = 0.75 (both ends move).  L23: 2.75 − U02 =
// 0.75. L02: 2.75 − U23 = 1.75.  L13: 2.75 − U01 = 1.75.
TYPED_TEST(ReferenceBounds, FourAtomsInAChain) {
    FilledBounds<TypeParam> bounds(4);
    const double unknown = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = i + 1; j < 4; ++j) bounds.set(i, j, 0, j == i + 1 ? 1 : unknown);
    bounds.set(0, 3, 2.75, unknown);
    EXPECT_EQ(this->run(bounds).violationCount, 0u);
    const double expectedUpper[4][4] = {{0, 1, 2, 3}, {1, 0, 1, 2}, {2, 1, 0, 1}, {3, 2, 1, 0}};
    const double expectedLower[4][4] = {
        {0, 0.75, 1.75, 2.75}, {0.75, 0, 0.75, 1.75}, {1.75, 0.75, 0, 0.75}, {2.75, 1.75, 0.75, 0}};
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j) {
            EXPECT_EQ(this->upper(bounds, i, j), expectedUpper[i][j]) << i << ' ' << j;
            EXPECT_EQ(this->lower(bounds, i, j), expectedLower[i][j]) << i << ' ' << j;
        }
}

// u01 = u12 = 1 and l02 = 3.5: U02 = 2 < 3.5. Excess 1.5 for (0, 2).
// L01 = 3.5 − U12 = 2.5 against U01 = 1: excess 1.5. (1, 2) likewise.
TYPED_TEST(ReferenceBounds, ContradictionIsListedWorstFirst) {
    FilledBounds<TypeParam> bounds(3);
    bounds.set(0, 1, 0, 1);
    bounds.set(1, 2, 0, 1);
    bounds.set(0, 2, 3.5, 9);
    const SmoothingReport report = this->run(bounds);
    EXPECT_EQ(report.violationCount, 3u);
    ASSERT_EQ(report.violations.size(), 3u);
    EXPECT_EQ(report.violations[0].excess(), 1.5);
    EXPECT_EQ(report.violations[0].i, 0u);  // equal excess: by i, then by j
    EXPECT_EQ(report.violations[0].j, 1u);
    EXPECT_EQ(report.violations[1].j, 2u);
    EXPECT_EQ(report.violations[1].lower, 3.5);
    EXPECT_EQ(report.violations[1].upper, 2);
    EXPECT_EQ(report.violations[2].i, 1u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(bounds.lower(i, i), 0);
}

// l01 = 8 against u01 = 1, u02 = 1, u12 = 1.5 (smooth already). With (p, q) = (0, 1) and (1, 0):
// L02 = max(l01 − U00 − U12 = 6.5, l01 − U01 − U02 = 6) = 6.5.
// L12 = max(l01 − U11 − U02 = 7, l01 − U01 − U12 = 5.5) = 7.
TYPED_TEST(ReferenceBounds, ContradictionFollowsTheFormula) {
    FilledBounds<TypeParam> bounds(3);
    bounds.set(0, 1, 8, 1);
    bounds.set(0, 2, 0, 1);
    bounds.set(1, 2, 0, 1.5);
    this->run(bounds);
    EXPECT_EQ(this->lower(bounds, 0, 1), 8);
    EXPECT_EQ(this->lower(bounds, 0, 2), 6.5);
    EXPECT_EQ(this->lower(bounds, 1, 2), 7);
}

TYPED_TEST(ReferenceBounds, UpperBoundsAlone) {
    FilledBounds<TypeParam> bounds = makeBounds<TypeParam>(9, Kind::Sparse);
    const FilledBounds<TypeParam> expected = smoothedByReference(bounds);
    BoundMatrices<TypeParam> upperOnly{bounds.upper.view(), {}};
    const SmoothingReport report = smooth(this->backend_, upperOnly, {}, silentProgress());
    EXPECT_EQ(largestDifference(bounds.upper, expected.upper), 0);
    EXPECT_EQ(report.violationCount, 0u);
}

TEST(Smoothing, DiagonalOfTheInputDoesNotMatter) {
    FilledBounds<double> bounds = makeBounds<double>(6, Kind::Dense);
    const FilledBounds<double> expected = smoothedByReference(bounds);
    for (std::size_t i = 0; i < 6; ++i) bounds.upper(i, i) = bounds.lower(i, i) = 3;
    const FilledBounds<double> found = smoothedByReference(bounds);
    EXPECT_EQ(largestDifference(found.upper, expected.upper), 0);
    EXPECT_EQ(largestDifference(found.lower, expected.lower), 0);
    EXPECT_EQ(found.upper(2, 2), 0);
    EXPECT_EQ(found.lower(2, 2), 0);
}

TEST(Smoothing, RefusesWrongShapes) {
    HostBackend backend("reference", 1);
    Matrix<float> square(3, 3, 1.0f), wide(3, 4, 1.0f), small(2, 2, 1.0f);
    const auto message = [&](MatrixView<float> upper, MatrixView<float> lower) -> std::string {
        try {
            smooth(backend, BoundMatrices<float>{upper, lower}, {}, silentProgress());
        } catch (const InputError& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_THAT(message(wide.view(), {}), HasSubstr("3 x 4"));
    EXPECT_THAT(message(square.view(), small.view()), HasSubstr("2 x 2"));
    EXPECT_THAT(message({}, {}), HasSubstr("empty"));
}

TEST(Smoothing, RefusesForeignVariantsAndChangesNothing) {
    HostBackend backend("reference", 1);
    FilledBounds<float> bounds = makeBounds<float>(5, Kind::Dense);
    bounds.upper(1, 1) = 7;
    const FilledBounds<float> before(bounds);
    try {
        smoothWith(backend, bounds, Variant::Blocked);
        FAIL() << "accepted";
    } catch (const UnavailableError& error) {
        EXPECT_THAT(error.what(), HasSubstr("blocked"));
    }
    EXPECT_EQ(largestDifference(bounds.upper, before.upper), 0);
}

TEST(Smoothing, UnknownBackend) {
    HostBackend backend("abacus", 1);
    FilledBounds<float> bounds(2);
    EXPECT_THROW(smoothWith(backend, bounds), UnavailableError);
}

TEST(Smoothing, Cancels) {
    HostBackend backend("reference", 1);
    FilledBounds<float> bounds = makeBounds<float>(20, Kind::Dense);
    int checks = 0;
    Progress progress({}, [&] { return ++checks > 5; });
    EXPECT_THROW(smooth(backend, bounds.view(), {}, progress), CancelledError);
}

TEST(Smoothing, NamesOfEnumeratorsAreReadBack) {
    for (int value = 0; value <= static_cast<int>(Variant::Naive); ++value)
        EXPECT_EQ(fromString<Variant>(toString(static_cast<Variant>(value))), static_cast<Variant>(value));
    for (const NumberFormat format : {NumberFormat::Float32, NumberFormat::Float64, NumberFormat::Fixed})
        EXPECT_EQ(fromString<NumberFormat>(toString(format)), format);
    EXPECT_EQ(toString(Variant::ScalarShaderCoords), "scalar-shadercoords");
    try {
        fromString<Variant>("fast");
        FAIL() << "accepted";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("packed-branch"));
    }
    EXPECT_THROW(fromString<NumberFormat>("int8"), UsageError);
    for (const Rounding rounding : {Rounding::Nearest, Rounding::Outward})
        EXPECT_EQ(fromString<Rounding>(toString(rounding)), rounding);
}

// A float holds the multiples of s up to 2²⁴·s.
TEST(Outward, StepFollowsFromWhatSmoothingLeaves) {
    const Progress progress;
    const auto bounds = [](double neighbours, double others) {
        FilledBounds<float> made(5);
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t j = i + 1; j < 5; ++j) made.set(i, j, 0, j == i + 1 ? neighbours : others);
        return made;
    };
    EXPECT_EQ(outwardStep(bounds(32, 32).view(), progress), 0x1p-19);
    EXPECT_EQ(outwardStep(bounds(32, 32.5).view(), progress), 0x1p-18);
    // A placeholder far beyond the molecule makes nothing coarse: 4 Å from one end to the other, 8 Å at most.
    EXPECT_EQ(outwardStep(bounds(1, 9e5).view(), progress), 0x1p-20);
    EXPECT_EQ(outwardStep(bounds(1, std::numeric_limits<double>::infinity()).view(), progress), 0x1p-20);
    // Lower bounds count, also where they contradict.
    FilledBounds<float> held = bounds(1, 9e5);
    held.set(0, 4, 100, 9e5);
    EXPECT_EQ(outwardStep(held.view(), progress), 0x1p-17);
    FilledBounds<double> fine(2);
    fine.set(0, 1, 1, 2);
    EXPECT_EQ(outwardStep(fine.view(), progress), 0x1p-52);
    EXPECT_EQ(outwardStep(FilledBounds<std::int32_t>(2).view(), progress), 0x1p-20);
}

TEST(Outward, RoundsToMultiplesAndLeavesWhatIsOutOfReach) {
    FilledBounds<float> made(3);
    made.set(0, 1, 1.3, 2.3);
    made.set(0, 2, 1.25, 2.25);
    made.set(1, 2, 0, 9.1e5);
    roundOutward(made.view(), 0x1p-10);
    EXPECT_EQ(made.upper(0, 1), std::ceil(2.3F * 1024) / 1024);
    EXPECT_EQ(made.lower(1, 0), std::floor(1.3F * 1024) / 1024);
    EXPECT_EQ(made.upper(0, 2), 2.25F);
    EXPECT_EQ(made.lower(0, 2), 1.25F);
    EXPECT_EQ(made.upper(1, 2), 9.1e5F);
}

TEST(Smoothing, PathRoundingBound) {
    EXPECT_EQ(pathRoundingBound(NumberFormat::Fixed, 1000, 50), 0);
    EXPECT_DOUBLE_EQ(pathRoundingBound(NumberFormat::Float32, 1024, 64), 1024 * 64 / 8388608.0);
    EXPECT_LT(pathRoundingBound(NumberFormat::Float64, 1024, 64), 2e-11);
}

TEST(FindViolations, KeepsTheWorstAndCountsAll) {
    constexpr std::size_t n = 60;
    FilledBounds<double> bounds(n);
    std::size_t inconsistent = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j) {
            const double excess = static_cast<double>((i * 31 + j * 17) % 101) - 50;  // −50 … 50, many ties
            bounds.set(i, j, 100 + excess, 100);
            inconsistent += excess > 0.5;
        }
    std::vector<Violation> all, few, none;
    EXPECT_EQ(findViolations(bounds.view(), 0.5, n * n, all), inconsistent);
    EXPECT_EQ(findViolations(bounds.view(), 0.5, 7, few), inconsistent);
    EXPECT_EQ(findViolations(bounds.view(), 0.5, 0, none), inconsistent);
    EXPECT_TRUE(none.empty());
    ASSERT_EQ(all.size(), inconsistent);
    ASSERT_EQ(few.size(), 7u);
    for (std::size_t k = 0; k + 1 < all.size(); ++k) {
        EXPECT_GE(all[k].excess(), all[k + 1].excess());
        if (all[k].excess() == all[k + 1].excess()) {
            EXPECT_LT(std::pair(all[k].i, all[k].j), std::pair(all[k + 1].i, all[k + 1].j));
        }
    }
    for (std::size_t k = 0; k < few.size(); ++k) {
        EXPECT_EQ(few[k].i, all[k].i);
        EXPECT_EQ(few[k].j, all[k].j);
    }
}

// lower − upper = 0.25 is within a tolerance of 0.25, and a negative tolerance asks for slack.
TEST(FindViolations, Tolerance) {
    FilledBounds<float> bounds(2);
    bounds.set(0, 1, 1.25, 1);
    std::vector<Violation> worst;
    EXPECT_EQ(findViolations(bounds.view(), 0.25, 10, worst), 0u);
    EXPECT_EQ(findViolations(bounds.view(), 0.125, 10, worst), 1u);
    bounds.set(0, 1, 1, 1.25);
    EXPECT_EQ(findViolations(bounds.view(), 0, 10, worst), 0u);
    EXPECT_EQ(findViolations(bounds.view(), -0.5, 10, worst), 1u);
}

// ---- Properties of smoothed bounds on every backend.

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

INSTANTIATE_TEST_SUITE_P(
    HostBackends, BoundProperties,
    testing::Combine(testing::Values(Way{"reference", Variant::Serial}, Way{"cpu", Variant::Dense},
                                     Way{"cpu", Variant::Sparse}, Way{"cpu", Variant::Recursive}),
                     testing::ValuesIn(kAllKinds)),
    [](const testing::TestParamInfo<BoundProperties::ParamType>& parameters) {
        return testing::PrintToString(std::get<0>(parameters.param)) + '_' +
               testing::PrintToString(std::get<1>(parameters.param));
    });

}  // namespace
}  // namespace glycine::bounds
