// What studies ask of the host's memory before they make anything.
#include "engine/study/study_memory.hpp"
#include "engine/core/host_memory.hpp"
#include "tests/study/fake_subject.hpp"

namespace glycine::study::test {
namespace {

using ::testing::MatchesRegex;

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

/// Of 10¹⁷ bytes.
const std::vector<std::string> kTooLarge{"--sizes", "1000000000000000", "--backend", "cpu"};

TEST(StudyMemory, ValidateRefusesBeforeItMakesInputs) {
    script() = {};
    static const FakeSubject subject;
    const StudyOutcome outcome =
        runCommand([](Options& options) { return declareValidate(subject, options); }, kTooLarge);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_THAT(outcome.error,
                MatchesRegex("comparing results of fake on 1 input needs .* TiB of memory, and "
                             ".*iB are .*"));
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
