// Matrices, tiling, progress and the registries.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/core/algorithm.hpp"
#include "engine/core/cpu/chains.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/stopwatch.hpp"
#include "engine/core/tiling.hpp"
#include "engine/core/variant_table.hpp"

namespace glycine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

TEST(Progress, TellsShareAndEstimate) {
    const HeldClock clock;
    std::vector<ProgressUpdate> updates;
    Progress progress([&](const ProgressUpdate& update) { updates.push_back(update); });
    progress.begin("work", 4);
    progress.advance(1);  // too soon after the start to be worth a notice
    EXPECT_TRUE(updates.empty());
    Clock::advance(0.11);
    progress.advance(1);
    ASSERT_EQ(updates.size(), 1U);
    EXPECT_EQ(updates[0].stage, "work");
    EXPECT_DOUBLE_EQ(updates[0].fraction, 0.5);
    EXPECT_NEAR(updates[0].secondsRemaining, updates[0].secondsElapsed, 1e-9);
    progress.advance(2);  // the end is always told
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
                HasSubstr("'gl46'; known: gl33, es300, gl21"));
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

/// Tells which set was chosen.
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

}  // namespace
}  // namespace glycine
