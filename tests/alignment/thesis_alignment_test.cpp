// The scheme of Khaladkar's thesis for groups, and properties common to all methods.
#include "engine/alignment/clustal/thesis_alignment.hpp"

#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/results/alignment_files.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/io/trees/newick_reader.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/distance/input_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::align {
namespace {

trees::Tree treeOfText(const std::string& text, const Sequences& sequences) {
    return io::treeOfNames(io::readNewick(*test::streamOf(text, "tree")), sequences.names, "tree");
}

thesis::ThesisAlignment alignAlong(const std::string& tree, const Sequences& sequences) {
    return thesis::alignByThesis(sequences, treeOfText(tree, sequences), nullptr, silentProgress());
}

/// Sum over all pairs of rows of the two groups, column by column.
std::int64_t scoreBetween(const std::vector<std::string>& rows, const std::vector<std::size_t>& first,
                          const std::vector<std::size_t>& second) {
    std::int64_t score = 0;
    for (const std::size_t a : first)
        for (const std::size_t b : second)
            for (std::size_t k = 0; k < rows[a].size(); ++k) {
                if (rows[a][k] == '-' && rows[b][k] == '-') continue;
                score += rows[a][k] == '-' || rows[b][k] == '-' ? -2 : rows[a][k] == rows[b][k] ? 1 : -1;
            }
    return score;
}

TEST(ThesisAlignment, TwoSequencesAreAlignedAsThePairIs) {
    // Figure 3.4's kind of matrix: the last cell is the score, ties go diagonal, up, left.
    const Sequences sequences = sequencesOf({"ACD", "AD"}, Alphabet::Protein);
    const thesis::ThesisAlignment found = alignAlong("(s1:1,s2:1);", sequences);
    EXPECT_THAT(letteredRows(sequences, found.rows), ElementsAre("ACD", "A-D"));
    EXPECT_THAT(found.scores, ElementsAre(0));
    // A gap at either end scores the same; from the end, a pair of letters is preferred.
    const Sequences other = sequencesOf({"AA", "A"}, Alphabet::Protein);
    EXPECT_THAT(letteredRows(other, alignAlong("(s1:1,s2:1);", other).rows), ElementsAre("AA", "-A"));
}

TEST(ThesisAlignment, GroupsScoreSumsOfPairs) {
    RandomSequence random(8);
    for (int round = 0; round < 40; ++round) {
        std::vector<std::string> letters;
        for (int k = 0; k < 4; ++k) {
            std::string& one = letters.emplace_back("W");
            for (std::size_t more = random.below(20); more > 0; --more) one += "ACDE"[random.below(4)];
        }
        const Sequences sequences = sequencesOf(letters, Alphabet::Protein);
        const thesis::ThesisAlignment found = alignAlong("((s1:1,s2:1):1,(s3:1,s4:1):1);", sequences);
        const std::vector<std::string> rows = letteredRows(sequences, found.rows);
        // Columns with only gaps score nothing.
        EXPECT_EQ(found.scores[0], scoreBetween(rows, {0}, {1}));
        EXPECT_EQ(found.scores[1], scoreBetween(rows, {2}, {3}));
        EXPECT_EQ(found.scores[2], scoreBetween(rows, {0, 1}, {2, 3}));
        EXPECT_THAT(found.order, ElementsAre(0, 1, 2, 3));
    }
}

TEST(ThesisAlignment, ScoreOfTwoIsThatOfThePair) {
    const Sequences sequences = randomSequences({.count = 6, .length = 70, .divergence = 0.4, .seed = 3});
    HostBackend backend("reference", 1);
    pairs::PairStore store({.layout = {6, pairs::StoreLayout::Triangle}, .type = pairs::ValueType::Int32});
    pairwise::computePairwise(
        backend, sequences,
        {.scoring = pairwise::thesisScoring(sequences.alphabet), .measure = pairwise::PairMeasure::Score},
        store, silentProgress());
    for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const Sequences two =
                sequencesOf({sequences.letters[i], sequences.letters[j]}, Alphabet::Protein);
            EXPECT_EQ(static_cast<double>(alignAlong("(s1:1,s2:1);", two).scores[0]), store.value(i, j));
        }
}

/// The input of the thesis' appendix B.1.
Sequences appendixB() {
    return sequencesOf(
        {"DBCADABCEBCCAEDBABCBBBDCECACDCAECCDECDBBCEDBEE", "CDBDDEDBEECABDECBEEAAEDCBCCCCBBABBAEEEAEBCC",
         "EDEDBADAEEEECBDBCAEBCBCDACEBDAECADDDDBDEBEDDD", "CDEDBDACBAABBADAABEBCADBCDECCEABCEEADBDBBADA",
         "BBDCBAEEBEEBACADCAEDAECCEBBAECCCAAACEACDDDAEAE"},
        Alphabet::Protein);
}

TEST(ThesisAlignment, DistancesAreMismatchesOfPairsWithoutGaps) {
    HostBackend backend("cpu", 1);
    const Sequences sequences = appendixB();
    pairs::PairStore store(
        {.layout = {sequences.size(), pairs::StoreLayout::Triangle}, .type = pairs::ValueType::Float64});
    const pairwise::PairwiseOptions options = pairsOf(sequences, {.method = AlignMethod::Thesis});
    pairwise::computePairwise(backend, sequences, options, store, silentProgress());
    // 20 of the 39 paired letters of the first two sequences differ; a recurrence that counts them agrees.
    EXPECT_DOUBLE_EQ(distancesOf(sequences, AlignMethod::Thesis, store)[0], 20.0 / 39);
    pairwise::PairwiseOptions other = pairsOf(sequences, {.method = AlignMethod::ClustalW});
    EXPECT_EQ(other.measure, pairwise::PairMeasure::Distance);
    other.measure = pairwise::PairMeasure::Mismatch;
    EXPECT_THROW(pairwise::computePairwise(backend, sequences, other, store, silentProgress()), UsageError);
}

TEST(ThesisAlignment, AlignsTheAppendix) {
    // The printed output (B.2) has rows of five different lengths; this one is an alignment.
    HostBackend backend("cpu", 1);
    const Sequences sequences = appendixB();
    const AlignmentResult result =
        computeAlignment(backend, sequences, {.method = AlignMethod::Thesis}, silentProgress());
    EXPECT_EQ(withoutGaps(result.alignment).letters, sequences.letters);
    EXPECT_THAT(result.alignment.order, UnorderedElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(alignmentText(result.alignment, AlignmentFormat::Clustal, "x.aln"),
                StartsWith("CLUSTAL format, aligned by Glycine by Khaladkar's scheme\n\n\n"));
    ASSERT_EQ(result.report.stages.size(), 3U);
    EXPECT_EQ(result.report.stages[0].first, "pairs");
    EXPECT_EQ(result.report.stages[1].first, "guide tree");
    EXPECT_EQ(result.report.stages[2].first, "progressive");
}

TEST(ComputeAlignment, LosesAndReordersNoResidue) {
    HostBackend backend("cpu", 1);
    for (const AlignMethod method : {AlignMethod::ClustalW, AlignMethod::Thesis})
        for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna, Alphabet::Rna})
            for (std::uint64_t seed = 1; seed <= 8; ++seed) {
                const Sequences sequences = randomSequences({.count = 2 + seed,
                                                             .length = 5 * seed * seed,
                                                             .alphabet = alphabet,
                                                             .divergence = 0.1 * static_cast<double>(seed),
                                                             .gaps = 0.1,
                                                             .shortest = 0.3,
                                                             .ambiguous = 0.1,
                                                             .seed = seed});
                const MultipleAlignment found =
                    computeAlignment(backend, sequences, {.method = method}, silentProgress()).alignment;
                EXPECT_EQ(withoutGaps(found).letters, sequences.letters);
                for (const std::string& row : found.rows) EXPECT_EQ(row.size(), found.columns());
                std::vector<std::size_t> order = found.order;
                std::ranges::sort(order);
                for (std::size_t k = 0; k < sequences.size(); ++k) EXPECT_EQ(order.at(k), k);
            }
}

TEST(ComputeAlignment, AllBackendsFindTheSame) {
    const Sequences sequences = randomSequences({.count = 9, .length = 80, .divergence = 0.5, .seed = 2});
    HostBackend reference("reference", 1);
    HostBackend cpu("cpu", 2);
    for (const AlignMethod method : {AlignMethod::ClustalW, AlignMethod::Thesis}) {
        const auto run = [&](Backend& backend, std::size_t tile) {
            return computeAlignment(backend, sequences, {.method = method, .tile = tile}, silentProgress())
                .alignment.rows;
        };
        EXPECT_EQ(run(reference, 0), run(cpu, 4));
    }
}

TEST(ComputeAlignment, TreesAndDistancesCanBeGiven) {
    const Sequences sequences = randomSequences({.count = 7, .length = 60, .divergence = 0.4, .seed = 5});
    HostBackend backend("cpu", 1);
    for (const AlignMethod method : {AlignMethod::ClustalW, AlignMethod::Thesis}) {
        const AlignmentResult whole =
            computeAlignment(backend, sequences, {.method = method}, silentProgress());
        const AlignmentResult again = computeAlignment(
            backend, sequences, {.method = method, .guideTree = whole.alignment.guideTree}, silentProgress());
        EXPECT_EQ(again.alignment.rows, whole.alignment.rows);
        EXPECT_FALSE(again.report.pairs);
        pairs::PairStore store(
            {.layout = {7, pairs::StoreLayout::Triangle}, .type = pairs::ValueType::Float64});
        pairwise::computePairwise(backend, sequences, pairsOf(sequences, {.method = method}), store,
                                  silentProgress());
        const AlignmentResult third = computeAlignment(
            backend, sequences, {.method = method, .distances = distancesOf(sequences, method, store)},
            silentProgress());
        EXPECT_EQ(third.alignment.rows, whole.alignment.rows);
    }
    EXPECT_THROW(computeAlignment(backend, sequencesOf({"ACD"}), {}, silentProgress()), UsageError);
    EXPECT_THROW(
        guideTreeOf(2, AlignMethod::Thesis, {std::numeric_limits<double>::quiet_NaN()}, silentProgress()),
        InputError);
}

TEST(ComputeAlignment, AChangedResidueIsNoticed) {
    const Sequences sequences = sequencesOf({"ACD", "AC"}, Alphabet::Protein);
    std::vector<std::vector<std::uint8_t>> rows{sequences.codes[0], {0, kGapCode, 4}};
    EXPECT_THAT(letteredRows(sequences, rows), ElementsAre("ACD", "A-C"));
    rows[1] = {4, kGapCode, 0};
    EXPECT_THROW(letteredRows(sequences, rows), std::logic_error);
    rows[1] = {0, 4};
    EXPECT_THROW(letteredRows(sequences, rows), std::logic_error);
    rows[1] = {0, kGapCode, kGapCode};
    EXPECT_THROW(letteredRows(sequences, rows), std::logic_error);
}

TEST(Alignment, StatesTheMemoryThatItTakesAtLeast) {
    constexpr std::size_t kLetters = 20'000'000;
    Sequences sequences;
    sequences.letters.assign(2, std::string(kLetters, 'A'));
    // (2 × 10⁷)² cells, four steps per byte.
    EXPECT_THAT(
        messageOf<MemoryError>([&] { requireAlignmentMemory(sequences, {.method = AlignMethod::Thesis}); }),
        HasSubstr("20000000 × 20000000 columns, at least needs 90.9 TiB of memory"));
    sequences.letters.assign(2'000'000, "A");
    sequences.letters.front().resize(kLetters, 'A');
    EXPECT_THAT(
        messageOf<MemoryError>([&] { requireAlignmentMemory(sequences, {.method = AlignMethod::Fast}); }),
        HasSubstr("2,000,000 sequences of up to 20,000,000 letters, at least needs 36.4 TiB"));
    requireAlignmentMemory(sequencesOf({"MKV", "MK"}, Alphabet::Protein), {.method = AlignMethod::Thesis});
}

TEST(Alignment, RowsStandAsTheyWereJoined) {
    MultipleAlignment alignment;
    alignment.names = {"a", "b", "c"};
    alignment.rows = {"A", "C", "D"};
    alignment.order = {2, 0, 1};
    EXPECT_THAT(inOrder(alignment, RowOrder::Aligned).names, ElementsAre("c", "a", "b"));
    EXPECT_THAT(inOrder(alignment, RowOrder::Aligned).rows, ElementsAre("D", "A", "C"));
    EXPECT_THAT(inOrder(alignment, RowOrder::Input).names, ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace glycine::align
