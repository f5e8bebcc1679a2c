// What the cpu backend sums memberships with: vectors of exponentials and logarithms, baselines, threads.
// What it finds: tests/backends/membership_backends_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/crossapen/cpu/membership_vectors.hpp"
#include "engine/crossapen/prepared_signals.hpp"
#include "tests/crossapen/membership_fixtures.hpp"

namespace glycine::crossapen::cpu {
namespace {

using namespace fixtures;

// Sums do not depend on the number of threads, to the last bit.
TEST(CpuMemberships, ThreadsDoNotMatter) {
    const auto signals = normalisedSignals<float>(3, 2500, Kind::Smooth, 1);
    HostBackend one("cpu", 1);
    HostBackend three("cpu", 3);
    const auto expected = sumWith(cpu::membershipSummer(), one, signals, {});
    const auto sums = sumWith(cpu::membershipSummer(), three, signals, {});
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) EXPECT_EQ(sums(a, b), expected(a, b));
}

TEST(SubtractBaselines, SamplesLessTheirMean) {
    const double signal[] = {9, 1, 2, 6, 10};
    Matrix<double> templates(3, 2);
    subtractBaselines(signal, 1, 1, templates.view());
    const double expected[3][2] = {{-2, -4}, {-1, 0}, {3, 4}};
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(templates(k, i), expected[k][i]);
    // 1 6 and 2 10.
    Matrix<double> delayed(2, 2);
    subtractBaselines(signal, 1, 2, delayed.view());
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(delayed(0, i), i == 0 ? -2.5 : -4);
        EXPECT_EQ(delayed(1, i), i == 0 ? 2.5 : 4);
    }
}

template <class T>
class MembershipFunctions : public testing::Test {};
using Formats = testing::Types<float, double>;
TYPED_TEST_SUITE(MembershipFunctions, Formats);

// Within three units in the last place: the series itself is off by less than one.
TYPED_TEST(MembershipFunctions, Exponential) {
    using Vectors = MembershipVectors<TypeParam, 16>;
    const double most = sizeof(TypeParam) == 4 ? 125 : 1021;
    for (double y = -most; y <= most; y += 0.0137 * most / 125) {
        const TypeParam argument = static_cast<TypeParam>(y);
        const double expected = std::exp2(static_cast<double>(argument));
        const double found = static_cast<double>(Vectors::exponential2(Vectors::broadcast(argument))[0]);
        ASSERT_NEAR(found / expected, 1, 3 * std::numeric_limits<TypeParam>::epsilon()) << y;
    }
    for (const double y : {-1100.0, -1e6, -1e20, -1e38})
        EXPECT_EQ(Vectors::exponential2(Vectors::broadcast(static_cast<TypeParam>(y)))[0], 0) << y;
}

TYPED_TEST(MembershipFunctions, LogarithmAndPower) {
    using Vectors = MembershipVectors<TypeParam, 16>;
    const double epsilon = std::numeric_limits<TypeParam>::epsilon();
    for (double x = 1e-30; x < 1e30; x *= 1.0173) {
        const TypeParam argument = static_cast<TypeParam>(x);
        const double expected = std::log2(static_cast<double>(argument));
        const double found = static_cast<double>(Vectors::logarithm2(Vectors::broadcast(argument))[0]);
        ASSERT_NEAR(found, expected, 2 * epsilon * std::max(1.0, std::abs(expected))) << x;
    }
    const auto power = [](double d, double n) {
        return static_cast<double>(
            Vectors::power(Vectors::broadcast(static_cast<TypeParam>(d)), static_cast<TypeParam>(n))[0]);
    };
    EXPECT_NEAR(power(1.75, 3), 5.359375, 30 * epsilon);
    EXPECT_NEAR(power(0.25, 0.5), 0.5, 10 * epsilon);
    EXPECT_EQ(power(0, 0.01), 0);
    EXPECT_EQ(power(1e-30, 100), 0);
    EXPECT_GT(power(1e30, 100), 1e30);
}

}  // namespace
}  // namespace glycine::crossapen::cpu
