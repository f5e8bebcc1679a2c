// Which method AlignMethod::Auto stands for: the best one that fits a budget of work, which is counted and
// never timed.
#include "engine/alignment/method.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/random_sequences.hpp"

namespace glycine::align {
namespace {

using testing::HasSubstr;

/// So many sequences of so many letters each.
Sequences sequencesLike(std::size_t count, std::size_t length, Alphabet alphabet = Alphabet::Protein) {
    return sequencesOf(std::vector<std::string>(count, std::string(length, 'A')), alphabet);
}

MethodChoice choiceFor(const Sequences& sequences, double budget, bool mayBeFast = true,
                       AlignOptions options = {}) {
    options.method = AlignMethod::Auto;
    options.budgetSeconds = budget;
    return chooseMethod(sequences, options, mayBeFast);
}

TEST(MethodChoice, WorkIsCountedByHand) {
    // 45 pairs of 100 × 100; 45 · 8 thirds · 100 letters · 5; 10² / 4 · 100 letters · 2.
    const Sequences ten = sequencesLike(10, 100);
    EXPECT_DOUBLE_EQ(posteriorCells(ten), 450'000);
    EXPECT_DOUBLE_EQ(posteriorCells(sequencesLike(10, 100, Alphabet::Dna)), 900'000);
    EXPECT_DOUBLE_EQ(accuracySeconds(ten, {.consistencyRounds = 2, .refinements = 100}) * kCellsPerSecond,
                     450'000 + 2 * 180'000 + 100 * 5'000);
    EXPECT_DOUBLE_EQ(accuracySeconds(ten, {.consistencyRounds = 0, .refinements = 0}) * kCellsPerSecond,
                     450'000);
    // Of sequences of different lengths: 1·2 + 1·3 + 2·3.
    EXPECT_DOUBLE_EQ(posteriorCells(sequencesOf({"A", "AC", "ACD"}, Alphabet::Protein)), 11);
}

TEST(MethodChoice, TakesTheBestOneThatFits) {
    const Sequences ten = sequencesLike(10, 100);
    const PosteriorAlignmentOptions two = usualOptions(10);
    ASSERT_EQ(two.consistencyRounds, 2U);
    const double whole = accuracySeconds(ten, two);
    const double one = accuracySeconds(ten, {.consistencyRounds = 1, .refinements = 30});
    const double none = accuracySeconds(ten, {.consistencyRounds = 0, .refinements = 30});
    const double fast = fastSeconds(ten);
    ASSERT_TRUE(whole > one && one > none && none > fast);
    const auto expect = [&](double budget, AlignMethod method, std::size_t rounds, std::size_t refinements) {
        const MethodChoice choice = choiceFor(ten, budget);
        EXPECT_EQ(choice.method, method) << budget;
        EXPECT_EQ(choice.consistencyRounds, rounds) << budget;
        EXPECT_EQ(choice.refinements, refinements) << budget;
    };
    expect(whole, AlignMethod::Accuracy, 2, 100);
    expect(whole * 0.999, AlignMethod::Accuracy, 1, 30);
    expect(one * 0.999, AlignMethod::Accuracy, 0, 30);
    expect(none * 0.999, AlignMethod::Fast, 0, 0);
    expect(fast * 0.1, AlignMethod::Fast, 0, 0);
    EXPECT_THAT(choiceFor(ten, fast * 0.1).reason, HasSubstr("the least there is for a budget of"));
    EXPECT_THAT(choiceFor(ten, none * 0.999).reason,
                HasSubstr("posteriors with 2 rounds of consistency would take"));
    EXPECT_EQ(choiceFor(ten, none * 0.999, false).consistencyRounds, 0U);
    EXPECT_EQ(choiceFor(ten, none * 0.999, false).method, AlignMethod::Accuracy);
}

TEST(MethodChoice, WithTheUsualBudget) {
    // What was the only default before, up to some hundred proteins.
    for (const std::size_t count : {2U, 50U, 51U, 200U, 400U}) {
        const MethodChoice choice = choiceFor(sequencesLike(count, 300), kUsualBudget);
        EXPECT_EQ(choice.method, AlignMethod::Accuracy) << count;
        EXPECT_EQ(choice.consistencyRounds, usualOptions(count).consistencyRounds) << count;
        EXPECT_EQ(choice.refinements, usualOptions(count).refinements) << count;
    }
    // 400 long proteins: without consistency they are done in time; thousands are not at all.
    const MethodChoice longOnes = choiceFor(sequencesLike(400, 500), kUsualBudget);
    EXPECT_EQ(longOnes.method, AlignMethod::Accuracy);
    EXPECT_EQ(longOnes.consistencyRounds, 0U);
    EXPECT_EQ(choiceFor(sequencesLike(400, 1000), kUsualBudget).method, AlignMethod::Fast);
    EXPECT_EQ(choiceFor(sequencesLike(2000, 300), kUsualBudget).method, AlignMethod::Fast);
}

TEST(MethodChoice, MemoryOfPosteriorsIsBoundedWhateverTheMachineHas) {
    const Sequences many = sequencesLike(3000, 40);
    ASSERT_GT(bytesOfPosteriors(many, usualOptions(3000)), kMostPosteriorBytes);
    const MethodChoice choice = choiceFor(many, 1e9);
    EXPECT_EQ(choice.method, AlignMethod::Fast);
    EXPECT_THAT(choice.reason, HasSubstr("of memory"));
}

TEST(MethodChoice, IsNotFastWhereFastLacksWhatIsAskedFor) {
    const Sequences many = sequencesLike(60, 100);
    EXPECT_EQ(choiceFor(many, 1e-9).method, AlignMethod::Fast);
    EXPECT_EQ(choiceFor(many, 1e-9, true, {.variant = pairwise::Variant::InterPair}).method,
              AlignMethod::Accuracy);
    EXPECT_EQ(choiceFor(many, 1e-9, true, {.treeMethod = trees::TreeMethod::Upgma}).method,
              AlignMethod::Accuracy);
    const MethodChoice tree = choiceFor(many, 1e-9, true, {.endsWithTree = true});
    EXPECT_EQ(tree.method, AlignMethod::Accuracy);
    EXPECT_EQ(tree.name, "posteriors");
    EXPECT_FALSE(withChoice({.endsWithTree = true}, tree).consistencyRounds.has_value());
}

TEST(MethodChoice, AutoAlignsAsWhatItChooses) {
    const Sequences family = randomFamily({.count = 12, .length = 60, .divergence = 0.1});
    HostBackend backend("cpu", 1);
    const auto rowsOf = [&](const AlignOptions& options) {
        return computeAlignment(backend, family, options, silentProgress()).alignment.rows;
    };
    const AlignmentResult usual =
        computeAlignment(backend, family, {.method = AlignMethod::Auto}, silentProgress());
    ASSERT_TRUE(usual.report.choice);
    EXPECT_EQ(usual.report.choice->method, AlignMethod::Accuracy);
    EXPECT_EQ(usual.alignment.rows, rowsOf({.method = AlignMethod::Accuracy}));
    const AlignmentResult little = computeAlignment(
        backend, family, {.method = AlignMethod::Auto, .budgetSeconds = 1e-9}, silentProgress());
    ASSERT_TRUE(little.report.choice);
    EXPECT_EQ(little.report.choice->method, AlignMethod::Fast);
    EXPECT_EQ(little.alignment.rows, rowsOf({.method = AlignMethod::Fast}));
    EXPECT_TRUE(supportsAlignment(backend, family, {.method = AlignMethod::Auto, .budgetSeconds = 1e-9}));
    for (const double budget : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
        EXPECT_THROW(rowsOf({.method = AlignMethod::Auto, .budgetSeconds = budget}), UsageError);
}

}  // namespace
}  // namespace glycine::align
