// What is particular to the cuda backend of `crossapen`: device memory, the longest epochs and templates, its
// stages and its choices. What it finds: tests/backends/{crossapen,membership}_backends_test.cpp. Skips
// itself where there is no NVIDIA driver.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels_cuda/crossapen/crossapen_membership.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "tests/crossapen/membership_fixtures.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"

namespace glycine::crossapen::cuda {
namespace {

using namespace fixtures;

constexpr Variant kAllVariants[] = {Variant::Registers, Variant::Halo,   Variant::Shifted,
                                    Variant::Diagonal,  Variant::Bitset, Variant::Dominance};

MatchRequest requestFor(const OwnedEpoch<float>& epoch, const MatchRule& rule, Variant variant) {
    return {.variant = variant,
            .rule = rule,
            .channels = epoch.signals.rows(),
            .samples = epoch.signals.columns()};
}

/// 0.25 is a step of Kind::Quantised: many distances are equal to it.
OwnedEpoch<float> makeEpoch(std::size_t channels, std::size_t samples, Kind kind, std::uint64_t seed) {
    return {makeSignals<float>(channels, samples, kind, seed), {0.25F}};
}

void expectEqual(const Matrix<MatchStatistics>& found, const Matrix<MatchStatistics>& expected) {
    for (std::size_t a = 0; a < expected.rows(); ++a)
        for (std::size_t b = 0; b < expected.columns(); ++b)
            ASSERT_EQ(found(a, b), expected(a, b)) << "channels " << a << ", " << b;
}

TEST(CudaMatcher, refusesWhatDoesNotFitTheDevice) {
    REQUIRE_BACKEND(backend, std::size_t{1} << 14);
    const auto epoch = makeEpoch(20, 500, Kind::Smooth, 1);
    for (const Variant variant : kAllVariants) {
        const Support support = cuda::matcher().create(*backend)->supports(requestFor(epoch, {}, variant));
        ASSERT_FALSE(support) << toString(variant);
        EXPECT_THAT(support.reason(), testing::HasSubstr("device memory"));
    }
}

/// Against the cpu's merged sweep, which its own tests compare with the reference.
TEST(CudaMatcher, takesLongEpochs) {
    REQUIRE_BACKEND(backend);
    HostBackend cpu("cpu", 0);
    for (const unsigned m : {1U, 3U, 4U}) {
        const auto epoch = makeEpoch(2, 20011, Kind::Smooth, m);
        const auto expected = matchWith(cpu::matcher(), cpu, {epoch.view()}, {m, false}, Variant::Merged);
        for (const Variant variant : kAllVariants) {
            if (!cuda::matcher().create(*backend)->supports(requestFor(epoch, {m, false}, variant))) continue;
            SCOPED_TRACE(toString(variant));
            expectEqual(matchWith(cuda::matcher(), *backend, {epoch.view()}, {m, false}, variant).front(),
                        expected.front());
        }
    }
}

TEST(CudaMatcher, takesTheLongestEpochs) {
    REQUIRE_BACKEND(backend);
    const auto ranked = makeEpoch(1, 65535, Kind::Quantised, 1);
    const auto longest = makeEpoch(1, kMaximumSamples, Kind::Quantised, 1);
    const auto with = [&](const OwnedEpoch<float>& epoch, Variant variant) {
        return std::move(matchWith(cuda::matcher(), *backend, {epoch.view()}, {}, variant).front());
    };
    const auto ofRanked = with(ranked, Variant::Diagonal);
    expectEqual(with(ranked, Variant::Dominance), ofRanked);
    expectEqual(with(ranked, Variant::Bitset), ofRanked);
    const auto ofLongest = with(longest, Variant::Diagonal);
    EXPECT_GE(ofLongest(0, 0).matchesLong, kMaximumSamples - 1);
    expectEqual(with(longest, Variant::Bitset), ofLongest);
    expectEqual(with(longest, Variant::Registers), ofLongest);
    const Support support =
        cuda::matcher().create(*backend)->supports(requestFor(longest, {}, Variant::Dominance));
    EXPECT_THAT(support.reason(), testing::HasSubstr("65535"));
}

TEST(CudaMatcher, choosesByItself) {
    REQUIRE_BACKEND(backend);
    const auto matcher = cuda::matcher().create(*backend);
    Progress progress;
    const auto chosen = [&](std::size_t samples, unsigned m) {
        const auto epoch = makeEpoch(2, samples, Kind::Smooth, 1);
        const std::vector<AnyEpoch> epochs{epoch.view()};
        Matrix<MatchStatistics> statistics(2, 2);
        const std::vector<MatrixView<MatchStatistics>> views{statistics.view()};
        return matcher->match(epochs, {m, false}, Variant::Default, views, progress).variant;
    };
    EXPECT_EQ(chosen(100, 1), Variant::Dominance);
    EXPECT_EQ(chosen(100, 2), Variant::Diagonal);
    EXPECT_EQ(chosen(1000, 1), Variant::Dominance);
    EXPECT_EQ(chosen(1000, 2), Variant::Bitset);
    EXPECT_EQ(chosen(1000, 12), Variant::Diagonal);
    EXPECT_EQ(chosen(1000, 40), Variant::Bitset);
    EXPECT_EQ(matcher->match({}, {1, false}, Variant::Diagonal, {}, progress).variant, Variant::Diagonal);
}

TEST(CudaMatcher, tellsTheTimesOfItsStages) {
    REQUIRE_BACKEND(backend);
    const auto epoch = makeEpoch(3, 300, Kind::Smooth, 1);
    const std::vector<AnyEpoch> epochs(5, epoch.view());
    std::vector<Matrix<MatchStatistics>> statistics;
    std::vector<MatrixView<MatchStatistics>> views;
    for (std::size_t e = 0; e < epochs.size(); ++e) views.push_back(statistics.emplace_back(3, 3).view());
    for (const Variant variant : kAllVariants) {
        SCOPED_TRACE(toString(variant));
        Progress progress;
        const auto matcher = cuda::matcher().create(*backend);
        const MatchTimes times = matcher->match(epochs, {}, variant, views, progress).times;
        EXPECT_GT(times.upload, 0);
        EXPECT_GT(times.compute, 0);
        EXPECT_GT(times.download, 0);
        if (variant == Variant::Bitset || variant == Variant::Dominance) {
            EXPECT_GT(times.prepare, 0);
        }
    }
}

TEST(CudaMatcher, refusesWithAReason) {
    REQUIRE_BACKEND(backend);
    const auto matcher = cuda::matcher().create(*backend);
    const auto reasonFor = [&](Variant variant, unsigned m, std::size_t samples) {
        MatchRequest request;
        request.variant = variant;
        request.rule.m = m;
        request.samples = samples;
        return matcher->supports(request).reason();
    };
    EXPECT_THAT(reasonFor(Variant::Dominance, 2, 100), testing::HasSubstr("dominance"));
    EXPECT_THAT(reasonFor(Variant::Diagonal, 32, 100), testing::HasSubstr("31 samples"));
    EXPECT_THAT(reasonFor(Variant::Shifted, 100, 1000), testing::HasSubstr("shared memory"));
    EXPECT_THAT(reasonFor(Variant::Bitset, 2000, 10000), testing::HasSubstr("bit sets"));
    EXPECT_EQ(reasonFor(Variant::Registers, 2000, 10000), "");
    EXPECT_EQ(reasonFor(Variant::Default, 2000, 10000), "");
}

template <class T>
class CudaMemberships : public testing::Test {};
using Formats = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaMemberships, Formats);

// So long that few templates of a partner fit into shared memory.
TYPED_TEST(CudaMemberships, takeTheLongestTemplates) {
    REQUIRE_BACKEND(backend);
    const auto signals = normalisedSignals<TypeParam>(2, 4120, Kind::Smooth, 5);
    const FuzzyRule rule{glycine::cuda::kLongestMembership, 4000, 2};
    expectAgreement(sumWith(cuda::membershipSummer(), *backend, signals, rule), signals, rule);
}

TYPED_TEST(CudaMemberships, refuseWithAReason) {
    REQUIRE_BACKEND(backend);
    const auto summer = cuda::membershipSummer().create(*backend);
    const NumberFormat format = kFormatOf<TypeParam>;
    EXPECT_THAT(summer->supports({.format = format, .rule = {5000, 0.2, 2}}).reason(),
                testing::HasSubstr("4095"));
    EXPECT_THAT(
        summer
            ->supports(
                {.format = format, .rule = {4000, 0.2, 2}, .channels = 100000, .samples = kMaximumSamples})
            .reason(),
        testing::HasSubstr("device memory"));
}

}  // namespace
}  // namespace glycine::crossapen::cuda
