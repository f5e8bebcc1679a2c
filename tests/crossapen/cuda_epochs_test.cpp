// Tests the `cuda` backend: plans, which need no device, and epochs.
#include "kernels_cuda/crossapen/crossapen_kernels.hpp"
#include "kernels_cuda/crossapen/crossapen_membership.hpp"
#include "kernels_cuda/crossapen/crossapen_ranks.hpp"
#include "kernels_cuda/crossapen/match_run.hpp"
#include "tests/crossapen/membership_fixtures.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen::cuda {
namespace {

// ---- Decisions and counts of the cuda backend of `crossapen` on the host, or in code that host and device
// share. Needs no device.

using namespace glycine::cuda;

// --- Intervals of ranks

template <class T>
void expectIntervals(const std::vector<T>& sorted, T x, T bound) {
    const RankInterval found = findInterval(x, sorted.data(), static_cast<unsigned>(sorted.size()), bound);
    for (unsigned k = 0; k < sorted.size(); ++k)
        ASSERT_EQ(found.begin <= k && k < found.end, std::abs(x - sorted[k]) < bound)
            << "x " << x << ", bound " << bound << ", partner " << k << " = " << sorted[k];
    ASSERT_LE(found.begin, found.end);
    ASSERT_LE(found.end, sorted.size());
}

template <class T>
class FoundIntervals : public testing::Test {};
using Formats = testing::Types<float, double>;
TYPED_TEST_SUITE(FoundIntervals, Formats);

TYPED_TEST(FoundIntervals, holdThePartnersWithinTheBound) {
    using T = TypeParam;
    RandomSequence random(1);
    for (const std::size_t count : {1, 2, 3, 31, 32, 33, 100}) {
        for (const bool hasTies : {false, true}) {
            std::vector<T> sorted(count);
            for (T& value : sorted)
                value = static_cast<T>(hasTies ? std::round(4 * random.uniform()) : 4 * random.uniform());
            std::sort(sorted.begin(), sorted.end());
            const T smallest = std::nextafter(T(0), T(1));
            for (const T bound : {T(0), smallest, T(0.5), std::nextafter(T(1), T(2)), T(1), T(100),
                                  std::numeric_limits<T>::infinity()})
                for (int trial = 0; trial < 20; ++trial)
                    expectIntervals<T>(sorted,
                                       trial % 2 == 0 ? sorted[random.below(count)]
                                                      : static_cast<T>(6 * random.uniform() - 1),
                                       bound);
        }
    }
}

TYPED_TEST(FoundIntervals, takePaddingAndHugeNumbers) {
    using T = TypeParam;
    const T infinity = std::numeric_limits<T>::infinity();
    const T huge = std::numeric_limits<T>::max();
    const std::vector<T> sorted{-huge, -1, 0, 1, huge, infinity, infinity};
    for (const T x : {-huge, T(0), T(1), huge, infinity})
        for (const T bound : {T(1), T(3), huge, infinity}) expectIntervals<T>(sorted, x, bound);
}

// --- Points in rectangles of ranks

/// The grid of a sequence of ranks by plain counting. crossapen_ranks.hpp defines it.
std::vector<std::uint32_t> plainGrid(const std::vector<unsigned>& rankOfTime) {
    const std::size_t samples = rankOfTime.size();
    const unsigned cells = rankCells(samples);
    std::vector<unsigned> second(cells * kRankCell, kNoRank);  // by first rank
    std::vector<unsigned> first(cells * kRankCell, kNoRank);   // by second rank
    for (std::size_t time = 0; time + 1 < samples; ++time) {
        second[rankOfTime[time]] = rankOfTime[time + 1];
        first[rankOfTime[time + 1]] = rankOfTime[time];
    }
    std::vector<std::uint32_t> words;
    for (unsigned a = 0; a <= cells; ++a)
        for (unsigned h = 0; h < cells; ++h) {
            std::uint32_t left = 0;
            std::uint32_t inColumn = 0;
            for (unsigned p = 0; p < std::min<std::size_t>(samples, a * kRankCell); ++p) {
                left += second[p] < h * kRankCell;
                inColumn += second[p] != kNoRank && second[p] / kRankCell == h;
            }
            words.push_back(left | inColumn << 16);
        }
    const auto addPrefixSets = [&](const std::vector<unsigned>& ranks) {
        for (unsigned cell = 0; cell < cells; ++cell) {
            std::vector<unsigned> order(kRankCell);
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
                return ranks[cell * kRankCell + a] < ranks[cell * kRankCell + b];
            });
            std::uint32_t set = 0;
            words.push_back(set);
            for (const unsigned lane : order) words.push_back(set |= 1U << lane);
        }
    };
    addPrefixSets(second);
    addPrefixSets(first);
    return words;
}

TEST(RankGrids, countWhatLiesInRectangles) {
    for (const std::size_t samples : {3, 31, 32, 33, 64, 100, 257}) {
        std::vector<unsigned> ranks(samples);
        std::iota(ranks.begin(), ranks.end(), 0);
        RandomSequence random(samples);
        for (std::size_t i = samples; i-- > 1;) std::swap(ranks[i], ranks[random.below(i + 1)]);
        const std::vector<std::uint32_t> words = plainGrid(ranks);
        ASSERT_EQ(words.size(), dominanceGridWords(samples));
        const DominanceGrid grid(words.data(), rankCells(samples));
        const auto countPlainly = [&](RankInterval x, RankInterval y) {
            unsigned count = 0;
            for (std::size_t time = 0; time + 1 < samples; ++time)
                count += ranks[time] >= x.begin && ranks[time] < x.end && ranks[time + 1] >= y.begin &&
                         ranks[time + 1] < y.end;
            return count;
        };
        const auto interval = [&] {
            const auto a = static_cast<unsigned>(random.below(samples + 1));
            const auto b = static_cast<unsigned>(random.below(samples + 1));
            return RankInterval{std::min(a, b), std::max(a, b)};
        };
        const RankInterval whole{0, static_cast<unsigned>(samples)};
        EXPECT_EQ(grid.countInside(whole, whole), samples - 1);
        for (int trial = 0; trial < 300; ++trial) {
            const RankInterval x = interval();
            const RankInterval y = interval();
            ASSERT_EQ(grid.countInside(x, y), countPlainly(x, y))
                << samples << ": " << x.begin << "-" << x.end << ", " << y.begin << "-" << y.end;
        }
    }
}

// --- Shapes

TEST(Segments, holdEveryTemplateOnce) {
    for (const std::size_t length : {8, 32, 256})
        for (const unsigned m : {1U, 2U, 3U, 4U})
            for (std::size_t samples = m + 2; samples < 4 * length; samples += 1 + length / 50) {
                const SegmentShape shape{1, samples, m, length};
                std::size_t next = 0;
                for (std::size_t segment = 0; segment < shape.segments(); ++segment) {
                    ASSERT_EQ(shape.first(segment), next);
                    ASSERT_GE(shape.templates(segment), 1U);
                    next += shape.templates(segment);
                    // The long templates that begin in a segment also end in it.
                    const std::size_t lastLong = next - (shape.isLast(segment) ? 2 : 1);
                    ASSERT_LT(lastLong + m, shape.first(segment) + length);
                    ASSERT_LT(lastLong + m, samples);
                }
                ASSERT_EQ(next, samples - m + 1) << length << ", " << m << ", " << samples;
            }
}

TEST(Strips, coverAllTemplates) {
    for (std::size_t samples = 3; samples < 3000; samples += 7) {
        const MatchShape shape{1, 1, samples, 1};
        const std::size_t rows = 32 * diagonalRows(shape);
        EXPECT_GE(diagonalStrips(shape) * rows, samples);
        EXPECT_LT((diagonalStrips(shape) - 1) * rows, samples);
    }
    EXPECT_EQ(diagonalRows({1, 1, 1024, 1}), kWideRows);
    EXPECT_EQ(diagonalRows({1, 1, 64, 1}), kNarrowRows);
}

TEST(SharedMemory, isKeptWithinItsLimit) {
    for (const std::size_t limit :
         {std::size_t{48} << 10, std::size_t{64} << 10, std::size_t{99} << 10, std::size_t{227} << 10})
        for (const std::size_t sampleBytes : {sizeof(float), sizeof(double)})
            for (const std::size_t samples : {3, 200, 500, 1000, 1024, 1025, 5000, 65535})
                for (const unsigned m : {1U, 2U, 100U, 200U, 600U}) {
                    if (samples < m + 2) continue;
                    const MatchShape shape{3, 5, samples, m};
                    const BitsetPlan bits = planBitset(shape, sampleBytes, limit);
                    EXPECT_LE(bits.sharedBytes, limit);
                    if (bits.words > 0) {
                        EXPECT_TRUE(samples <= bits.length() || m <= bits.length() / 2);
                    } else {
                        EXPECT_TRUE(m > 256 || (m > 128 && limit < (std::size_t{50} << 10)))
                            << m << ", " << samples << ", " << limit;
                    }
                    const DominancePlan ranks = planDominance(shape, sampleBytes, limit);
                    EXPECT_LE(ranks.sharedBytes, limit);
                    EXPECT_LE(ranks.warps, shape.channels);
                }
    EXPECT_EQ(planBitset({1, 1, 1024, 1}, sizeof(float), std::size_t{227} << 10).words, 32U);
    EXPECT_EQ(planBitset({1, 1, 1024, 1}, sizeof(float), std::size_t{99} << 10).words, 16U);
    EXPECT_GT(planDominance({1, 148, 1024, 1}, sizeof(float), std::size_t{227} << 10).warps, 8U);
    EXPECT_EQ(planDominance({1, 2, 65535, 1}, sizeof(float), std::size_t{227} << 10).warps, 0U);
}

// --- Batches

TEST(Batches, fitTheMemory) {
    const BatchDemand demand{[](std::size_t epochs) { return 100 * epochs; },
                             [](std::size_t epochs) { return 50 + 30 * epochs; }};
    for (std::size_t available = 0; available < 6000; available += 10)
        for (const std::size_t epochs : {1, 2, 7, 40}) {
            const BatchPlan plan = planBatches(demand, epochs, 1000, available);
            if (available < 180) {
                EXPECT_EQ(plan.epochs, 0U);
                EXPECT_EQ(plan.needed, 180U);
                continue;
            }
            ASSERT_GE(plan.epochs, 1U);
            ASSERT_LE(plan.epochs, epochs);
            EXPECT_LE(plan.slots * demand.ofSlot(plan.epochs) + demand.ofTables(plan.epochs), available);
        }
    const BatchPlan whole = planBatches(demand, 40, 1000, 1 << 20);
    EXPECT_EQ(whole.epochs, 40U);
    EXPECT_EQ(whole.slots, 1U);
    const BatchPlan some = planBatches(demand, 40, 13, 1 << 20);
    EXPECT_EQ(some.epochs, 10U) << "batches of equal size";
    EXPECT_EQ(some.slots, 2U);
}

TEST(Batches, areSmallEnoughToOverlap) {
    const BatchDemand demand{[](std::size_t epochs) { return epochs << 21; },
                             [](std::size_t) { return std::size_t{0}; }};
    const BatchPlan plan = planBatches(demand, 49, 1000, std::size_t{1} << 40);
    EXPECT_EQ(plan.epochs, 7U);
    EXPECT_EQ(plan.slots, 2U);
    const BatchDemand huge{[](std::size_t epochs) { return epochs << 30; },
                           [](std::size_t) { return std::size_t{0}; }};
    EXPECT_EQ(planBatches(huge, 3, 1000, std::size_t{1} << 40).epochs, 1U);
}

// ---- Properties particular to the cuda backend of `crossapen`: device memory, the longest epochs and
// templates, stages and choices. tests/backends/{crossapen,membership}_backends_test.cpp check the results.
// These tests skip themselves without an NVIDIA driver.

constexpr Variant kAllVariants[] = {Variant::Registers, Variant::Halo,   Variant::Shifted,
                                    Variant::Diagonal,  Variant::Bitset, Variant::Dominance};

MatchRequest requestFor(const OwnedEpoch<float>& epoch, const MatchRule& rule, Variant variant) {
    return {.variant = variant,
            .rule = rule,
            .channels = epoch.signals.rows(),
            .samples = epoch.signals.columns()};
}

/// 0.25 is a step of Kind::Quantised, so many distances equal r.
OwnedEpoch<float> makeEpoch(std::size_t channels, std::size_t samples, Kind kind, std::uint64_t seed) {
    return {makeSignals<float>(channels, samples, kind, seed), {0.25F}};
}

TEST(CudaMatchEngine, refusesWhatDoesNotFitTheDevice) {
    REQUIRE_BACKEND(backend, std::size_t{1} << 14);
    const auto epoch = makeEpoch(20, 500, Kind::Smooth, 1);
    for (const Variant variant : kAllVariants) {
        const Support support =
            cuda::matchEngine().create(*backend)->supports(requestFor(epoch, {}, variant));
        ASSERT_FALSE(support) << toString(variant);
        EXPECT_THAT(support.reason(), HasSubstr("device memory"));
    }
}

/// Compares with the cpu's merged sweep, which its own tests compare with the reference.
TEST(CudaMatchEngine, takesLongEpochs) {
    REQUIRE_BACKEND(backend);
    HostBackend cpu("cpu", 0);
    for (const unsigned m : {1U, 3U, 4U}) {
        const auto epoch = makeEpoch(2, 20011, Kind::Smooth, m);
        const auto expected = matchWith(cpu::matchEngine(), cpu, {epoch.view()}, {m, false}, Variant::Merged);
        for (const Variant variant : kAllVariants) {
            if (!cuda::matchEngine().create(*backend)->supports(requestFor(epoch, {m, false}, variant)))
                continue;
            SCOPED_TRACE(toString(variant));
            expectSame(matchWith(cuda::matchEngine(), *backend, {epoch.view()}, {m, false}, variant).front(),
                       expected.front());
        }
    }
}

TEST(CudaMatchEngine, takesTheLongestEpochs) {
    REQUIRE_BACKEND(backend);
    const auto ranked = makeEpoch(1, 65535, Kind::Quantised, 1);
    const auto longest = makeEpoch(1, kMaximumSamples, Kind::Quantised, 1);
    const auto with = [&](const OwnedEpoch<float>& epoch, Variant variant) {
        return std::move(matchWith(cuda::matchEngine(), *backend, {epoch.view()}, {}, variant).front());
    };
    const auto ofRanked = with(ranked, Variant::Diagonal);
    expectSame(with(ranked, Variant::Dominance), ofRanked);
    expectSame(with(ranked, Variant::Bitset), ofRanked);
    const auto ofLongest = with(longest, Variant::Diagonal);
    EXPECT_GE(ofLongest(0, 0).matchesLong, kMaximumSamples - 1);
    expectSame(with(longest, Variant::Bitset), ofLongest);
    expectSame(with(longest, Variant::Registers), ofLongest);
    const Support support =
        cuda::matchEngine().create(*backend)->supports(requestFor(longest, {}, Variant::Dominance));
    EXPECT_THAT(support.reason(), HasSubstr("65535"));
}

TEST(CudaMatchEngine, choosesByItself) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::matchEngine().create(*backend);
    const auto chosen = [&](std::size_t samples, unsigned m) {
        const auto epoch = makeEpoch(2, samples, Kind::Smooth, 1);
        const std::vector<AnyEpoch> epochs{epoch.view()};
        Matrix<MatchStatistics> statistics(2, 2);
        const std::vector<MatrixView<MatchStatistics>> views{statistics.view()};
        return engine->match(epochs, {m, false}, Variant::Default, views, silentProgress()).variant;
    };
    EXPECT_EQ(chosen(100, 1), Variant::Dominance);
    EXPECT_EQ(chosen(100, 2), Variant::Diagonal);
    EXPECT_EQ(chosen(1000, 1), Variant::Dominance);
    EXPECT_EQ(chosen(1000, 2), Variant::Bitset);
    EXPECT_EQ(chosen(1000, 12), Variant::Diagonal);
    EXPECT_EQ(chosen(1000, 40), Variant::Bitset);
    EXPECT_EQ(engine->match({}, {1, false}, Variant::Diagonal, {}, silentProgress()).variant,
              Variant::Diagonal);
}

TEST(CudaMatchEngine, tellsTheTimesOfItsStages) {
    REQUIRE_BACKEND(backend);
    const auto epoch = makeEpoch(3, 300, Kind::Smooth, 1);
    const std::vector<AnyEpoch> epochs(5, epoch.view());
    std::vector<Matrix<MatchStatistics>> statistics;
    std::vector<MatrixView<MatchStatistics>> views;
    for (std::size_t e = 0; e < epochs.size(); ++e) views.push_back(statistics.emplace_back(3, 3).view());
    for (const Variant variant : kAllVariants) {
        SCOPED_TRACE(toString(variant));
        const auto engine = cuda::matchEngine().create(*backend);
        const MatchTimes times = engine->match(epochs, {}, variant, views, silentProgress()).times;
        EXPECT_GT(times.upload, 0);
        EXPECT_GT(times.compute, 0);
        EXPECT_GT(times.download, 0);
        if (variant == Variant::Bitset || variant == Variant::Dominance) {
            EXPECT_GT(times.prepare, 0);
        }
    }
}

TEST(CudaMatchEngine, tellsWhatPublishedKernelsTake) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::matchEngine().create(*backend);
    const std::pair<Variant, std::size_t> published[] = {{Variant::Registers, 0},
                                                         {Variant::Halo, 2 * (1 + 256) * sizeof(float)},
                                                         {Variant::Shifted, 4 * 256 * sizeof(float)}};
    for (const auto& [variant, sharedBytes] : published) {
        SCOPED_TRACE(toString(variant));
        const auto use = engine->kernelOf(variant);
        ASSERT_TRUE(use);
        EXPECT_EQ(use->threads, 256U);
        EXPECT_EQ(use->sharedBytes, sharedBytes);
        EXPECT_GT(use->registers, 8U);
        EXPECT_LE(use->registers, 255U);
        EXPECT_GT(use->occupancy, 0);
        EXPECT_LE(use->occupancy, 1);
        EXPECT_EQ(use->facts("x").at("threads of x"), 256);
    }
    for (const Variant variant : {Variant::Default, Variant::Diagonal, Variant::Membership})
        EXPECT_FALSE(engine->kernelOf(variant)) << toString(variant);
}

TEST(CudaMatchEngine, refusesWithAReason) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::matchEngine().create(*backend);
    const auto reasonFor = [&](Variant variant, unsigned m, std::size_t samples) {
        MatchRequest request;
        request.variant = variant;
        request.rule.m = m;
        request.samples = samples;
        return engine->supports(request).reason();
    };
    EXPECT_THAT(reasonFor(Variant::Dominance, 2, 100), HasSubstr("dominance"));
    EXPECT_THAT(reasonFor(Variant::Diagonal, 32, 100), HasSubstr("31 samples"));
    EXPECT_THAT(reasonFor(Variant::Shifted, 100, 1000), HasSubstr("shared memory"));
    EXPECT_EQ(reasonFor(Variant::Shifted, 11, 1000), "") << "256 threads, 48 KiB";
    EXPECT_THAT(reasonFor(Variant::Bitset, 2000, 10000), HasSubstr("bit sets"));
    EXPECT_EQ(reasonFor(Variant::Registers, 2000, 10000), "");
    EXPECT_EQ(reasonFor(Variant::Default, 2000, 10000), "");
}

template <class T>
class CudaMemberships : public testing::Test {};
using Formats = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaMemberships, Formats);

// The templates are so long that shared memory holds few templates of a partner.
TYPED_TEST(CudaMemberships, takeTheLongestTemplates) {
    REQUIRE_BACKEND(backend);
    const auto signals = normalisedSignals<TypeParam>(2, 4120, Kind::Smooth, 5);
    const FuzzyRule rule{glycine::cuda::kLongestMembership, 4000, 2};
    expectAgreement(sumWith(cuda::membershipEngine(), *backend, signals, rule), signals, rule);
}

TYPED_TEST(CudaMemberships, refuseWithAReason) {
    REQUIRE_BACKEND(backend);
    const auto engine = cuda::membershipEngine().create(*backend);
    const NumberFormat format = kFormatOf<TypeParam>;
    EXPECT_THAT(engine->supports({.format = format, .rule = {5000, 0.2, 2}}).reason(), HasSubstr("4095"));
    EXPECT_THAT(
        engine
            ->supports(
                {.format = format, .rule = {4000, 0.2, 2}, .channels = 100000, .samples = kMaximumSamples})
            .reason(),
        HasSubstr("device memory"));
}

}  // namespace
}  // namespace glycine::crossapen::cuda
