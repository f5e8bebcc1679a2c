// Memory checks of studies and results.
#include "engine/study/study_memory.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/study/result_memory.hpp"
#include "tests/study/fake_subject.hpp"
#include "tests/test.hpp"

namespace glycine::study::test {
namespace {

// ---- Host memory that studies check before they make anything.

TEST(StudyMemory, ComparisonsHoldAllInputsAndOneResult) {
    const auto all = static_cast<double>(availableHostMemory().bytes);
    const InputBytes third{0.2 * all, 0.1 * all, 0.2 * all};
    EXPECT_NO_THROW(requireValidationMemory("fake", {}));
    EXPECT_NO_THROW(requireValidationMemory("fake", {third, third})) << "0.8 of what is there";
    EXPECT_THROW(requireValidationMemory("fake", {third, third, third}), MemoryError) << "1.1 of it";
}

TEST(StudyMemory, ContestsHoldOneInputAtATime) {
    const auto all = static_cast<double>(availableHostMemory().bytes);
    const InputBytes large{0.5 * all, 0, 0.2 * all};
    EXPECT_NO_THROW(requireTimingMemory("fake", {large, large, large}));
    EXPECT_THROW(requireTimingMemory("fake", {{1, 1, 1}, {0.9 * all, 0, 0.2 * all}}), MemoryError);
}

/// Needs 10¹⁷ bytes.
const auto kTooLarge = "--sizes 1000000000000000 --backend cpu"_args;

TEST(StudyMemory, ValidateRefusesBeforeItMakesInputs) {
    script() = {};
    static const FakeSubject subject;
    const StudyOutcome outcome =
        runCommand([](Options& options) { return declareValidate(subject, options); }, kTooLarge);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.error,
                MatchesRegex("comparing results of fake on 1 input needs .* TiB of memory, and .*iB are .*"));
    EXPECT_TRUE(script().log.empty());
}

TEST(StudyMemory, BenchRefusesBeforeItMakesInputs) {
    script() = {};
    static const FakeSubject subject;
    const StudyOutcome outcome =
        runCommand([](Options& options) { return declareBench(subject, options); }, kTooLarge);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.error, MatchesRegex("timing fake needs .* TiB of memory, and .*iB are .*"));
    EXPECT_TRUE(script().log.empty());
}

}  // namespace
}  // namespace glycine::study::test

namespace glycine::study {
namespace {

TEST(ResultMemory, HasGuardsWhereTheWholeIsCompared) {
    ResultMemory<std::uint32_t> memory(CheckScope::Full);
    EXPECT_TRUE(memory.isIntact());
    const MatrixView<std::uint32_t> view = memory.view(2, 3);
    EXPECT_EQ(view(1, 2), ResultMemory<std::uint32_t>::kNoResult);
    view(1, 2) = 7;
    EXPECT_TRUE(memory.isIntact());
    *(view.row(1) + 3) = 7;
    EXPECT_FALSE(memory.isIntact());
    EXPECT_EQ(memory.view(2, 3)(1, 2), ResultMemory<std::uint32_t>::kNoResult);
    EXPECT_TRUE(memory.isIntact());
}

TEST(ResultMemory, IsKeptWhereSamplesAre) {
    ResultMemory<double> memory(CheckScope::Sampled);
    const MatrixView<double> first = memory.view(4, 4);
    EXPECT_EQ(first(3, 3), ResultMemory<double>::kNoResult);
    const MatrixView<double> second = memory.view(2, 3);
    EXPECT_EQ(first.data(), second.data());
    EXPECT_TRUE(second.isContiguous());
    EXPECT_EQ(second.rows(), 2U);
    EXPECT_EQ(memory.view(5, 5)(4, 4), ResultMemory<double>::kNoResult);
    EXPECT_TRUE(memory.isIntact());
}

}  // namespace
}  // namespace glycine::study
