// The reference, compared with pairs aligned by hand, with enumerations, and with other programs.
#include <cstdio>

#include "engine/pairs/pair_store.hpp"
#include "engine/pairwise/clustal_pair.hpp"
#include "engine/sequences/files/read_sequences.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/app/program_test.hpp"
#include "tests/pairwise/align_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::pairwise {
namespace {

PairNumbers byReference(const Sequences& sequences, const PairScoring& scoring) {
    HostBackend backend("reference", 1);
    return pairNumbers(backend, sequences, scoring);
}
PairResult pairOf(const std::string& a, const std::string& b, const PairScoring& scoring,
                  Alphabet alphabet = Alphabet::Protein) {
    return byReference(sequencesOf({a, b}, alphabet), scoring).of(1, 0);
}
PairScoring blosum(PairMethod method, int open = 11, int extend = 1) {
    return {method, namedMatrix("BLOSUM62", Alphabet::Protein), {open, extend}};
}

// Figure 3.4 of Khaladkar's thesis. Its cell (O, K) has −5, where the recurrence gives −4 (and −5 below it
// and to its right, not −6).
TEST(ReferencePairwise, TheThesisMatrixToTheCell) {
    const std::string rows = "MLNON", columns = "NKLON";
    const int expected[5][5] = {{-1, -3, -5, -7, -9},
                                {-3, -2, -2, -4, -6},
                                {-3, -4, -3, -3, -3},
                                {-5, -4, -5, -2, -4},
                                {-7, -6, -5, -4, -1}};
    const PairScoring scoring = thesisScoring(Alphabet::Protein);
    for (std::size_t i = 1; i <= 5; ++i)
        for (std::size_t j = 1; j <= 5; ++j)
            EXPECT_EQ(pairOf(rows.substr(0, i), columns.substr(0, j), scoring).score, expected[i - 1][j - 1])
                << i << ", " << j;
    // MLNON over NKLON: the best alignment has only the last two letters identical.
    EXPECT_EQ(pairOf(rows, columns, scoring), (PairResult{-1, 2}));
}

TEST(ReferencePairwise, GapsOfOneSequenceAloneAtTheEnds) {
    // W–W scores 11, and a gap of three letters costs 11 + 3 · 1.
    EXPECT_EQ(pairOf("W", "WAAA", blosum(PairMethod::Global)), (PairResult{11 - 14, 1}));
    EXPECT_EQ(pairOf("AAAW", "W", blosum(PairMethod::Global)), (PairResult{11 - 14, 1}));
    EXPECT_EQ(pairOf("W", "WAAA", blosum(PairMethod::Local)), (PairResult{11, 1}));
    // W paired with D scores −4; a gap in each would cost 24.
    EXPECT_EQ(pairOf("W", "D", blosum(PairMethod::Global)), (PairResult{-4, 0}));
    EXPECT_EQ(pairOf("W", "D", blosum(PairMethod::Global, 0, 1)), (PairResult{-2, 0}));
    EXPECT_EQ(pairOf("W", "D", blosum(PairMethod::Local)), (PairResult{0, 0}));
}

TEST(ReferencePairwise, OfEquallyGoodAlignmentsTheOneWithMostIdentitiesCounts) {
    // A match, a mismatch and two gaps cost the same: all alignments score −6.
    const PairScoring scoring{PairMethod::Global, matchMatrix(Alphabet::Protein, -2, -2), {0, 1}};
    // AC-G over -CAG has two identities, ACG over CAG has one.
    EXPECT_EQ(pairOf("ACG", "CAG", scoring), (PairResult{-6, 2}));
    EXPECT_EQ(pairOf("CAG", "ACG", scoring), (PairResult{-6, 2}));
}

/// The best of all alignments, by enumeration.
class Enumeration {
  public:
    Enumeration(const Sequences& pair, const PairScoring& scoring)
        : a_(pair.codes[0]), b_(pair.codes[1]), scoring_(scoring) {}

    PairResult global() { return best(0, a_.size(), 0, b_.size()); }
    PairResult local() {
        PairResult found{0, 0};
        for (std::size_t i = 0; i <= a_.size(); ++i)
            for (std::size_t k = i; k <= a_.size(); ++k)
                for (std::size_t j = 0; j <= b_.size(); ++j)
                    for (std::size_t l = j; l <= b_.size(); ++l) found = std::max(found, best(i, k, j, l));
        return found;
    }

  private:
    PairResult best(std::size_t i, std::size_t iEnd, std::size_t j, std::size_t jEnd) {
        iEnd_ = iEnd;
        jEnd_ = jEnd;
        found_ = {std::numeric_limits<std::int64_t>::min(), 0};
        go(i, j, {0, 0}, 0);
        return found_;
    }
    /// `gap`: the sequence with a gap in the last column; 0: none.
    void go(std::size_t i, std::size_t j, PairResult sum, int gap) {
        if (i == iEnd_ && j == jEnd_) found_ = std::max(found_, sum);
        const auto cost = [&](int side) {
            return scoring_.gaps.extend + (gap == side ? 0 : scoring_.gaps.open);
        };
        if (i < iEnd_ && j < jEnd_)
            go(i + 1, j + 1,
               {sum.score + scoring_.matrix.score(a_[i], b_[j]), sum.identities + (a_[i] == b_[j] ? 1 : 0)},
               0);
        if (i < iEnd_) go(i + 1, j, {sum.score - cost(2), sum.identities}, 2);
        if (j < jEnd_) go(i, j + 1, {sum.score - cost(1), sum.identities}, 1);
    }

    const std::vector<std::uint8_t>& a_;
    const std::vector<std::uint8_t>& b_;
    const PairScoring& scoring_;
    std::size_t iEnd_ = 0, jEnd_ = 0;
    PairResult found_;
};

TEST(ReferencePairwise, IsTheBestOfAllAlignments) {
    RandomSequence random(7);
    for (int k = 0; k < 300; ++k) {
        const auto draw = [&] {
            std::string letters(1 + random.below(5), ' ');
            // Few different letters, so that scores tie.
            for (char& letter : letters) letter = "ARW"[random.below(3)];
            return letters;
        };
        const Sequences pair = sequencesOf({draw(), draw()}, Alphabet::Protein);
        for (const GapPenalties gaps :
             {GapPenalties{0, 1}, GapPenalties{0, 0}, GapPenalties{2, 1}, GapPenalties{3, 0}})
            for (const SubstitutionMatrix& matrix :
                 {namedMatrix("BLOSUM62", Alphabet::Protein), matchMatrix(Alphabet::Protein, 1, -1)}) {
                PairScoring scoring{PairMethod::Global, matrix, gaps};
                ASSERT_EQ(byReference(pair, scoring).of(1, 0), Enumeration(pair, scoring).global())
                    << pair.letters[0] << " " << pair.letters[1] << " " << gaps.open << " " << gaps.extend;
                scoring.method = PairMethod::Local;
                ASSERT_EQ(byReference(pair, scoring).of(1, 0), Enumeration(pair, scoring).local())
                    << pair.letters[0] << " " << pair.letters[1] << " " << gaps.open << " " << gaps.extend;
            }
    }
}

TEST(ReferencePairwise, ValuesFollowFromIdentitiesOfTheShorter) {
    EXPECT_EQ(valueOf(PairMeasure::Score, {-7, 3}, 4, 12), -7);
    EXPECT_EQ(valueOf(PairMeasure::Identity, {-7, 3}, 4, 12), 0.75);
    EXPECT_EQ(valueOf(PairMeasure::Distance, {-7, 3}, 12, 4), 0.25);
    // Three matches and a gap; one match, two mismatches and two letters paired with gaps.
    EXPECT_EQ(valueOf(PairMeasure::Mismatch, {3 - 2, 3}, 4, 3), 0);
    EXPECT_EQ(valueOf(PairMeasure::Mismatch, {1 - 2 - 4, 1}, 5, 3), 2.0 / 3);
}

TEST(ReferencePairwise, TheTypedCallHandsOverEveryTile) {
    const Sequences sequences = randomSequences({.count = 7, .length = 30, .seed = 5});
    HostBackend backend("reference", 1);
    const PairNumbers whole = pairNumbers(backend, sequences, blosum(PairMethod::Global));
    pairs::PairStore store({.layout = {7, pairs::StoreLayout::Square}});
    const PairwiseReport report = computePairwise(
        backend, sequences, {.scoring = blosum(PairMethod::Global), .measure = PairMeasure::Score, .tile = 3},
        store, silentProgress());
    EXPECT_EQ(report.tiles, 6U);
    EXPECT_EQ(report.cells, report.cellsComputed);
    for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(store.value(j, i), whole.scores(i, j));
}

TEST(ReferencePairwise, WrongUseIsRefused) {
    HostBackend backend("reference", 1);
    pairs::PairStore store({.layout = {2, pairs::StoreLayout::Square}});
    const Sequences dna = sequencesOf({"ACGT", "ACG"});
    const auto refusal = [&](const PairScoring& scoring) {
        return messageOf<UsageError>(
            [&] { computePairwise(backend, dna, {.scoring = scoring}, store, silentProgress()); });
    };
    EXPECT_THAT(refusal(blosum(PairMethod::Global)),
                HasSubstr("BLOSUM62 is for protein, but the sequences are dna"));
    EXPECT_THAT(refusal({PairMethod::Global, namedMatrix("IUB", Alphabet::Dna), {-1, 1}}),
                HasSubstr("gap penalties are -1 and 1; expected 0 … 32000"));
}

/// Comparisons with other programs, which run in a folder of the test.
class OthersPairwise : public test::ProgramTest {};

TEST_F(OthersPairwise, ScoresAreThoseOfParasail) {
    if (const std::string lack = lackOfProgram("parasail_aligner"); !lack.empty()) GTEST_SKIP() << lack;
    const Sequences sequences =
        randomSequences({.count = 24, .length = 150, .divergence = 0.5, .ambiguous = 0.02, .seed = 3});
    test::writeFasta(folder_ / "in.fa", sequences);
    for (const PairMethod method : {PairMethod::Global, PairMethod::Local}) {
        const std::string function = method == PairMethod::Global ? "nw_scan_32" : "sw_scan_32";
        // Parasail's opening penalty includes the first letter. It reads the queries from standard input.
        const std::string call =
            "parasail_aligner -x -a " + function + " -o 12 -e 1 -f in.fa -g out.csv < in.fa";
        ASSERT_EQ(runProgram("sh", {"-c", call}).exitCode, 0);
        const PairNumbers found = byReference(sequences, blosum(method));
        std::istringstream lines(readFile(folder_ / "out.csv"));
        std::size_t pairs = 0;
        for (std::string line; std::getline(lines, line); ++pairs) {
            std::size_t i = 0, j = 0, first = 0, second = 0;
            int score = 0;
            ASSERT_EQ(std::sscanf(line.c_str(), "%zu,%zu,%zu,%zu,%d", &i, &j, &first, &second, &score), 5)
                << line;
            if (i < j) std::swap(i, j);
            if (i != j) {
                ASSERT_EQ(found.scores(i, j), score) << line;
            }
        }
        EXPECT_EQ(pairs, 24U * 24);
    }
}

/// The number of pairs with the percentage that ClustalW printed, and the number of all printed pairs.
std::pair<std::size_t, std::size_t> asPrinted(const Sequences& sequences, const std::string& printed) {
    const PairNumbers found = byReference(sequences, {.method = PairMethod::ClustalW});
    std::istringstream lines(printed);
    std::size_t equal = 0, all = 0;
    for (std::string line; std::getline(lines, line);) {
        std::size_t i = 0, j = 0;
        int percent = 0;
        if (std::sscanf(line.c_str(), "Sequences (%zu:%zu) Aligned. Score: %d", &i, &j, &percent) != 3)
            continue;
        const std::size_t shorter =
            std::min(sequences.letters[i - 1].size(), sequences.letters[j - 1].size());
        ++all;
        equal += 100 * found.identities(j - 1, i - 1) / static_cast<int>(shorter) == percent ? 1 : 0;
    }
    return {equal, all};
}

TEST_F(OthersPairwise, PercentagesAreThoseOfClustalW) {
    if (const std::string lack = lackOfProgram("clustalw"); !lack.empty()) GTEST_SKIP() << lack;
    const RandomSequencesOptions inputs[] = {
        {.count = 40, .length = 60, .divergence = 0.8, .seed = 1},
        {.count = 30, .length = 150, .divergence = 0.5, .gaps = 0.05, .shortest = 0.2, .seed = 2},
        {.count = 30, .length = 9, .divergence = 0.6, .shortest = 0.1, .seed = 3},
        {.count = 20, .length = 80, .divergence = 0.4, .ambiguous = 0.1, .seed = 4},
        {.count = 30, .length = 120, .alphabet = Alphabet::Dna, .divergence = 0.5, .seed = 5},
        {.count = 30,
         .length = 100,
         .alphabet = Alphabet::Dna,
         .divergence = 0.3,
         .ambiguous = 0.05,
         .seed = 6},
        {.count = 20, .length = 100, .alphabet = Alphabet::Rna, .divergence = 0.4, .gaps = 0.06, .seed = 7},
    };
    for (const RandomSequencesOptions& input : inputs) {
        const Sequences sequences = randomSequences(input);
        test::writeFasta(folder_ / "in.fa", sequences);
        const auto [equal, all] =
            asPrinted(sequences, runProgram("clustalw", "-infile=in.fa -align"_args).out);
        EXPECT_EQ(all, input.count * (input.count - 1) / 2);
        EXPECT_GE(static_cast<double>(equal), 0.995 * static_cast<double>(all))
            << "input " << input.seed << ": " << equal << " of " << all;
    }
}

TEST_F(OthersPairwise, PercentagesOfRealFamiliesAreThoseOfClustalW) {
    if (const std::string lack = lackOfProgram("clustalw"); !lack.empty()) GTEST_SKIP() << lack;
    std::size_t equal = 0, all = 0;
    for (const char* family : {"BB11001", "BB11020", "BB12010", "BB12022"}) {
        const std::string file = std::string("msa/families/") + family + ".fa";
        if (const std::string lack = lackOfData(file); !lack.empty()) GTEST_SKIP() << lack;
        std::filesystem::copy_file(sharedData(file), folder_ / (std::string(family) + ".fa"));
        const auto [same, pairs] =
            asPrinted(readSequences(sharedData(file), {}).sequences,
                      runProgram("clustalw", {std::string("-infile=") + family + ".fa", "-align"}).out);
        EXPECT_GT(pairs, 0U) << family;
        equal += same;
        all += pairs;
    }
    EXPECT_EQ(equal, all);
}

}  // namespace
}  // namespace glycine::pairwise
