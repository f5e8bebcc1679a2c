// The method chosen for a budget; digests of alignments; additions to an alignment.
#include "app/alignment/align_commands.hpp"
#include "engine/alignment/add_to_alignment.hpp"
#include "engine/alignment/method.hpp"
#include "engine/alignment/study/alignment_problem.hpp"
#include "engine/api/backends.hpp"
#include "engine/sequences/files/alignment_reader.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/app/task_test.hpp"
#include "tests/test.hpp"

namespace glycine::align {
namespace {

// ---- The method that AlignMethod::Auto chooses: the best one that fits a budget of work, which is counted
// and never timed.

/// `count` sequences of `length` letters each.
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
    // Sequences of different lengths: 1·2 + 1·3 + 2·3.
    EXPECT_DOUBLE_EQ(posteriorCells(sequencesOf({"A", "AC", "ACD"}, Alphabet::Protein)), 11);
}

TEST(MethodChoice, TakesTheBestOneThatFits) {
    const Sequences ten = sequencesLike(10, 100);
    const PosteriorAlignmentOptions two = defaultOptions(10);
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
    // Up to a few hundred proteins, the same as the former fixed default.
    for (const std::size_t count : {2U, 50U, 51U, 200U, 400U}) {
        const MethodChoice choice = choiceFor(sequencesLike(count, 300), kUsualBudget);
        EXPECT_EQ(choice.method, AlignMethod::Accuracy) << count;
        EXPECT_EQ(choice.consistencyRounds, defaultOptions(count).consistencyRounds) << count;
        EXPECT_EQ(choice.refinements, defaultOptions(count).refinements) << count;
    }
    // 400 long proteins fit the budget without consistency; longer ones, or thousands, do not fit at all.
    const MethodChoice longOnes = choiceFor(sequencesLike(400, 500), kUsualBudget);
    EXPECT_EQ(longOnes.method, AlignMethod::Accuracy);
    EXPECT_EQ(longOnes.consistencyRounds, 0U);
    EXPECT_EQ(choiceFor(sequencesLike(400, 1000), kUsualBudget).method, AlignMethod::Fast);
    EXPECT_EQ(choiceFor(sequencesLike(2000, 300), kUsualBudget).method, AlignMethod::Fast);
}

TEST(MethodChoice, MemoryOfPosteriorsIsBoundedWhateverTheMachineHas) {
    const Sequences many = sequencesLike(3000, 40);
    ASSERT_GT(bytesOfPosteriors(many, defaultOptions(3000)), kMaxPosteriorBytes);
    const MethodChoice choice = choiceFor(many, 1e9);
    EXPECT_EQ(choice.method, AlignMethod::Fast);
    EXPECT_THAT(choice.reason, HasSubstr("of memory"));
}

TEST(MethodChoice, IsNotFastWhereFastLacksARequestedFeature) {
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

// ---- Digests of alignments: they cover the column of each residue, and are equal on all backends if only
// integers decide.

TEST(AlignmentDigest, IsOfTheResiduesPlaces) {
    const auto digestOf = [](std::vector<std::string> rows) {
        MultipleAlignment alignment;
        alignment.rows = std::move(rows);
        return study::digestOfRows(residueColumns(alignment));
    };
    const study::ResultDigest one = digestOf({"AC-T", "A-GT"});
    EXPECT_EQ(one, study::digestOfRows({{0, 1, 3}, {0, 2, 3}}));
    EXPECT_EQ(one.elements, 6u);
    EXPECT_EQ(one, digestOf({"TT-T", "T-TT"})) << "letters are those of the input";
    EXPECT_NE(one, digestOf({"A-CT", "A-GT"}));
    EXPECT_NE(one, digestOf({"A-GT", "AC-T"})) << "other sequences";
    EXPECT_NE(one, study::digestOfRows({{0, 1, 3}, {0, 2, 3}, {}, {0}})) << "one more";
}

TEST(AlignmentDigest, BackendsHaveTheSameWhereIntegersDecide) {
    registerBackends();
    for (const AlignMethod method : {AlignMethod::ClustalW, AlignMethod::Thesis}) {
        auto sequences = std::make_shared<pairwise::StudySequences>();
        sequences->sequences = randomSequences({.count = 6, .length = 40, .seed = 3});
        const auto problem = alignmentProblem(sequences, method, 1);
        std::vector<study::ResultDigest> digests;
        for (const char* name : {"reference", "cpu"}) {
            HostBackend backend(name, 2);
            const auto computation =
                problem->start(backend, {name, "", {}, ""}, study::CheckScope::Sampled, silentProgress());
            computation->run(silentProgress());
            const auto digest = computation->digest();
            ASSERT_TRUE(digest.has_value());
            digests.push_back(*digest);
            EXPECT_TRUE(computation->check(silentProgress()).agrees());
        }
        EXPECT_GT(digests[0].elements, 100u);
        EXPECT_EQ(digests[0], digests[1]);
    }
}

// ---- Sequences and alignments added to an alignment.

MultipleAlignment someOf(const Sequences& sequences, std::size_t begin, std::size_t end) {
    MultipleAlignment some;
    some.alphabet = sequences.alphabet;
    for (std::size_t k = begin; k < end; ++k) {
        some.names.push_back(sequences.names[k]);
        some.rows.push_back(sequences.letters[k]);
    }
    return some;
}

MultipleAlignment alignedOf(Backend& backend, const Sequences& sequences, std::size_t begin,
                            std::size_t end) {
    return computeAlignment(backend, withoutGaps(someOf(sequences, begin, end)),
                            {.method = AlignMethod::ClustalW}, silentProgress())
        .alignment;
}

/// Rows begin … end − 1 without the columns in which all of them have gaps.
std::vector<std::string> partOf(const MultipleAlignment& alignment, std::size_t begin, std::size_t end) {
    std::vector<std::string> rows(end - begin);
    for (std::size_t column = 0; column < alignment.columns(); ++column) {
        bool isGap = true;
        for (std::size_t k = begin; k < end; ++k) isGap = isGap && alignment.rows[k][column] == '-';
        for (std::size_t k = begin; k < end && !isGap; ++k) rows[k - begin] += alignment.rows[k][column];
    }
    return rows;
}

TEST(AddToAlignment, KeepsTheColumnsOfBoth) {
    HostBackend backend("cpu", 1);
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna})
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            const Sequences sequences = randomSequences({.count = 9,
                                                         .length = 20 * seed,
                                                         .alphabet = alphabet,
                                                         .divergence = 0.12 * static_cast<double>(seed),
                                                         .gaps = 0.1,
                                                         .seed = seed});
            const MultipleAlignment base = alignedOf(backend, sequences, 0, 5);
            const MultipleAlignment group = alignedOf(backend, sequences, 5, 9);
            const MultipleAlignment both =
                addToAlignment(backend, base, group, {.asGroup = true}, silentProgress()).alignment;
            EXPECT_EQ(both.names, sequences.names);
            EXPECT_EQ(partOf(both, 0, 5), base.rows);
            EXPECT_EQ(partOf(both, 5, 9), group.rows);
            const AlignmentResult added =
                addToAlignment(backend, base, someOf(sequences, 5, 9), {}, silentProgress());
            EXPECT_EQ(partOf(added.alignment, 0, 5), base.rows);
            EXPECT_EQ(withoutGaps(added.alignment).letters, sequences.letters);
            std::vector<std::size_t> order = added.alignment.order;
            ASSERT_EQ(order.size(), 9U);
            EXPECT_TRUE(std::equal(order.begin(), order.begin() + 5,
                                   std::vector<std::size_t>{0, 1, 2, 3, 4}.begin()));
        }
}

TEST(AddToAlignment, PutsACopyNextToItsOriginal) {
    HostBackend backend("cpu", 1);
    const Sequences sequences = randomSequences({.count = 6, .length = 80, .divergence = 0.4, .seed = 4});
    const MultipleAlignment base = alignedOf(backend, sequences, 0, 6);
    for (std::size_t k = 0; k < 6; ++k) {
        MultipleAlignment copy = someOf(sequences, k, k + 1);
        copy.names[0] = "copy";
        const MultipleAlignment found = addToAlignment(backend, base, copy, {}, silentProgress()).alignment;
        EXPECT_EQ(found.rows[6], found.rows[k]);
        EXPECT_EQ(found.columns(), base.columns());
    }
}

TEST(AddToAlignment, SmallTilesLeaveOutWhatIsKnown) {
    HostBackend backend("cpu", 1);
    const Sequences sequences = randomSequences({.count = 12, .length = 40, .divergence = 0.4, .seed = 7});
    const MultipleAlignment base = alignedOf(backend, sequences, 0, 8);
    const AlignmentResult whole =
        addToAlignment(backend, base, someOf(sequences, 8, 12), {}, silentProgress());
    const AlignmentResult small =
        addToAlignment(backend, base, someOf(sequences, 8, 12), {.tile = 4}, silentProgress());
    EXPECT_EQ(small.alignment.rows, whole.alignment.rows);
    // Three of the six tiles of side 4 hold only pairs within the alignment.
    EXPECT_EQ(small.report.pairs->tiles, 3U);
    EXPECT_LT(small.report.pairs->cellsComputed, whole.report.pairs->cellsComputed);
    EXPECT_THROW(
        addToAlignment(backend, base,
                       someOf(randomSequences({.count = 1, .length = 9, .alphabet = Alphabet::Dna}), 0, 1),
                       {}, silentProgress()),
        UsageError);
}

TEST(AddCommand, AddsAndRefuses) {
    const TemporaryFolder folder;
    const auto file = [&](const std::string& name) { return (folder / name).string(); };
    writeFile(folder / "base.aln", "CLUSTAL\n\none   MKVLAAGIVGLLLAQWCE\ntwo   MKVLA-GIVGLL-AQWCE\n");
    writeFile(folder / "new.fa", ">three\nMKVLGIVGLLLAQWCE\n");
    writeFile(folder / "group.sto", "# STOCKHOLM 1.0\nthree MKVLGIVGLL-AQWCE\nfour  MKVLGIVGLLLAQ-CE\n//\n");
    const TaskOutcome outcome =
        succeedTask(declareAlign, {"--add", file("new.fa"), "--to", file("base.aln"), "-o", file("o.fa")});
    EXPECT_THAT(outcome.out, HasSubstr("1 sequence added to the 2 of"));
    EXPECT_THAT(readAlignment(folder / "o.fa", {}).alignment.names, ElementsAre("one", "two", "three"));
    EXPECT_THAT(partOf(readAlignment(folder / "o.fa", {}).alignment, 0, 2),
                ElementsAre("MKVLAAGIVGLLLAQWCE", "MKVLA-GIVGLL-AQWCE"));
    succeedTask(declareAlign, {file("group.sto"), "--profile", "--to", file("base.aln"), "-o", file("p.fa")});
    EXPECT_THAT(partOf(readAlignment(folder / "p.fa", {}).alignment, 2, 4),
                ElementsAre("MKVLGIVGLL-AQWCE", "MKVLGIVGLLLAQ-CE"));
    expectTaskRefused(declareAlign, {file("base.aln"), "--to", file("base.aln"), "-o", file("q.fa")},
                      "'one' is in");
    expectTaskRefused(declareAlign, {"-o", file("q.fa")}, "IN, the sequences, is missing");
    expectTaskRefused(declareAlign,
                      {file("new.fa"), "--add", file("new.fa"), "--to", file("base.aln"), "-o", file("q.fa")},
                      "IN and --add are the same");
    expectTaskRefused(declareAlign,
                      {file("new.fa"), "--method", "thesis", "--to", file("base.aln"), "-o", file("q.fa")},
                      "--method is for new alignments");
    expectTaskRefused(declareAlign, {file("new.fa"), "--to", file("base.aln"), "-o", file("base.aln")},
                      "base.aln");
}

}  // namespace
}  // namespace glycine::align
