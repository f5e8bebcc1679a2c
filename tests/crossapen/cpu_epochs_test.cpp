// Parts of the cpu backend of `crossapen`: blocks of partners, sorted signals, column counts; also long
// epochs and threads. tests/backends/crossapen_backends_test.cpp checks the results.
#include "engine/crossapen/cpu/partner_tables.hpp"
#include "engine/crossapen/prepared_signals.hpp"
#include "tests/crossapen/crossapen_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::crossapen::cpu {
namespace {

/// The instruction sets that this processor supports.
std::vector<InstructionSet> instructionSets() {
    std::vector<InstructionSet> sets;
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512})
        if (set <= detectInstructionSet()) sets.push_back(set);
    return sets;
}

constexpr Variant kVariants[] = {Variant::Merged, Variant::Pruned};

template <class T>
class CpuEpochs : public testing::Test {};
using Formats = testing::Types<float, double>;
TYPED_TEST_SUITE(CpuEpochs, Formats);

// These epochs need several blocks of the rank grids. `merged` is the reference, because the serial reference
// would take too long. The suite of all backends checks `merged`.
TYPED_TEST(CpuEpochs, PrunedAgreesWithMergedForLongEpochs) {
    HostBackend widest("cpu", 2);
    for (const std::size_t samples : {16383, 16384, 16385, 16386, 40001})
        for (const unsigned m : {1U, 2U}) {
            const OwnedEpoch<TypeParam> epoch{makeSignals<TypeParam>(2, samples, Kind::Quantised, samples),
                                              {TypeParam(0.25)}};
            const MatchRule rule{m, false};
            const auto expected =
                matchWith(cpu::matchEngine(), widest, {epoch.view()}, rule, Variant::Merged);
            for (const InstructionSet set : instructionSets()) {
                SCOPED_TRACE(testing::Message() << toString(set) << ", N = " << samples << ", m = " << m);
                HostBackend cpu("cpu", 2, set);
                expectSame(matchWith(cpu::matchEngine(), cpu, {epoch.view()}, rule, Variant::Pruned).front(),
                           expected.front());
                if (this->HasFatalFailure()) return;
            }
        }
}

TEST(CpuEpochsRun, ManyEpochsAndAnyNumberOfThreads) {
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
                const auto found = matchWith(cpu::matchEngine(), cpu, epochs, rule, variant);
                for (std::size_t e = 0; e < owned.size(); ++e)
                    expectSame(found[e], expectedStatistics(owned[e], rule));
            }
}

TEST(CpuEpochsRun, ReportsItsVariant) {
    HostBackend cpu("cpu", 1);
    const auto engine = cpu::matchEngine().create(cpu);
    const auto ran = [&](std::size_t samples, Variant variant) {
        const OwnedEpoch<double> epoch{makeSignals<double>(1, samples, Kind::Smooth, 3), {0.2}};
        const std::vector<AnyEpoch> epochs{epoch.view()};
        Matrix<MatchStatistics> statistics(1, 1);
        const MatrixView<MatchStatistics> view = statistics.view();
        return engine->match(epochs, {.m = 1}, variant, {&view, 1}, silentProgress()).variant;
    };
    EXPECT_EQ(ran(5, Variant::Default), Variant::Merged);
    EXPECT_EQ(ran(1024, Variant::Default), Variant::Pruned);
    EXPECT_EQ(ran(5, Variant::Pruned), Variant::Pruned);
    EXPECT_EQ(ran(1024, Variant::Merged), Variant::Merged);
}

TEST(CpuEpochsRun, SaysWhatItCannotDo) {
    HostBackend cpu("cpu", 1);
    const auto engine = cpu::matchEngine().create(cpu);
    const auto reason = [&](MatchRequest request) { return engine->supports(request).reason(); };
    EXPECT_EQ(reason({}), "");
    EXPECT_EQ(reason({.variant = Variant::Pruned, .rule = {.m = 64}, .samples = 100000}), "");
    EXPECT_THAT(reason({.rule = {.m = 65}}), HasSubstr("64 samples at most, not 65"));
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
                    // The long templates that begin in a block also end in it.
                    ASSERT_EQ(block.samples, block.positions + m - isLast);
                    ASSERT_EQ(isLast, block.first + block.samples == samples);
                }
                ASSERT_EQ(next, samples - m + 1);
            }
}

TYPED_TEST(CpuEpochs, SortsAsFloatsOrder) {
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
