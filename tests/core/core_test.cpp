// The basics: backends, configurations, matrices, progress, samples, recounts of stages, and the rate of
// multiply-adds.
#include "engine/core/algorithm.hpp"
#include "engine/core/cpu/chains.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/multiply_add_rate.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

// ---- Matrices, tiling, progress and the registries.

TEST(MatrixView, BlockSharesMemoryAndStride) {
    Matrix<int> matrix(4, 5, 0);
    const MatrixView<int> block = matrix.view().block(1, 2, 2, 3);
    EXPECT_EQ(block.rows(), 2U);
    EXPECT_EQ(block.columns(), 3U);
    EXPECT_EQ(block.rowStride(), 5U);
    EXPECT_FALSE(block.isContiguous());
    block(1, 2) = 7;
    EXPECT_EQ(matrix(2, 4), 7);
    const MatrixView<const int> constant = block;
    EXPECT_EQ(constant(1, 2), 7);
    EXPECT_EQ(constant.row(1)[2], 7);
}

TEST(Matrix, CloneIsDeepAndAligned) {
    Matrix<double> matrix(3, 3, 1.5);
    Matrix<double> copy = matrix.clone();
    copy(2, 2) = 9;
    EXPECT_EQ(matrix(2, 2), 1.5);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copy.data()) % 64, 0U);
    const Matrix<double> ofBlock(MatrixView<const double>(copy.view().block(1, 1, 2, 2)));
    EXPECT_EQ(ofBlock(1, 1), 9);
    EXPECT_TRUE(Matrix<int>(0, 5).empty());
}

TEST(Tiling, PiecesCoverTheRangeInOrder) {
    EXPECT_THAT(splitRange(7, 3), ElementsAre(Range{0, 3}, Range{3, 6}, Range{6, 7}));
    EXPECT_THAT(splitRange(6, 3), ElementsAre(Range{0, 3}, Range{3, 6}));
    EXPECT_THAT(splitRange(2, 64), ElementsAre(Range{0, 2}));
    EXPECT_TRUE(splitRange(0, 64).empty());
    EXPECT_EQ(roundUp(0, 4), 0U);
    EXPECT_EQ(roundUp(1, 4), 4U);
    EXPECT_EQ(roundUp(8, 4), 8U);
}

TEST(Progress, ShowsShareAndEstimate) {
    const StoppedClock clock;
    std::vector<ProgressUpdate> updates;
    Progress progress([&](const ProgressUpdate& update) { updates.push_back(update); });
    progress.begin("work", 4);
    progress.advance(1);  // too soon after the start for an update
    EXPECT_TRUE(updates.empty());
    Clock::advance(0.11);
    progress.advance(1);
    ASSERT_EQ(updates.size(), 1U);
    EXPECT_EQ(updates[0].stage, "work");
    EXPECT_DOUBLE_EQ(updates[0].fraction, 0.5);
    EXPECT_NEAR(updates[0].secondsRemaining, updates[0].secondsElapsed, 1e-9);
    progress.advance(2);  // the end is always reported
    ASSERT_EQ(updates.size(), 2U);
    EXPECT_DOUBLE_EQ(updates[1].fraction, 1);
}

TEST(Progress, CancellationThrowsAtTheNextCall) {
    bool cancelled = false;
    Progress progress({}, [&] { return cancelled; });
    progress.begin("work", 2);
    progress.advance(1);
    cancelled = true;
    EXPECT_THROW(progress.advance(1), CancelledError);
    EXPECT_THROW(progress.begin("more", 1), CancelledError);
}

TEST(Names, UnknownOnesListTheKnown) {
    const auto messageOf = [](auto&& call) -> std::string {
        try {
            call();
        } catch (const UsageError& error) {
            return error.what();
        }
        return "nothing was thrown";
    };
    EXPECT_EQ(fromString<Dialect>("es300"), Dialect::Es300);
    EXPECT_THAT(messageOf([] { fromString<Dialect>("gl46"); }),
                HasSubstr("'gl46'; nearest: gl33, gl21; known: gl33, es300, gl21"));
    EXPECT_THAT(messageOf([] {
                    throwUnknownName("fruit", "plun", {"a", "b", "c", "d", "e", "f", "plum"});
                }),
                HasSubstr("'plun'; nearest: plum; known: a, b, c, d, e, f, plum"));
    EXPECT_EQ(fromString<ContextKind>("glfw"), ContextKind::Glfw);
    EXPECT_THAT(messageOf([] { fromString<ContextKind>("x"); }), HasSubstr("known: auto, egl, glfw"));
    EXPECT_EQ(fromString<InteropMode>("staged"), InteropMode::Staged);
    EXPECT_THAT(messageOf([] { fromString<InteropMode>("x"); }), HasSubstr("known: auto, direct, staged"));
    EXPECT_EQ(fromString<InstructionSet>("avx2"), InstructionSet::Avx2);
    EXPECT_THAT(messageOf([] { fromString<InstructionSet>("sse"); }),
                HasSubstr("known: generic, avx2, avx512"));
    EXPECT_THAT(messageOf([] { AlgorithmRegistry::instance().find("folding"); }), HasSubstr("'folding'"));
}

enum class Pace { Default, Walk, Run };

constexpr auto namesOf(Pace) {
    return namesAre<Pace>("pace", {{Pace::Default, "default"}, {Pace::Walk, "walk"}, {Pace::Run, "run"}});
}

TEST(VariantTable, ResolvesDefaultToTheRowThatIsMarked) {
    const VariantTable<Pace> table("cpu", {"float32"},
                                   {{Pace::Walk, "slow"}, {Pace::Run, "fast", "", {}, true}});
    EXPECT_EQ(table.defaultVariant(), Pace::Run);
    EXPECT_EQ(table.resolve(Pace::Default), Pace::Run);
    EXPECT_EQ(table.resolve(Pace::Walk), Pace::Walk);
    EXPECT_TRUE(table.supports(Pace::Default));
}

TEST(VariantTable, TakesAStandInWhereTheDefaultDoesNotSuit) {
    const VariantTable<Pace> table("cpu", {"float32"},
                                   {{Pace::Walk, "slow"}, {Pace::Run, "fast", "", {}, true}}, {Pace::Walk});
    std::vector<Pace> asked;
    const auto suits = [&asked](bool answer) {
        return [&asked, answer](Pace one) {
            asked.push_back(one);
            return answer;
        };
    };
    EXPECT_EQ(table.resolve(Pace::Default, suits(true)), Pace::Run);
    EXPECT_THAT(asked, ElementsAre(Pace::Run));
    EXPECT_EQ(table.resolve(Pace::Default, suits(false)), Pace::Walk);
    EXPECT_EQ(table.resolve(Pace::Default, [](Pace one) { return one == Pace::Walk; }), Pace::Walk);
    asked.clear();
    EXPECT_EQ(table.resolve(Pace::Run, suits(false)), Pace::Run);
    EXPECT_THAT(asked, ElementsAre());
    const VariantTable<Pace> none("cpu", {"float32"}, {{Pace::Walk, "slow"}});
    EXPECT_THROW(none.resolve(Pace::Default, suits(true)), std::logic_error);
}

TEST(VariantTable, HasNoDefaultWhereSeveralRowsOrNoneAreMarked) {
    const VariantTable<Pace> none("cpu", {"float32"}, {{Pace::Walk, "slow"}, {Pace::Run, "fast"}});
    EXPECT_THROW(none.defaultVariant(), std::logic_error);
    const VariantTable<Pace> both("cpu", {"float32"},
                                  {{Pace::Walk, "slow", "", {}, true}, {Pace::Run, "fast", "", {}, true}});
    EXPECT_THROW(both.resolve(Pace::Default), std::logic_error);
    EXPECT_EQ(both.resolve(Pace::Walk), Pace::Walk);
}

TEST(BackendRegistry, MakesWhatIsRegisteredAndListsItOtherwise) {
    BackendRegistry registry;
    registry.add(
        {"absent",
         "never there",
         [](const BackendOptions&) -> std::unique_ptr<Backend> { throw UnavailableError("no such device"); },
         {}});
    EXPECT_THROW(registry.create("absent", {}), UnavailableError);
    try {
        registry.find("other");
        FAIL() << "an unknown backend was found";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("unknown backend 'other'; known: absent"));
    }
}

TEST(HostBackend, RefusesInstructionsThatTheProcessorLacks) {
    EXPECT_EQ(HostBackend("cpu", 1, InstructionSet::Generic).instructions(), InstructionSet::Generic);
    EXPECT_EQ(HostBackend("cpu", 1).instructions(), detectInstructionSet());
    if (detectInstructionSet() == InstructionSet::Avx512) GTEST_SKIP() << "this processor has them all";
    EXPECT_THROW(HostBackend("cpu", 1, InstructionSet::Avx512), UnavailableError);
}

/// Records which set was chosen.
struct NamedKernel {
    InstructionSet set = InstructionSet::Generic;
    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet compiledFor>
    static NamedKernel compiled() {
        return {compiledFor};
    }
};

TEST(Kernels, AreThoseOfEachSetThatThisMachineHas) {
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512}) {
        if (set > detectInstructionSet()) break;
        EXPECT_EQ(kernelFor<NamedKernel>(set).set, set);
        const InstructionSet usable = usableSet(set, cpu::ChainKernels::kNeeds);
        const std::size_t bytes = usable == InstructionSet::Avx512 ? 64
                                  : usable == InstructionSet::Avx2 ? 32
                                                                   : 16;
        EXPECT_EQ(kernelFor<cpu::ChainKernels>(set).registerBytes, bytes) << toString(set);
    }
}

TEST(Kernels, NeverTakeMoreThanTheyMay) {
    const KernelNeeds needs{.fusedProducts = true, .bytesAndWords = true, .populationCount = true};
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512})
        EXPECT_LE(usableSet(set, needs), set);
}

TEST(Samples, AreDistinctWithTheFirstAndTheLast) {
    EXPECT_THAT(drawSamples(3, 3, 1), ElementsAre(0, 1, 2));
    EXPECT_THAT(drawSamples(2, 100, 1), ElementsAre(0, 1));
    EXPECT_THAT(drawSamples(0, 5, 1), IsEmpty());
    EXPECT_THAT(drawSamples(9, 2, 1), ElementsAre(0, 8));
    EXPECT_THAT(drawSamples(9, 1, 1), ElementsAre(0));
    EXPECT_THAT(drawSamples(9, 0, 1), IsEmpty());
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const std::vector<std::size_t> samples = drawSamples(50, 10, seed);
        ASSERT_EQ(samples.size(), 10U);
        EXPECT_EQ(samples.front(), 0U);
        EXPECT_EQ(samples.back(), 49U);
        for (std::size_t i = 1; i < samples.size(); ++i) EXPECT_LT(samples[i - 1], samples[i]);
    }
    const std::vector<std::size_t> drawn = drawSamples(1000, 20, 1);
    EXPECT_EQ(drawn, drawSamples(1000, 20, 1));
    EXPECT_NE(drawn, drawSamples(1000, 20, 2));
}

TEST(SpreadSamples, TakeOneOfEachPart) {
    EXPECT_THAT(spreadSamples(3, 5, 1), ElementsAre(0, 1, 2));
    EXPECT_THAT(spreadSamples(0, 5, 1), IsEmpty());
    EXPECT_THAT(spreadSamples(9, 0, 1), IsEmpty());
    std::vector<std::size_t> all;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const std::vector<std::size_t> samples = spreadSamples(14, 4, seed);  // 4, 4, 3 and 3 numbers
        ASSERT_EQ(samples.size(), 4U);
        const std::size_t ends[] = {4, 8, 11, 14};
        for (std::size_t part = 0; part < 4; ++part) {
            EXPECT_LT(samples[part], ends[part]);
            EXPECT_GE(samples[part], part == 0 ? 0 : ends[part - 1]);
        }
        all.insert(all.end(), samples.begin(), samples.end());
    }
    for (std::size_t number = 0; number < 14; ++number) EXPECT_THAT(all, Contains(number));
    EXPECT_EQ(spreadSamples(std::size_t{1} << 40, 12, 1), spreadSamples(std::size_t{1} << 40, 12, 1));
}

// ---- The processor's ceiling: every available instruction set computes the chains to the end.

TEST(MultiplyAddRate, ChainsAreComputed) {
    constexpr std::size_t rounds = 1000;
    // x ← x · a + (1 − a), starting at 0, yields 1 − aⁿ.
    const double expected = 1 - std::pow(1 - 0x1p-10, static_cast<double>(rounds));
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512}) {
        if (set > detectInstructionSet()) continue;
        for (const auto numbers : {MultiplyAddNumbers::Float64, MultiplyAddNumbers::Float32}) {
            SCOPED_TRACE(toString(set));
            const bool isDouble = numbers == MultiplyAddNumbers::Float64;
            std::size_t count = 7;
            const double sum = chainMultiplyAdds(set, numbers, rounds, count);
            const std::size_t bytes = set == InstructionSet::Avx512 ? 64
                                      : set == InstructionSet::Avx2 ? 32
                                                                    : 16;
            const std::size_t lanes = bytes / (isDouble ? sizeof(double) : sizeof(float));
            ASSERT_EQ((count - 7) % (rounds * lanes), 0U) << "whole registers";
            const auto numbersOfSum = static_cast<double>((count - 7) / rounds);
            EXPECT_NEAR(sum / numbersOfSum, expected, isDouble ? 1e-12 : 1e-5);
        }
    }
}

// ---- Recounts of the stages of a run: elements, refusals and reports.

TEST(StageRecount, IsOfDevicesAlone) {
    for (const char* device : {"gl", "cuda"}) {
        EXPECT_TRUE(StageRecount(NamedBackend(device), false, "pair").isWanted());
        EXPECT_FALSE(StageRecount(NamedBackend(device), true, "pair").isWanted());
    }
    for (const char* host : {"cpu", "reference"})
        EXPECT_FALSE(StageRecount(NamedBackend(host), false, "pair").isWanted());
}

TEST(StageRecount, EachStageHasTimeOfItsOwn) {
    StageRecount recount(NamedBackend("gl"), false, "pair");
    recount.enter("posteriors", "pair", "blocked");
    EXPECT_EQ(recount.affordable(10, 7, 0.1), 0U);
    EXPECT_EQ(recount.counted().skipped, "one pair of posteriors would take 7.00 s");
    EXPECT_EQ(recount.affordable(10, 0.9, 0.1), 1U);  // at least one
    EXPECT_EQ(recount.affordable(10, 0.9, 0.1), 0U);
    EXPECT_EQ(recount.affordable(10, 1e-3, 0.1), 0U);
    EXPECT_EQ(recount.affordable(10'000, 1e-3, 100), 4100U);  // what is left of 5 s of 100
    recount.add(250, 0.25);
    recount.enter("refinement", "join", "blocked");
    EXPECT_EQ(recount.affordable(10, 1e-3, 0.1), 10U);
    EXPECT_EQ(recount.affordable(1000, 1e-3, 0.1), 240U);
    recount.add(10, 100);  // whatever it took
    EXPECT_EQ(recount.affordable(1000, 1e-3, 10), 250U);
    recount.enter("posteriors", "pair", "blocked");
    recount.add(1, 0.01);
    ASSERT_EQ(recount.counted().stages.size(), 2U);
    EXPECT_EQ(recount.counted().stages[0].elements, 251U);
    EXPECT_EQ(recount.counted().stages[1].elements, 10U);
    EXPECT_EQ(recount.counted().elements, 261U);
}

TEST(StageRecount, RefusalsNameElementBothValuesAndDevice) {
    StageRecount recount(NamedBackend("gl"), false, "pair");
    recount.enter("posteriors", "pair", "blocked");
    recount.compare(1.25, 1, 0.25, [] { return std::string("value"); });
    EXPECT_EQ(recount.counted().stages[0].largestDifference, 0.25);
    const auto messageOf = [](auto&& call) -> std::string {
        try {
            call();
        } catch (const WrongResultError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(
        messageOf([&] { recount.compare(2, 1, 0.25, [] { return std::string("value of a"); }); }),
        HasSubstr("the value of a is 2 by gl blocked (on a device) and 1 when it is counted again on the "
                  "host, which rounding does not explain (0.2 allowed); nothing was written"));
    EXPECT_THAT(
        messageOf([&] { recount.requireWithin(2, 0, 1, [] { return std::string("share of a"); }); }),
        HasSubstr("the share of a is 2 by gl blocked (on a device); expected 0 to 1; nothing was written"));
    const NamedBackend gl("gl");
    EXPECT_THAT(messageOf([&] {
                    namingDevice(gl, [] { return requireBelow(7, 7, [] { return std::string("place"); }); });
                }),
                HasSubstr("the place is 7; expected less than 7, by gl (on a device); nothing was written"));
    EXPECT_EQ(namingDevice(gl, [] { return requireBelow(6, 7, [] { return std::string("place"); }); }), 6U);
}

}  // namespace
}  // namespace glycine
