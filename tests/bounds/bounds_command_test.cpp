// The commands of `bounds`, except the smoothing itself: agreement, tightening, generated inputs.
#include "engine/bounds/agreement.hpp"
#include "engine/bounds/input/random_bounds.hpp"
#include "engine/bounds/number_format.hpp"
#include "engine/bounds/tightening.hpp"
#include "tests/test.hpp"

namespace glycine::bounds {
namespace {

template <class T>
Comparison compare(OwnedBounds<T>& expected, OwnedBounds<T>& found) {
    return compareBounds(expected.matrices(), found.matrices(), 0);
}

/// n × n bounds, all uppers `upper` and all lowers `lower` off the diagonal.
template <class T>
OwnedBounds<T> uniformBounds(std::size_t n, T upper, T lower) {
    OwnedBounds<T> bounds{Matrix<T>(n, n, upper), Matrix<T>(n, n, lower)};
    for (std::size_t i = 0; i < n; ++i) bounds.upper(i, i) = bounds.lower(i, i) = 0;
    return bounds;
}

template <class T>
void setPair(Matrix<T>& matrix, std::size_t i, std::size_t j, T value) {
    matrix(i, j) = matrix(j, i) = value;
}

TEST(Agreement, FindsTheLargestDifference) {
    OwnedBounds<float> expected = uniformBounds<float>(4, 10, 1);
    OwnedBounds<float> found = uniformBounds<float>(4, 10, 1);
    EXPECT_TRUE(compare(expected, found).isEqual);
    setPair(found.upper, 1, 2, 10.5F);
    setPair(found.lower, 0, 3, 3.0F);
    const Comparison difference = compare(expected, found);
    EXPECT_FALSE(difference.isEqual);
    EXPECT_EQ(difference.largestDifference, 2);
    EXPECT_EQ(difference.place, "lower bound of (0, 3)");
}

TEST(Agreement, ComparesBits) {
    OwnedBounds<float> expected = uniformBounds<float>(2, 10, 0);
    OwnedBounds<float> found = uniformBounds<float>(2, 10, 0);
    found.lower(0, 1) = -0.0F;
    const Comparison difference = compare(expected, found);
    EXPECT_FALSE(difference.isEqual);
    EXPECT_EQ(difference.largestDifference, 0);
}

TEST(Agreement, NothingIsInfinitelyFarFromABound) {
    OwnedBounds<float> expected = uniformBounds<float>(3, kUnknownUpper<float>, 0);
    OwnedBounds<float> found = uniformBounds<float>(3, kUnknownUpper<float>, 0);
    EXPECT_TRUE(compare(expected, found).isEqual);
    found.upper(0, 1) = 5;
    EXPECT_EQ(compare(expected, found).largestDifference, std::numeric_limits<double>::infinity());
    found.upper(0, 1) = std::nanf("");
    EXPECT_EQ(compare(expected, found).largestDifference, std::numeric_limits<double>::infinity());
}

TEST(Agreement, AllowsRoundingOnlyWhereSumsAreTakenInAnotherOrder) {
    EXPECT_FALSE(mayDiffer(Variant::Packed, true));
    EXPECT_TRUE(mayDiffer(Variant::Packed, false));
    EXPECT_TRUE(mayDiffer(Variant::Blocked, true));
}

// Equal on one side of the diagonal, and on the other within what is allowed.
TEST(Agreement, WhatIsNotSymmetricAgreesWithNothing) {
    OwnedBounds<float> expected = uniformBounds<float>(40, 10, 1);
    OwnedBounds<float> found = uniformBounds<float>(40, 10, 1);
    found.lower(39, 2) = std::nextafter(1.0F, 2.0F);
    const Comparison difference = compareBounds(expected.matrices(), found.matrices(), 1);
    EXPECT_FALSE(difference.agrees());
    EXPECT_EQ(difference.place, "bounds that are not symmetric at (2, 39)");
    // The sampled rows may miss the wrong ones.
    OwnedBounds<float> input = uniformBounds<float>(40, 10, 1);
    const Comparison rows = verifyRows(input.matrices(), found.matrices(), {0});
    EXPECT_FALSE(rows.agrees());
    EXPECT_TRUE(verifyRows(input.matrices(), expected.matrices(), {0}).agrees());
}

TEST(Agreement, ChecksAllowNoMoreThanTheRoundingOfThePathsTaken) {
    AnyOwnedBounds input = makeValidationInput(InputKind::Dense, 100, 1, NumberFormat::Float32);
    AnyOwnedBounds smoothed = cloneBounds(viewBounds(input));
    HostBackend backend("cpu", 1);
    smooth(backend, viewBounds(smoothed), {.variant = Variant::Dense}, silentProgress());
    const auto before = std::get<BoundMatrices<float>>(viewBounds(input));
    const auto after = std::get<BoundMatrices<float>>(viewBounds(smoothed));
    const Comparison good = verifyRows(before, after, {0, 7, 50});
    EXPECT_TRUE(good.agrees()) << good.largestDifference;
    EXPECT_LT(good.allowedDifference, 2e-5);
    after.upper(7, 31) = after.upper(31, 7) = after.upper(7, 31) - 5e-5F;
    EXPECT_FALSE(verifyRows(before, after, {0, 7, 50}).agrees());
}

TEST(Agreement, LargestBoundIgnoresUnknownOnes) {
    OwnedBounds<std::int32_t> bounds = uniformBounds<std::int32_t>(3, kUnknownUpper<std::int32_t>, 0);
    EXPECT_EQ(largestFiniteBound(bounds.matrices()), 0);
    setPair(bounds.upper, 0, 1, upperFromAngstrom<std::int32_t>(3.5));
    setPair(bounds.lower, 1, 2, lowerFromAngstrom<std::int32_t>(7.25));
    EXPECT_EQ(largestFiniteBound(bounds.matrices()), 7.25);
}

TEST(Tightening, CountsPairsAndAmounts) {
    OwnedBounds<float> before = uniformBounds<float>(4, 10, 1);
    setPair(before.upper, 2, 3, kUnknownUpper<float>);
    OwnedBounds<float> after = uniformBounds<float>(4, 10, 1);
    setPair(after.upper, 0, 1, 9.0F);
    setPair(after.upper, 0, 2, 8.0F);
    setPair(after.upper, 1, 2, 4.0F);
    setPair(after.lower, 0, 3, 1.5F);
    const Tightening upper = measureUpperTightening(before.matrices(), after.matrices());
    EXPECT_EQ(upper.pairs, 6u);
    EXPECT_EQ(upper.tightened, 3u);
    EXPECT_EQ(upper.fromUnknown, 1u);
    EXPECT_EQ(upper.mean, 3);
    EXPECT_EQ(upper.median, 2);
    EXPECT_EQ(upper.largest, 6);
    const Tightening lower = measureLowerTightening(before.matrices(), after.matrices());
    EXPECT_EQ(lower.tightened, 1u);
    EXPECT_EQ(lower.median, 0.5);
}

TEST(Tightening, MedianIsExact) {
    // 45 pairs, tightened by 1/64, 2/64, … 45/64 Å in a scrambled order.
    OwnedBounds<double> before = uniformBounds<double>(10, 100, 0);
    OwnedBounds<double> after = uniformBounds<double>(10, 100, 0);
    std::size_t pair = 0;
    for (std::size_t i = 0; i < 10; ++i)
        for (std::size_t j = i + 1; j < 10; ++j, ++pair)
            setPair(after.upper, i, j, 100 - static_cast<double>(1 + pair * 7 % 45) / 64);
    const Tightening upper = measureUpperTightening(before.matrices(), after.matrices());
    EXPECT_EQ(upper.tightened, 45u);
    EXPECT_EQ(upper.median, 23.0 / 64);
    EXPECT_DOUBLE_EQ(upper.mean, 23.0 / 64);
}

// Amounts of the first bucket, where pairs that stay as they are must not count.
TEST(Tightening, MedianOfTheSmallestAmounts) {
    OwnedBounds<double> before = uniformBounds<double>(4, 9e-42, 0);
    OwnedBounds<double> after = uniformBounds<double>(4, 9e-42, 0);
    setPair(after.upper, 0, 1, 7e-42);
    setPair(after.upper, 1, 3, 2e-42);
    setPair(after.upper, 2, 3, 4e-42);
    const Tightening upper = measureUpperTightening(before.matrices(), after.matrices());
    EXPECT_EQ(upper.tightened, 3u);
    EXPECT_EQ(upper.median, static_cast<float>(9e-42 - 4e-42));
}

TEST(Tightening, OfNothingIsZero) {
    OwnedBounds<float> bounds = uniformBounds<float>(1, 0, 0);
    const Tightening upper = measureUpperTightening(bounds.matrices(), bounds.matrices());
    EXPECT_EQ(upper.pairs, 0u);
    EXPECT_EQ(upper.tightened, 0u);
    EXPECT_EQ(upper.median, 0);
}

class ValidationInputs : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ValidationInputs, AreWhatTheyAreCalled) {
    const std::size_t n = GetParam();
    std::size_t contradictions = 0;
    std::size_t unknown = 0;
    for (const auto& [kind, name] : kInputKinds) {
        SCOPED_TRACE(name);
        AnyOwnedBounds owned = makeValidationInput(kind, n, 1, NumberFormat::Fixed);
        AnyOwnedBounds again = makeValidationInput(kind, n, 1, NumberFormat::Fixed);
        const auto bounds = std::get<BoundMatrices<std::int32_t>>(viewBounds(owned));
        EXPECT_TRUE(
            compareBounds(bounds, std::get<BoundMatrices<std::int32_t>>(viewBounds(again)), 0).isEqual);
        ASSERT_EQ(bounds.atoms(), n);
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_EQ(bounds.upper(i, i), 0);
            EXPECT_EQ(bounds.lower(i, i), 0);
            for (std::size_t j = i + 1; j < n; ++j) {
                EXPECT_EQ(bounds.upper(i, j), bounds.upper(j, i));
                EXPECT_EQ(bounds.lower(i, j), bounds.lower(j, i));
                const bool contradicts = bounds.lower(i, j) > bounds.upper(i, j);
                const bool isUnknown = isUnknownUpper(bounds.upper(i, j));
                EXPECT_TRUE(!contradicts || kind == InputKind::Contradictory);
                EXPECT_TRUE(!isUnknown || kind == InputKind::Sparse);
                contradictions += contradicts ? 1 : 0;
                unknown += isUnknown ? 1 : 0;
            }
        }
    }
    if (n >= 64) {
        EXPECT_GT(contradictions, 0u);
        EXPECT_GT(unknown, n * (n - 1) / 3);
    }
}
INSTANTIATE_TEST_SUITE_P(Sizes, ValidationInputs, ::testing::Values(1, 2, 3, 64));

}  // namespace
}  // namespace glycine::bounds
