// The cuda backend: every variant of `crossapen` against the reference. Skips itself where there is no NVIDIA
// driver.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/core/error.hpp"
#include "kernels_cuda/device/cuda_backend.hpp"
#include "tests/algorithms/crossapen/crossapen_fixtures.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"

namespace glycine::crossapen::cuda {
namespace {

using namespace fixtures;
using glycine::cuda::CudaBackend;

constexpr Variant kAllVariants[] = {Variant::Registers, Variant::Halo,   Variant::Shifted,
                                    Variant::Diagonal,  Variant::Bitset, Variant::Dominance};

template <class T>
constexpr NumberFormat formatOf() {
    return std::is_same_v<T, float> ? NumberFormat::Float32 : NumberFormat::Float64;
}

template <class T>
MatchRequest requestFor(const OwnedEpoch<T>& epoch, const MatchRule& rule, Variant variant) {
    MatchRequest request;
    request.variant = variant;
    request.format = formatOf<T>();
    request.rule = rule;
    request.channels = epoch.signals.rows();
    request.samples = epoch.signals.columns();
    request.hasPairTolerances = epoch.tolerance.size() > 1;
    return request;
}

enum class Tolerances { Single, Pairs };

/// 0.25 is a step of Kind::Quantised: many distances are equal to it.
template <class T>
OwnedEpoch<T> makeEpoch(std::size_t channels, std::size_t samples, Kind kind, Tolerances tolerances,
                        std::uint64_t seed) {
    OwnedEpoch<T> epoch{makeSignals<T>(channels, samples, kind, seed), {T(0.25)}};
    if (tolerances == Tolerances::Single) return epoch;
    epoch.tolerance.resize(channels * channels);
    for (std::size_t a = 0; a < channels; ++a)
        for (std::size_t b = 0; b < channels; ++b)
            epoch.tolerance[a * channels + b] = T(0.25) * static_cast<T>((a + b + a * b) % 4);
    return epoch;
}

void expectEqual(const Matrix<MatchStatistics>& found, const Matrix<MatchStatistics>& expected) {
    for (std::size_t a = 0; a < expected.rows(); ++a)
        for (std::size_t b = 0; b < expected.columns(); ++b)
            ASSERT_EQ(found(a, b), expected(a, b)) << "channels " << a << ", " << b;
}

/// Matches `epochs` with all variants that take them; returns how many did.
template <class T>
int expectAllVariants(CudaBackend& backend, const std::vector<OwnedEpoch<T>>& epochs, const MatchRule& rule) {
    std::vector<AnyEpoch> views;
    std::vector<Matrix<MatchStatistics>> expected;
    for (const OwnedEpoch<T>& epoch : epochs) {
        views.push_back(epoch.view());
        expected.push_back(expectedStatistics(epoch, rule));
    }
    int ran = 0;
    for (const Variant variant : kAllVariants) {
        if (!cuda::matcher().create(backend)->supports(requestFor(epochs.front(), rule, variant))) continue;
        SCOPED_TRACE(testing::Message() << toString(variant) << ", " << toString(formatOf<T>()) << ", "
                                        << epochs.front().signals.columns() << " samples, m " << rule.m
                                        << (rule.isStrict ? ", strict" : ""));
        const auto found = matchWith(cuda::matcher(), backend, views, rule, variant);
        for (std::size_t e = 0; e < epochs.size(); ++e) {
            SCOPED_TRACE(testing::Message() << "epoch " << e);
            expectEqual(found[e], expected[e]);
            if (testing::Test::HasFatalFailure()) return ran;
        }
        ++ran;
    }
    return ran;
}

template <class T>
std::vector<OwnedEpoch<T>> epochsOfAllKinds(std::size_t channels, std::size_t samples,
                                            Tolerances tolerances) {
    std::vector<OwnedEpoch<T>> epochs;
    for (const Kind kind : kAllKinds)
        epochs.push_back(makeEpoch<T>(channels, samples, kind, tolerances, samples + epochs.size()));
    return epochs;
}

template <class T>
class CudaMatching : public testing::Test {};
using Formats = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaMatching, Formats);

TYPED_TEST(CudaMatching, equalsTheReference) {
    REQUIRE_BACKEND(backend);
    for (const unsigned m : {1U, 2U, 3U, 5U})
        for (const bool isStrict : {false, true})
            for (const std::size_t samples : {std::size_t{m} + 2, std::size_t{31} + m, std::size_t{203}})
                for (const Tolerances tolerances : {Tolerances::Single, Tolerances::Pairs}) {
                    const auto epochs = epochsOfAllKinds<TypeParam>(3, samples, tolerances);
                    const int ran = expectAllVariants(*backend, epochs, {m, isStrict});
                    if (this->HasFatalFailure()) return;
                    EXPECT_EQ(ran, m == 1 ? 6 : 5);
                }
    EXPECT_EQ(backend->memory().used(), 0U);
}

TYPED_TEST(CudaMatching, takesSegmentsAndStripsOfAllLengths) {
    REQUIRE_BACKEND(backend);
    const auto expectLengths = [&](unsigned m, std::vector<std::size_t> lengths) {
        for (const std::size_t samples : lengths) {
            std::vector<OwnedEpoch<TypeParam>> epochs;
            for (const Kind kind : {Kind::Smooth, Kind::Constant})
                epochs.push_back(makeEpoch<TypeParam>(2, samples, kind, Tolerances::Single, samples + m));
            expectAllVariants(*backend, epochs, {m, false});
            if (this->HasFatalFailure()) return;
        }
    };
    for (const unsigned m : {1U, 2U, 5U}) expectLengths(m, {256, 257, 511, 513, 1024, 1025, 2311});
    for (const unsigned m : {4U, 8U, 9U, 31U, 40U}) expectLengths(m, {257, 513, 1025});
}

TYPED_TEST(CudaMatching, takesOneChannelAndMany) {
    REQUIRE_BACKEND(backend);
    for (const std::size_t channels : {1, 2, 67, 131}) {
        const auto epochs = epochsOfAllKinds<TypeParam>(channels, 37, Tolerances::Pairs);
        expectAllVariants(*backend, epochs, {1, false});
        expectAllVariants(*backend, epochs, {2, false});
        if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(CudaMatching, takesExtremeNumbers) {
    REQUIRE_BACKEND(backend);
    using T = TypeParam;
    constexpr T huge = std::numeric_limits<T>::max();
    for (const T r : {T(0), std::numeric_limits<T>::denorm_min(), huge / 2, huge}) {
        std::vector<OwnedEpoch<T>> epochs(2);
        for (OwnedEpoch<T>& epoch : epochs) epoch = {makeSignals<T>(2, 50, Kind::Quantised, 3), {r}};
        epochs[0].signals(0, 3) = huge;
        epochs[0].signals(1, 4) = -huge;
        epochs[1].signals(0, 49) = -huge;
        epochs[1].signals(1, 5) = T(-0.0);
        epochs[1].signals(0, 6) = std::numeric_limits<T>::denorm_min();
        for (const bool isStrict : {false, true})
            for (const unsigned m : {1U, 2U, 4U}) expectAllVariants(*backend, epochs, {m, isStrict});
        if (this->HasFatalFailure()) return;
    }
}

/// Batches that follow one another through two slots.
TYPED_TEST(CudaMatching, worksWithinLittleMemory) {
    const std::size_t limit = std::size_t{160} << 10;
    REQUIRE_BACKEND(backend, limit);
    for (const unsigned m : {1U, 2U}) {
        std::vector<OwnedEpoch<TypeParam>> epochs;
        for (std::uint64_t seed = 0; seed < 37; ++seed)
            epochs.push_back(makeEpoch<TypeParam>(5, 203, kAllKinds[seed % 4], Tolerances::Pairs, seed));
        EXPECT_EQ(expectAllVariants(*backend, epochs, {m, false}), m == 1 ? 6 : 5);
        if (this->HasFatalFailure()) return;
    }
    EXPECT_EQ(backend->memory().used(), 0U);
}

TEST(CudaMatcher, refusesWhatDoesNotFitTheDevice) {
    REQUIRE_BACKEND(backend, std::size_t{1} << 14);
    const auto epoch = makeEpoch<float>(20, 500, Kind::Smooth, Tolerances::Single, 1);
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
        const auto epoch = makeEpoch<float>(2, 20011, Kind::Smooth, Tolerances::Single, m);
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
    const auto ranked = makeEpoch<float>(1, 65535, Kind::Quantised, Tolerances::Single, 1);
    const auto longest = makeEpoch<float>(1, kMaximumSamples, Kind::Quantised, Tolerances::Single, 1);
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
        const auto epoch = makeEpoch<float>(2, samples, Kind::Smooth, Tolerances::Single, 1);
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

TEST(CudaMatcher, tellsProgressAndTimes) {
    REQUIRE_BACKEND(backend);
    const auto epoch = makeEpoch<float>(3, 300, Kind::Smooth, Tolerances::Single, 1);
    const std::vector<AnyEpoch> epochs(5, epoch.view());
    std::vector<Matrix<MatchStatistics>> statistics;
    std::vector<MatrixView<MatchStatistics>> views;
    for (std::size_t e = 0; e < epochs.size(); ++e) views.push_back(statistics.emplace_back(3, 3).view());
    for (const Variant variant : kAllVariants) {
        double fraction = 0;
        Progress progress([&](const ProgressUpdate& update) { fraction = update.fraction; });
        progress.begin("matches", 5 * 9 * 300.0 * 300.0);
        const auto matcher = cuda::matcher().create(*backend);
        const MatchTimes times = matcher->match(epochs, {}, variant, views, progress).times;
        EXPECT_DOUBLE_EQ(fraction, 1) << toString(variant);
        EXPECT_GT(times.upload, 0);
        EXPECT_GT(times.compute, 0);
        EXPECT_GT(times.download, 0);
        if (variant == Variant::Bitset || variant == Variant::Dominance) {
            EXPECT_GT(times.prepare, 0);
        }
    }
}

TEST(CudaMatcher, stopsWhenCancelledAndGoesOn) {
    REQUIRE_BACKEND(backend);
    const auto epoch = makeEpoch<float>(3, 300, Kind::Smooth, Tolerances::Single, 1);
    const std::vector<AnyEpoch> epochs{epoch.view()};
    Matrix<MatchStatistics> statistics(3, 3);
    const std::vector<MatrixView<MatchStatistics>> views{statistics.view()};
    for (const Variant variant : kAllVariants) {
        const auto matcher = cuda::matcher().create(*backend);
        for (const int looksBefore : {0, 1}) {
            int looks = 0;
            Progress cancelled({}, [&] { return ++looks > looksBefore; });
            EXPECT_THROW(matcher->match(epochs, {}, variant, views, cancelled), CancelledError);
        }
        Progress progress;
        matcher->match(epochs, {}, variant, views, progress);
        expectEqual(statistics, expectedStatistics(epoch, {}));
    }
    EXPECT_EQ(backend->memory().used(), 0U);
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
    EXPECT_THAT(reasonFor(Variant::Packed, 1, 100), testing::HasSubstr("packed"));
    EXPECT_THAT(reasonFor(Variant::Dominance, 2, 100), testing::HasSubstr("dominance"));
    EXPECT_THAT(reasonFor(Variant::Diagonal, 32, 100), testing::HasSubstr("31 samples"));
    EXPECT_THAT(reasonFor(Variant::Shifted, 100, 1000), testing::HasSubstr("shared memory"));
    EXPECT_THAT(reasonFor(Variant::Bitset, 2000, 10000), testing::HasSubstr("bit sets"));
    EXPECT_THAT(reasonFor(Variant::Registers, 8, 9), testing::HasSubstr("too short"));
    EXPECT_EQ(reasonFor(Variant::Registers, 2000, 10000), "");
    EXPECT_EQ(reasonFor(Variant::Default, 2000, 10000), "");
    EXPECT_FALSE(cuda::matcher().variants.empty());
}

}  // namespace
}  // namespace glycine::crossapen::cuda
