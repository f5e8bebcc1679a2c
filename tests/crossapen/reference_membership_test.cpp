// Tests memberships: cases worked by hand, and functions of the processor.
#include "engine/crossapen/cpu/membership_vectors.hpp"
#include "engine/crossapen/pair_entropies.hpp"
#include "engine/crossapen/prepared_signals.hpp"
#include "tests/crossapen/membership_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen {
namespace {

// ---- The specification of Cross-Fuzzy entropy: cases worked by hand, and laws that hold for all signals.

double e(double x) {
    return std::exp(x);
}

// With r = 1 and n = 2, µ(d) = exp(−d²).
//   u = 0 2 0 4 2    steps +2 −2 +4 −2
//   v = 0 0 2 2 6    steps  0 +2  0 +4
const std::initializer_list<std::initializer_list<double>> kWorked{{0, 2, 0, 4, 2}, {0, 0, 2, 2, 6}};

// m = 1: four templates. Templates of one sample are zero without their mean. Templates of two samples are ∓
// half their step, so d is half the difference of the steps:
//   1 0 1 1
//   1 2 1 3
//   2 1 2 0
//   1 2 1 3
TEST(ReferenceFuzzy, WorkedByHand) {
    const auto& sums = expectedSums(signals(kWorked), {1, 1, 2});
    const double longSum = 2 + 8 * e(-1) + 4 * e(-4) + 2 * e(-9);
    EXPECT_DOUBLE_EQ(sums(0, 1).shortSum, 16);
    EXPECT_DOUBLE_EQ(sums(0, 1).longSum, longSum);
    EXPECT_NEAR(crossFuzzyEntropy(sums(0, 1), 5, 1, false), std::log(16 / longSum), 1e-14);
    // The differences between the steps of u, halved: 2 1 2 3 0 3, each occurring twice.
    EXPECT_DOUBLE_EQ(sums(0, 0).shortSum, 12);
    EXPECT_DOUBLE_EQ(sums(0, 0).longSum, 2 * (1 + e(-1) + 2 * e(-4) + 2 * e(-9)));
    EXPECT_NEAR(crossFuzzyEntropy(sums(0, 0), 5, 1, true), -std::log((1 + e(-1) + 2 * e(-4) + 2 * e(-9)) / 6),
                1e-14);
}

// m = 2: three templates. At length 2, d is the upper left 3 × 3 block of the matrix above. At length 3,
// times three:
//   u (0 2 0) −2 4 −2    (2 0 4) 0 −6 6       (0 4 2) −6 6 0
//   v (0 0 2) −2 −2 4    (0 2 2) −4 2 2       (2 2 6) −4 −4 8
//   d: 6 4 10 / 4 8 4 / 8 4 10, over three
TEST(ReferenceFuzzy, LongerTemplatesByHand) {
    const auto& sums = expectedSums(signals(kWorked), {2, 1, 2});
    EXPECT_DOUBLE_EQ(sums(0, 1).shortSum, 1 + 5 * e(-1) + 3 * e(-4));
    EXPECT_DOUBLE_EQ(sums(0, 1).longSum, e(-4) + 4 * e(-16.0 / 9) + 2 * e(-64.0 / 9) + 2 * e(-100.0 / 9));
    EXPECT_EQ(sums(0, 1), sums(1, 0));
}

// The same distances at n = 3 and r = 1/2: µ(d) = exp(−2 d³).
TEST(ReferenceFuzzy, OtherPowersByHand) {
    const auto& sums = expectedSums(signals(kWorked), {2, 0.5, 3});
    EXPECT_DOUBLE_EQ(sums(0, 1).shortSum, 1 + 5 * e(-2) + 3 * e(-16));
    EXPECT_NEAR(sums(0, 1).longSum, e(-16) + 4 * e(-128.0 / 27) + 2 * e(-1024.0 / 27) + 2 * e(-2000.0 / 27),
                1e-15);
}

// Steps from each sample to the next but one: u 0 +2 +2, v +2 +2 +4. d is half their difference:
//   1 1 2
//   0 0 1
//   0 0 1
TEST(ReferenceFuzzy, TimeDelayByHand) {
    const auto& sums = expectedSums(signals(kWorked), {1, 1, 2, 2});
    EXPECT_DOUBLE_EQ(sums(0, 1).shortSum, 9);
    EXPECT_DOUBLE_EQ(sums(0, 1).longSum, 4 + 4 * e(-1) + e(-4));
    EXPECT_NEAR(crossFuzzyEntropy(sums(0, 1), 5, 1, false, 2), std::log(9 / (4 + 4 * e(-1) + e(-4))), 1e-14);
    EXPECT_DOUBLE_EQ(sums(0, 0).longSum, 2 + 4 * e(-1));
}

// Each sample is repeated τ times. With a delay of τ, every template of the signal then occurs τ times.
TEST(ReferenceFuzzy, TimeDelayOfRepeatedSamples) {
    const auto plain = makeSignals<double>(2, 30, Kind::Smooth, 4);
    for (const unsigned delay : {2U, 3U})
        for (const unsigned m : {1U, 2U, 5U}) {
            Matrix<double> repeated(2, 30 * delay);
            for (std::size_t channel = 0; channel < 2; ++channel)
                for (std::size_t i = 0; i < repeated.columns(); ++i)
                    repeated(channel, i) = plain(channel, i / delay);
            const MembershipSums once = expectedSums(plain, {m, 0.2, 2})(0, 1);
            const MembershipSums often = expectedSums(repeated, {m, 0.2, 2, delay})(0, 1);
            EXPECT_NEAR(often.shortSum, once.shortSum * delay * delay, 1e-9) << m << ", " << delay;
            EXPECT_NEAR(often.longSum, once.longSum * delay * delay, 1e-9) << m << ", " << delay;
        }
}

TEST(ReferenceFuzzy, BaselinesDoNotMatter) {
    const auto plain = makeSignals<double>(1, 60, Kind::Quantised, 3);
    Matrix<double> shifted(2, 60);
    for (std::size_t i = 0; i < 60; ++i) {
        shifted(0, i) = plain(0, i);
        shifted(1, i) = plain(0, i) + 16;
    }
    const auto& sums = expectedSums(shifted, {2, 0.2, 2});
    EXPECT_NEAR(sums(0, 0).longSum, sums(1, 1).longSum, 1e-10);
    // Compared with the signal itself, its copy adds one self-match per template.
    EXPECT_NEAR(sums(0, 1).shortSum, sums(0, 0).shortSum + 58, 1e-10);
    EXPECT_NEAR(sums(0, 1).longSum, sums(0, 0).longSum + 58, 1e-10);
    EXPECT_NEAR(entropyHubCrossFuzzyEn(sums(0, 0), 60, 2, true), crossFuzzyEntropy(sums(0, 1), 60, 2, false),
                1e-12);
    EXPECT_EQ(entropyHubCrossFuzzyEn(sums(0, 1), 60, 2, false), crossFuzzyEntropy(sums(0, 1), 60, 2, false));
}

TEST(ReferenceFuzzy, WideMembershipsTakeAllPairs) {
    const auto& sums = expectedSums(makeSignals<double>(2, 40, Kind::Smooth, 1), {3, 1e12, 2});
    EXPECT_NEAR(sums(0, 1).shortSum, 37 * 37, 1e-6);
    EXPECT_NEAR(sums(0, 0).longSum, 37 * 36, 1e-6);
    EXPECT_NEAR(crossFuzzyEntropy(sums(0, 1), 40, 3, false), 0, 1e-9);
    EXPECT_NEAR(crossFuzzyEntropy(sums(0, 0), 40, 3, true), 0, 1e-9);
}

TEST(ReferenceFuzzy, RampsAreAllAlike) {
    Matrix<double> ramps(2, 17);
    for (std::size_t i = 0; i < 17; ++i) {
        ramps(0, i) = static_cast<double>(i);
        ramps(1, i) = 5 - 3 * static_cast<double>(i);
    }
    // Steps of 1 and −3: all templates of m samples are at the distance 4 (m − 1) / 2.
    const auto& sums = expectedSums(ramps, {2, 40, 2});
    EXPECT_NEAR(sums(0, 1).shortSum, 225 * e(-0.1), 1e-10);
    EXPECT_NEAR(sums(0, 1).longSum, 225 * e(-0.4), 1e-10);
    EXPECT_NEAR(crossFuzzyEntropy(sums(0, 1), 17, 2, false), 0.3, 1e-12);
    EXPECT_NEAR(sums(0, 0).longSum, 210, 1e-10);
}

TEST(CrossFuzzyEntropy, WithoutMemberships) {
    EXPECT_EQ(crossFuzzyEntropy({3, 0}, 10, 2, false), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(crossFuzzyEntropy({0, 0}, 10, 2, false)));
}

TEST(Memberships, WhatNoBackendTakes) {
    const auto reasonOf = [](const MembershipRequest& request) {
        const Support support = supportsMemberships(request);
        return support ? std::string() : support.reason();
    };
    EXPECT_EQ(reasonOf({.samples = 4}), "");
    EXPECT_EQ(reasonOf({.variant = Variant::Membership}), "");
    EXPECT_THAT(reasonOf({.variant = Variant::Merged}), HasSubstr("membership"));
    EXPECT_THAT(reasonOf({.rule = {0, 0.2, 2}}), HasSubstr("m ≥ 1"));
    EXPECT_THAT(reasonOf({.rule = {2, 0, 2}}), HasSubstr("r > 0, not 0"));
    EXPECT_THAT(reasonOf({.rule = {2, 0.2, -1}}), HasSubstr("n > 0, not -1"));
    EXPECT_THAT(reasonOf({.rule = {2, std::nan(""), 2}}), HasSubstr("r > 0"));
    EXPECT_THAT(reasonOf({.samples = 3}), HasSubstr("too short for m = 2"));
}

TEST(Memberships, Tolerance) {
    EXPECT_LT(membershipTolerance({}, NumberFormat::Float32), kMembershipTolerance);
    EXPECT_GT(membershipTolerance({}, NumberFormat::Float32), kMembershipTolerance / 2);
    EXPECT_EQ(membershipTolerance({}, NumberFormat::Float64), 1e-10);
    // One missing template out of 8190 exceeds the tolerance.
    const MembershipSums all{8190.0 * 8190.0, 1};
    const MembershipSums fewer{8190.0 * 8189.0, 1};
    EXPECT_TRUE(agreeOnMemberships(all, all, {}, NumberFormat::Float32, 8192));
    EXPECT_FALSE(agreeOnMemberships(fewer, all, {}, NumberFormat::Float32, 8192));
    EXPECT_TRUE(
        agreeOnMemberships({all.shortSum, 0}, {all.shortSum, 1e-30}, {}, NumberFormat::Float32, 8192));
    EXPECT_FALSE(
        agreeOnMemberships({all.shortSum, 0}, {all.shortSum, 1e-20}, {}, NumberFormat::Float32, 8192));
    EXPECT_FALSE(agreeOnMemberships({std::nan(""), 1}, all, {}, NumberFormat::Float32, 8192));
}

}  // namespace
}  // namespace glycine::crossapen

namespace glycine::crossapen::cpu {
namespace {

// ---- Parts of the cpu backend for memberships: vectors of exponentials and logarithms, baselines, threads.
// tests/backends/membership_backends_test.cpp checks the results.

// The number of threads does not change sums, not even in the last bit.
TEST(CpuMemberships, ThreadsDoNotMatter) {
    const auto signals = normalisedSignals<float>(3, 2500, Kind::Smooth, 1);
    HostBackend one("cpu", 1);
    HostBackend three("cpu", 3);
    const auto expected = sumWith(cpu::membershipEngine(), one, signals, {});
    const auto sums = sumWith(cpu::membershipEngine(), three, signals, {});
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
    // The templates are 9 2, 1 6 and 2 10.
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

// Allows three units in the last place: the error of the series itself is below one.
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
