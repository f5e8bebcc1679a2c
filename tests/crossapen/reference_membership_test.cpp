// The specification of Cross-Fuzzy entropy: cases worked by hand, and laws that hold for all signals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/crossapen/pair_entropies.hpp"
#include "tests/crossapen/membership_fixtures.hpp"

namespace glycine::crossapen {
namespace {

using namespace fixtures;
using testing::HasSubstr;

double e(double x) {
    return std::exp(x);
}

// With r = 1 and n = 2, µ(d) = exp(−d²).
//   u = 0 2 0 4 2    steps +2 −2 +4 −2
//   v = 0 0 2 2 6    steps  0 +2  0 +4
const std::initializer_list<std::initializer_list<double>> kWorked{{0, 2, 0, 4, 2}, {0, 0, 2, 2, 6}};

// m = 1: four templates. Those of one sample are zero without their mean; those of two are ∓ half their step,
// so that d is half the difference of the steps:
//   1 0 1 1
//   1 2 1 3
//   2 1 2 0
//   1 2 1 3
TEST(ReferenceFuzzy, WorkedByHand) {
    const auto sums = expectedSums(signals(kWorked), {1, 1, 2});
    const double longSum = 2 + 8 * e(-1) + 4 * e(-4) + 2 * e(-9);
    EXPECT_DOUBLE_EQ(sums(0, 1).shortSum, 16);
    EXPECT_DOUBLE_EQ(sums(0, 1).longSum, longSum);
    EXPECT_NEAR(crossFuzzyEntropy(sums(0, 1), 5, 1, false), std::log(16 / longSum), 1e-14);
    // The differences of u's own steps, halved: 2 1 2 3 0 3, each twice.
    EXPECT_DOUBLE_EQ(sums(0, 0).shortSum, 12);
    EXPECT_DOUBLE_EQ(sums(0, 0).longSum, 2 * (1 + e(-1) + 2 * e(-4) + 2 * e(-9)));
    EXPECT_NEAR(crossFuzzyEntropy(sums(0, 0), 5, 1, true), -std::log((1 + e(-1) + 2 * e(-4) + 2 * e(-9)) / 6),
                1e-14);
}

// m = 2: three templates; at length 2 the upper left 3 × 3 of the above. At length 3, times three:
//   u (0 2 0) −2 4 −2    (2 0 4) 0 −6 6       (0 4 2) −6 6 0
//   v (0 0 2) −2 −2 4    (0 2 2) −4 2 2       (2 2 6) −4 −4 8
//   d: 6 4 10 / 4 8 4 / 8 4 10, over three
TEST(ReferenceFuzzy, LongerTemplatesByHand) {
    const auto sums = expectedSums(signals(kWorked), {2, 1, 2});
    EXPECT_DOUBLE_EQ(sums(0, 1).shortSum, 1 + 5 * e(-1) + 3 * e(-4));
    EXPECT_DOUBLE_EQ(sums(0, 1).longSum, e(-4) + 4 * e(-16.0 / 9) + 2 * e(-64.0 / 9) + 2 * e(-100.0 / 9));
    EXPECT_EQ(sums(0, 1), sums(1, 0));
}

// The same distances at n = 3 and r = 1/2: µ(d) = exp(−2 d³).
TEST(ReferenceFuzzy, OtherPowersByHand) {
    const auto sums = expectedSums(signals(kWorked), {2, 0.5, 3});
    EXPECT_DOUBLE_EQ(sums(0, 1).shortSum, 1 + 5 * e(-2) + 3 * e(-16));
    EXPECT_NEAR(sums(0, 1).longSum, e(-16) + 4 * e(-128.0 / 27) + 2 * e(-1024.0 / 27) + 2 * e(-2000.0 / 27),
                1e-15);
}

// Steps from a sample to the next but one: u 0 +2 +2, v +2 +2 +4; d, half their differences:
//   1 1 2
//   0 0 1
//   0 0 1
TEST(ReferenceFuzzy, TimeDelayByHand) {
    const auto sums = expectedSums(signals(kWorked), {1, 1, 2, 2});
    EXPECT_DOUBLE_EQ(sums(0, 1).shortSum, 9);
    EXPECT_DOUBLE_EQ(sums(0, 1).longSum, 4 + 4 * e(-1) + e(-4));
    EXPECT_NEAR(crossFuzzyEntropy(sums(0, 1), 5, 1, false, 2), std::log(9 / (4 + 4 * e(-1) + e(-4))), 1e-14);
    EXPECT_DOUBLE_EQ(sums(0, 0).longSum, 2 + 4 * e(-1));
}

// Each sample τ times: every template of the signal is there τ times with a delay of τ.
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
    const auto sums = expectedSums(shifted, {2, 0.2, 2});
    EXPECT_NEAR(sums(0, 0).longSum, sums(1, 1).longSum, 1e-10);
    // Against its own copy every template meets itself once more.
    EXPECT_NEAR(sums(0, 1).shortSum, sums(0, 0).shortSum + 58, 1e-10);
    EXPECT_NEAR(sums(0, 1).longSum, sums(0, 0).longSum + 58, 1e-10);
    EXPECT_NEAR(entropyHubCrossFuzzyEn(sums(0, 0), 60, 2, true), crossFuzzyEntropy(sums(0, 1), 60, 2, false),
                1e-12);
    EXPECT_EQ(entropyHubCrossFuzzyEn(sums(0, 1), 60, 2, false), crossFuzzyEntropy(sums(0, 1), 60, 2, false));
}

TEST(ReferenceFuzzy, WideMembershipsTakeAllPairs) {
    const auto sums = expectedSums(makeSignals<double>(2, 40, Kind::Smooth, 1), {3, 1e12, 2});
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
    // Steps of 1 and −3: templates of m samples are at a distance of 4 (m − 1) / 2 everywhere.
    const auto sums = expectedSums(ramps, {2, 40, 2});
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
    // A template that is missing of 8192 is seen.
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
