// The cpu backend's sums of memberships against the specification, with every instruction set that this
// processor has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "engine/algorithms/crossapen/cpu/membership_vectors.hpp"
#include "engine/algorithms/crossapen/membership_templates.hpp"
#include "engine/core/error.hpp"
#include "tests/algorithms/crossapen/membership_fixtures.hpp"

namespace glycine::crossapen::cpu {
namespace {

using namespace fixtures;

std::vector<InstructionSet> instructionSets() {
    std::vector<InstructionSet> sets;
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512})
        if (set <= detectInstructionSet()) sets.push_back(set);
    return sets;
}

template <class T>
void expectAllAgree(const Matrix<T>& signals, const FuzzyRule& rule, int threads = 1) {
    for (const InstructionSet set : instructionSets()) {
        SCOPED_TRACE(toString(set));
        HostBackend cpu("cpu", threads, set);
        expectAgreement(sumWith(cpu::membershipSummer(), cpu, signals, rule), signals, rule);
    }
}

template <class T>
class CpuFuzzy : public testing::Test {};
using Formats = testing::Types<float, double>;
TYPED_TEST_SUITE(CpuFuzzy, Formats);

TYPED_TEST(CpuFuzzy, AgreesWithTheReference) {
    for (const Kind kind : {Kind::Smooth, Kind::Quantised, Kind::Constant})
        for (const FuzzyRule& rule : kRules)
            for (const std::size_t samples : {std::size_t{rule.m} + 2, std::size_t{rule.m} + 3,
                                              std::size_t{19}, std::size_t{36}, std::size_t{101}}) {
                SCOPED_TRACE(testing::Message() << kind);
                expectAllAgree(normalisedSignals<TypeParam>(3, samples, kind, samples), rule);
            }
}

// More templates than a block of columns holds; and than a band of rows.
TYPED_TEST(CpuFuzzy, SeveralBlocks) {
    expectAllAgree(normalisedSignals<TypeParam>(2, 1031, Kind::Smooth, 5), {2, 0.2, 2}, 2);
    expectAllAgree(normalisedSignals<TypeParam>(1, 2503, Kind::Smooth, 6), {1, 0.2, 2}, 2);
    expectAllAgree(normalisedSignals<TypeParam>(2, 1203, Kind::Smooth, 7), {1100, 2000, 2}, 2);
}

TYPED_TEST(CpuFuzzy, TemplatesOfAlmostAllSamples) {
    expectAllAgree(normalisedSignals<TypeParam>(2, 77, Kind::Smooth, 5), {75, 2, 2});
}

// Distances whose memberships no number holds: sums are zero, not garbage, and the entropy is infinite.
TYPED_TEST(CpuFuzzy, VanishingMemberships) {
    Matrix<TypeParam> ramps(2, 50);
    for (std::size_t i = 0; i < 50; ++i) {
        ramps(0, i) = static_cast<TypeParam>(i);
        ramps(1, i) = -static_cast<TypeParam>(i) * 1e9F;
    }
    for (const InstructionSet set : instructionSets())
        for (const double power : {2.0, 1.0, 7.5}) {
            HostBackend cpu("cpu", 1, set);
            const auto sums = sumWith(cpu::membershipSummer(), cpu, ramps, {1, 1e-3, power});
            EXPECT_EQ(sums(0, 1).longSum, 0) << toString(set) << ' ' << power;
            EXPECT_EQ(crossFuzzyEntropy(sums(0, 1), 50, 1, false), std::numeric_limits<double>::infinity());
        }
}

TYPED_TEST(CpuFuzzy, EpochsAndProgress) {
    std::vector<Matrix<TypeParam>> epochs;
    for (std::uint64_t seed = 0; seed < 5; ++seed)
        epochs.push_back(normalisedSignals<TypeParam>(3, 90, Kind::Smooth, seed));
    HostBackend cpu("cpu", 2);
    double fraction = 0;
    Progress progress([&](const ProgressUpdate& update) { fraction = update.fraction; });
    progress.begin("memberships", 5.0 * 9 * 90 * 90);
    const auto sums = sumWith(cpu::membershipSummer(), cpu, epochs, {}, progress);
    for (std::size_t e = 0; e < epochs.size(); ++e) expectAgreement(sums[e], epochs[e], {});
    progress.advance(0);
    EXPECT_NEAR(fraction, 1, 1e-9);
    EXPECT_TRUE(
        sumWith(cpu::membershipSummer(), cpu, std::vector<Matrix<TypeParam>>{}, {}, progress).empty());
}

TEST(CpuFuzzyRun, StopsWhenAsked) {
    std::vector<Matrix<float>> epochs;
    epochs.push_back(normalisedSignals<float>(4, 300, Kind::Smooth, 1));
    HostBackend cpu("cpu", 1);
    Progress progress({}, [] { return true; });
    EXPECT_THROW(sumWith(cpu::membershipSummer(), cpu, epochs, {}, progress), CancelledError);
}

// Sums do not depend on the number of threads, to the last bit.
TEST(CpuFuzzyRun, ThreadsDoNotMatter) {
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
    subtractBaselines(signal, 1, templates.view());
    const double expected[3][2] = {{-2, -4}, {-1, 0}, {3, 4}};
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(templates(k, i), expected[k][i]);
}

template <class T>
class MembershipFunctions : public testing::Test {};
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
