// The cpu backend against the specification: the same matches, to the last one, by every variant and every
// instruction set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "engine/algorithms/crossapen/cpu/column_counts.hpp"
#include "engine/algorithms/crossapen/cpu/partner_blocks.hpp"
#include "engine/algorithms/crossapen/sorted_signal.hpp"
#include "engine/core/error.hpp"
#include "tests/algorithms/crossapen/crossapen_fixtures.hpp"

namespace glycine::crossapen::cpu {
namespace {

using namespace fixtures;
using testing::HasSubstr;

/// Those that this processor has.
std::vector<InstructionSet> instructionSets() {
    std::vector<InstructionSet> sets;
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512})
        if (set <= detectInstructionSet()) sets.push_back(set);
    return sets;
}

constexpr Variant kVariants[] = {Variant::Merged, Variant::Pruned};

void expectSame(const Matrix<MatchStatistics>& found, const Matrix<MatchStatistics>& expected) {
    for (std::size_t a = 0; a < expected.rows(); ++a)
        for (std::size_t b = 0; b < expected.columns(); ++b)
            ASSERT_EQ(found(a, b), expected(a, b)) << "pair " << a << ", " << b;
}

template <class T>
void expectAllAgree(const OwnedEpoch<T>& epoch, const MatchRule& rule,
                    const Matrix<MatchStatistics>& expected) {
    for (const InstructionSet set : instructionSets())
        for (const Variant variant : kVariants) {
            SCOPED_TRACE(testing::Message()
                         << toString(set) << ' ' << toString(variant) << ", N = " << epoch.signals.columns()
                         << ", m = " << rule.m << (rule.isStrict ? ", strict" : ""));
            HostBackend cpu("cpu", 1, set);
            expectSame(matchWith(cpu::matcher(), cpu, {epoch.view()}, rule, variant).front(), expected);
        }
}

template <class T>
class CpuCrossApEn : public testing::Test {};
using Formats = testing::Types<float, double>;
TYPED_TEST_SUITE(CpuCrossApEn, Formats);

TYPED_TEST(CpuCrossApEn, AgreesWithTheReference) {
    for (const Kind kind : kAllKinds)
        for (unsigned m = 1; m <= 5; ++m)
            for (std::size_t samples = m + 2; samples <= 300; samples += samples < 24 ? 1 : samples / 5)
                for (const bool isStrict : {false, true}) {
                    SCOPED_TRACE(testing::Message() << kind);
                    const OwnedEpoch<TypeParam> epoch{makeSignals<TypeParam>(3, samples, kind, samples * m),
                                                      {TypeParam(0.25)}};
                    const MatchRule rule{m, isStrict};
                    expectAllAgree(epoch, rule, expectedStatistics(epoch, rule));
                    if (this->HasFatalFailure()) return;
                }
}

TYPED_TEST(CpuCrossApEn, AgreesForLongTemplates) {
    for (const unsigned m : {8U, 20U, 64U})
        for (const std::size_t samples : {m + 2UL, 2UL * m, 150UL + m}) {
            const OwnedEpoch<TypeParam> epoch{makeSignals<TypeParam>(2, samples, Kind::Constant, m),
                                              {TypeParam(0.5)}};
            const MatchRule rule{m, false};
            expectAllAgree(epoch, rule, expectedStatistics(epoch, rule));
            if (this->HasFatalFailure()) return;
        }
}

// Partners longer than a block: lengths about one block, and about where a second one begins.
TYPED_TEST(CpuCrossApEn, AgreesAcrossBlocks) {
    for (const unsigned m : {1U, 2U, 3U})
        for (const std::size_t samples : {2047, 2048, 2049, 2050, 4500}) {
            const OwnedEpoch<TypeParam> epoch{
                makeSignals<TypeParam>(2, samples, samples % 2 == 0 ? Kind::Smooth : Kind::Quantised,
                                       samples),
                {TypeParam(0.25)}};
            const MatchRule rule{m, m == 2};
            expectAllAgree(epoch, rule, expectedStatistics(epoch, rule));
            if (this->HasFatalFailure()) return;
        }
}

// The rank grids' blocks are longer; `merged`, shown to be right, is what a test can wait for.
TYPED_TEST(CpuCrossApEn, PrunedAgreesWithMergedForLongEpochs) {
    HostBackend widest("cpu", 2);
    for (const std::size_t samples : {16383, 16384, 16385, 16386, 40001})
        for (const unsigned m : {1U, 2U}) {
            const OwnedEpoch<TypeParam> epoch{makeSignals<TypeParam>(2, samples, Kind::Quantised, samples),
                                              {TypeParam(0.25)}};
            const MatchRule rule{m, false};
            const auto expected = matchWith(cpu::matcher(), widest, {epoch.view()}, rule, Variant::Merged);
            for (const InstructionSet set : instructionSets()) {
                SCOPED_TRACE(testing::Message() << toString(set) << ", N = " << samples << ", m = " << m);
                HostBackend cpu("cpu", 2, set);
                expectSame(matchWith(cpu::matcher(), cpu, {epoch.view()}, rule, Variant::Pruned).front(),
                           expected.front());
                if (this->HasFatalFailure()) return;
            }
        }
}

TYPED_TEST(CpuCrossApEn, EveryPairHasItsOwnTolerance) {
    const std::size_t channels = 4;
    for (const unsigned m : {1U, 2U}) {
        OwnedEpoch<TypeParam> epoch{makeSignals<TypeParam>(channels, 100, Kind::Quantised, 9), {}};
        for (std::size_t a = 0; a < channels; ++a)
            for (std::size_t b = 0; b < channels; ++b)
                epoch.tolerance.push_back(static_cast<TypeParam>(0.25) * static_cast<TypeParam>(a + b));
        for (const bool isStrict : {false, true}) {
            const MatchRule rule{m, isStrict};
            expectAllAgree(epoch, rule, expectedStatistics(epoch, rule));
        }
    }
}

// Samples that differ by r, by its neighbours among the numbers of the format, and by what rounding makes of
// these: a comparison in another format, or one of y with x ± r in place of x − y with r, would count
// otherwise.
TYPED_TEST(CpuCrossApEn, RoundsAsTheFormatDoes) {
    using T = TypeParam;
    const T r = T(0.2);
    OwnedEpoch<T> epoch{Matrix<T>(2, 96), {r}};
    T offset = T(0.1);
    for (std::size_t i = 0; i < 96; ++i) {
        if (i % 6 == 0) offset += T(1) / T(3);
        T step = r;
        for (std::size_t k = 0; k < i % 6; ++k) step = std::nextafter(step, k % 2 == 0 ? T(0) : T(1));
        epoch.signals(0, i) = offset;
        epoch.signals(1, i) = offset + (i % 2 == 0 ? step : -step);
    }
    for (const bool isStrict : {false, true})
        for (const unsigned m : {1U, 2U}) {
            const MatchRule rule{m, isStrict};
            expectAllAgree(epoch, rule, expectedStatistics(epoch, rule));
        }
}

TYPED_TEST(CpuCrossApEn, ZeroAndSignedZero) {
    using T = TypeParam;
    OwnedEpoch<T> epoch{Matrix<T>(2, 40, T(0)), {T(0)}};
    for (std::size_t i = 0; i < 40; ++i) epoch.signals(i % 2, i) = i % 3 == 0 ? T(-0.0) : T(i % 5);
    for (const bool isStrict : {false, true})
        for (const unsigned m : {1U, 2U}) {
            const MatchRule rule{m, isStrict};
            expectAllAgree(epoch, rule, expectedStatistics(epoch, rule));
        }
}

TEST(CpuCrossApEnRun, ManyEpochsAndAnyNumberOfThreads) {
    std::vector<OwnedEpoch<float>> owned;
    std::vector<AnyEpoch> epochs;
    for (std::uint64_t e = 0; e < 37; ++e)
        owned.push_back({makeSignals<float>(3, 65, Kind::Smooth, e), {0.2F}});
    for (const auto& epoch : owned) epochs.emplace_back(epoch.view());
    for (const int threads : {1, 3, 8})
        for (const Variant variant : kVariants)
            for (const unsigned m : {1U, 2U}) {
                HostBackend cpu("cpu", threads);
                const MatchRule rule{m, false};
                const auto found = matchWith(cpu::matcher(), cpu, epochs, rule, variant);
                for (std::size_t e = 0; e < owned.size(); ++e)
                    expectSame(found[e], expectedStatistics(owned[e], rule));
            }
}

TEST(CpuCrossApEnRun, OneChannelOneEpochNoEpoch) {
    HostBackend cpu("cpu", 2);
    const OwnedEpoch<float> epoch{makeSignals<float>(1, 70, Kind::Smooth, 1), {0.2F}};
    for (const Variant variant : kVariants) {
        expectSame(matchWith(cpu::matcher(), cpu, {epoch.view()}, {.m = 1}, variant).front(),
                   expectedStatistics(epoch, {.m = 1}));
        EXPECT_TRUE(matchWith(cpu::matcher(), cpu, {}, {.m = 1}, variant).empty());
        const OwnedEpoch<float> nobody{Matrix<float>(0, 70), {0.2F}};
        EXPECT_TRUE(matchWith(cpu::matcher(), cpu, {nobody.view()}, {.m = 1}, variant).front().empty());
    }
}

// Signals may lie in a larger matrix.
TEST(CpuCrossApEnRun, RowsNeedNotBeContiguous) {
    const Matrix<float> recording = makeSignals<float>(2, 400, Kind::Smooth, 2);
    const float r = 0.2F;
    const Epoch<float> epoch{recording.view().block(0, 100, 2, 130), {&r, 1}};
    OwnedEpoch<float> copy{Matrix<float>(epoch.signals), {r}};
    HostBackend cpu("cpu", 2);
    for (const Variant variant : kVariants)
        expectSame(matchWith(cpu::matcher(), cpu, {epoch}, {.m = 2}, variant).front(),
                   expectedStatistics(copy, {.m = 2}));
}

TEST(CpuCrossApEnRun, TellsItsVariant) {
    HostBackend cpu("cpu", 1);
    const auto matcher = cpu::matcher().create(cpu);
    const auto ran = [&](std::size_t samples, Variant variant) {
        const OwnedEpoch<double> epoch{makeSignals<double>(1, samples, Kind::Smooth, 3), {0.2}};
        const std::vector<AnyEpoch> epochs{epoch.view()};
        Matrix<MatchStatistics> statistics(1, 1);
        const MatrixView<MatchStatistics> view = statistics.view();
        Progress progress;
        return matcher->match(epochs, {.m = 1}, variant, {&view, 1}, progress).variant;
    };
    EXPECT_EQ(ran(5, Variant::Default), Variant::Merged);
    EXPECT_EQ(ran(1024, Variant::Default), Variant::Pruned);
    EXPECT_EQ(ran(5, Variant::Pruned), Variant::Pruned);
    EXPECT_EQ(ran(1024, Variant::Merged), Variant::Merged);
}

TEST(CpuCrossApEnRun, ProgressCoversTheWork) {
    const std::size_t samples = 80;
    const OwnedEpoch<float> epoch{makeSignals<float>(3, samples, Kind::Smooth, 3), {0.2F}};
    const std::vector<AnyEpoch> epochs{epoch.view(), epoch.view()};
    HostBackend cpu("cpu", 2);
    for (const Variant variant : kVariants) {
        std::vector<Matrix<MatchStatistics>> statistics;
        statistics.emplace_back(3, 3);
        statistics.emplace_back(3, 3);
        const MatrixView<MatchStatistics> views[] = {statistics[0].view(), statistics[1].view()};
        double last = 0;
        Progress progress([&](const ProgressUpdate& update) { last = update.fraction; });
        progress.begin("matches", 2 * 9 * static_cast<double>(samples * samples));
        cpu::matcher().create(cpu)->match(epochs, {.m = 1}, variant, views, progress);
        EXPECT_EQ(last, 1);

        std::atomic<int> checks{0};
        Progress cancelled({}, [&] { return ++checks > 2; });
        EXPECT_THROW(cpu::matcher().create(cpu)->match(epochs, {.m = 1}, variant, views, cancelled),
                     CancelledError);
    }
}

TEST(CpuCrossApEnRun, SaysWhatItCannotDo) {
    HostBackend cpu("cpu", 1);
    const auto matcher = cpu::matcher().create(cpu);
    const auto reason = [&](MatchRequest request) { return matcher->supports(request).reason(); };
    EXPECT_EQ(reason({}), "");
    EXPECT_EQ(reason({.variant = Variant::Pruned, .rule = {.m = 64}, .samples = 100000}), "");
    EXPECT_THAT(reason({.rule = {.m = 65}}), HasSubstr("64 samples at most, not 65"));
    EXPECT_THAT(reason({.variant = Variant::Halo}), HasSubstr("'halo'; it has: pruned, merged"));
    EXPECT_THAT(reason({.rule = {.m = 3}, .samples = 4}), HasSubstr("too short"));
}

TEST(PartnerBlocks, EveryTemplateBeginsInOneBlock) {
    for (const std::size_t m : {1, 2, 5})
        for (const std::size_t maximum : {64, 128})
            for (std::size_t samples = m + 2; samples < 400; ++samples) {
                std::size_t next = 0;
                const auto blocks = splitPartner(samples, m, 32, maximum);
                for (const PartnerBlock& block : blocks) {
                    ASSERT_EQ(block.first, next);
                    ASSERT_LE(block.samples, maximum);
                    next += block.positions;
                    const bool isLast = &block == &blocks.back();
                    // The long templates that begin in it end in it, too.
                    ASSERT_EQ(block.samples, block.positions + m - isLast);
                    ASSERT_EQ(isLast, block.first + block.samples == samples);
                }
                ASSERT_EQ(next, samples - m + 1);
            }
}

TYPED_TEST(CpuCrossApEn, SortsAsFloatsOrder) {
    using T = TypeParam;
    const T tiny = std::numeric_limits<T>::denorm_min();
    const std::vector<T> values{3, -1, T(-0.0), 0, tiny, -tiny, T(1e30), T(-1e30), -1, T(2.5)};
    const SortedSignal<T> sorted{std::span<const T>(values)};
    ASSERT_EQ(sorted.size(), values.size());
    ASSERT_EQ(sorted.values.size(), kTemplatePadding);
    EXPECT_TRUE(std::is_sorted(sorted.values.begin(), sorted.values.end()));
    EXPECT_EQ(sorted.values.back(), T(1e30));
    for (std::size_t k = 0; k < values.size(); ++k) {
        EXPECT_EQ(sorted.values[k], values[sorted.order[k]]);
        EXPECT_EQ(sorted.ranks[sorted.order[k]], k);
    }
}

TEST(ColumnCounts, StoresSumsOfAnySize) {
    ColumnCounts counts;
    const std::size_t words = 2;
    counts.reset(words, 100000);
    const BitPlanes planes = counts.planes();
    ASSERT_EQ(planes.count, 17U);
    const auto value = [](std::size_t position) { return static_cast<std::uint32_t>(position * 821 + 7); };
    for (std::size_t position = 0; position < 64 * words; ++position)
        for (std::size_t k = 0; k < planes.count; ++k)
            planes.planes[k * words + position % words] |= std::uint64_t{(value(position) >> k) & 1}
                                                           << (position / words);
    std::vector<std::uint32_t> target(100);
    counts.store(target);
    for (std::size_t position = 0; position < target.size(); ++position)
        ASSERT_EQ(target[position], value(position));
}

}  // namespace
}  // namespace glycine::crossapen::cpu
