// Every backend and variant of `pairwise` must find the reference's scores and identities, for sequences of
// any length, any scores, and any tile.
#include "engine/core/guarded_matrix.hpp"
#include "engine/pairwise/lane_numbers.hpp"
#include "engine/pairwise/pairwise_engine.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/backends/every_backend.hpp"
#include "tests/backends/limits.hpp"
#include "tests/made_once.hpp"
#include "tests/pairwise/align_fixtures.hpp"
#include "tests/pairwise/clustal_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::pairwise {
namespace {

using pairs::PairTile;

PairScoring scoringOf(PairMethod method, std::string_view matrix, GapPenalties gaps) {
    const Alphabet alphabet = matrix == "IUB" || matrix == "EDNAFULL" ? Alphabet::Dna : Alphabet::Protein;
    return {method, namedMatrix(matrix, alphabet), gaps};
}

/// One scoring of each kind, with the default penalties of its matrix.
std::vector<PairScoring> usualScorings(Alphabet alphabet) {
    const std::string matrix = isNucleotide(alphabet) ? "EDNAFULL" : "BLOSUM62";
    return {scoringOf(PairMethod::Global, matrix, *defaultPenalties(matrix)),
            scoringOf(PairMethod::Local, matrix, *defaultPenalties(matrix)),
            thesisScoring(alphabet),
            {.method = PairMethod::ClustalW}};
}

class PairwiseBackends
    : public glycine::test::WithImplementation<glycine::test::EveryBackend, PairwiseEngine> {
  protected:
    /// The reference's results, once for all settings and variants.
    const test::PairNumbers& expectedFor(const Sequences& sequences, const PairScoring& scoring) {
        test::InputKey key;
        for (const std::string& letters : sequences.letters) key.add(std::string_view(letters));
        key.add(scoring.method).add(scoring.matrix.scores).add(scoring.gaps).add(sequences.alphabet);
        return test::madeOnce(key, [&] {
            HostBackend reference("reference", 1);
            return test::pairNumbers(reference, sequences, scoring);
        });
    }
    /// Runs every variant, tile after tile in one run; both results together, and each alone.
    void expectPairs(const Sequences& sequences, const PairScoring& scoring,
                     const std::vector<PairTile>& tiles) {
        const test::PairNumbers& expected = expectedFor(sequences, scoring);
        for (const std::string& name : variantsFor(allVariants<PairwiseEngine>(), "integers")) {
            SCOPED_TRACE(testing::Message()
                         << name << ", " << sequences.size() << " x " << sequences.longest() << ", "
                         << toString(scoring.method) << ' ' << scoring.matrix.name << ' ' << scoring.gaps.open
                         << ' ' << scoring.gaps.extend);
            const PairwiseRequest request =
                requestFor(sequences, {.scoring = scoring, .variant = fromString<Variant>(name)});
            if (const Support support = engine_->supports(request); !support) {
                ASSERT_FALSE(isDefault(name)) << support.reason();
                continue;
            }
            const auto run = engine_->start(sequences, request);
            EXPECT_EQ(run->variantName(), name);
            expectTiles(*run, tiles, expected, {{true, true}, {true, false}, {false, true}});
            if (HasFatalFailure()) return;
        }
    }
    void expectPairs(const Sequences& sequences, const PairScoring& scoring) {
        const std::size_t n = sequences.size();
        expectPairs(sequences, scoring, {{{0, n}, {0, n}}});
    }

    /// `asked`: whether for scores, and whether for identities.
    void expectTiles(PairwiseRun& run, const std::vector<PairTile>& tiles, const test::PairNumbers& expected,
                     const std::vector<std::pair<bool, bool>>& asked) {
        for (const PairTile& tile : tiles)
            for (const auto& [asksScore, asksIdentities] : asked)
                expectTile(run, tile, expected, asksScore, asksIdentities);
    }

    Progress progress_;

  private:
    bool isDefault(const std::string& name) const {
        for (const VariantInfo& info : allVariants<PairwiseEngine>())
            if (info.backend == GetParam().backend && info.name == name) return info.isDefault;
        return false;
    }

    void expectTile(PairwiseRun& run, const PairTile& tile, const test::PairNumbers& expected, bool asksScore,
                    bool asksIdentities) {
        GuardedMatrix<std::int32_t> scores(tile.rows.size(), tile.columns.size());
        GuardedMatrix<std::int32_t> identities(tile.rows.size(), tile.columns.size());
        const MatrixView<std::int32_t> none;
        const MatrixView<std::int32_t> views[] = {asksScore ? scores.view() : none,
                                                  asksIdentities ? identities.view() : none};
        run.compute(tile, views, progress_);
        for (std::size_t r = 0; r < tile.rows.size(); ++r)
            for (std::size_t c = 0; c < (tile.isDiagonal() ? r : tile.columns.size()); ++c) {
                const PairResult pair = expected.of(tile.rows.begin + r, tile.columns.begin + c);
                const testing::Message place = testing::Message()
                                               << "tile (" << tile.rows.begin << ", " << tile.columns.begin
                                               << "): " << r << ", " << c;
                if (asksScore) {
                    ASSERT_EQ(views[0](r, c), pair.score) << place;
                }
                if (asksIdentities) {
                    ASSERT_EQ(views[1](r, c), pair.identities) << place;
                }
            }
        ASSERT_TRUE(scores.isIntact() && identities.isIntact());
    }
};

TEST_P(PairwiseBackends, EveryNumberOfSequences) {
    // Lanes and batches, full and partial.
    for (const std::size_t count : sweep({1, 2, 3, 4, 5, 8, 9, 16, 17, 18, 32, 33, 34, 65}, {1, 2, 65}))
        expectPairs(randomSequences({.count = count, .length = 13, .shortest = 0.3, .seed = count}),
                    scoringOf(PairMethod::Global, "BLOSUM62", {11, 1}));
}

TEST_P(PairwiseBackends, EveryLength) {
    for (const std::size_t length :
         sweep({1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 130}, {1, 2, 130}))
        for (const PairScoring& scoring : usualScorings(Alphabet::Protein))
            expectPairs(randomSequences({.count = 6, .length = length, .shortest = 1, .seed = length}),
                        scoring);
}

TEST_P(PairwiseBackends, LengthsThatDifferMuch) {
    Sequences sequences = randomSequences({.count = 3, .length = 400, .shortest = 0.4, .seed = 3});
    for (const char* letters : {"A", "W", "AW", "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW"})
        sequences.add(letters, letters);
    for (const PairScoring& scoring : usualScorings(Alphabet::Protein)) expectPairs(sequences, scoring);
}

TEST_P(PairwiseBackends, OneLetterAgainstTenThousand) {
    const Sequences longest =
        randomSequences({.count = 1, .length = 10000, .alphabet = Alphabet::Dna, .shortest = 1});
    Sequences sequences;
    sequences.alphabet = Alphabet::Dna;
    sequences.add("long", longest.letters.front());
    sequences.add("a", "A");
    sequences.add("n", "N");
    for (const PairScoring& scoring : usualScorings(Alphabet::Dna)) expectPairs(sequences, scoring);
}

TEST_P(PairwiseBackends, PenaltiesOfEveryKind) {
    const Sequences sequences =
        randomSequences({.count = 12, .length = 50, .gaps = 0.08, .ambiguous = 0.05, .seed = 5});
    for (const PairMethod method : {PairMethod::Global, PairMethod::Local})
        for (const GapPenalties gaps :
             {GapPenalties{0, 0}, {0, 1}, {1, 0}, {0, 7}, {200, 0}, {30, 30}, {32000, 32000}})
            for (const char* matrix : {"BLOSUM62", "PAM400", "GONNET250", "IDENTITY"}) {
                // Matrices are data; each penalty and each matrix still occurs.
                if (!isSwept() && gaps.open + gaps.extend > 0 && matrix != std::string_view("BLOSUM62"))
                    continue;
                expectPairs(sequences, scoringOf(method, matrix, gaps));
            }
}

TEST_P(PairwiseBackends, ScoresOfAnySize) {
    const Sequences sequences = randomSequences({.count = 9, .length = 60, .divergence = 0.2, .seed = 6});
    for (const PairMethod method : {PairMethod::Global, PairMethod::Local})
        for (const int score : {1, 100, 1000, 32000})
            expectPairs(sequences,
                        {method, matchMatrix(Alphabet::Protein, score, -score), {score, score / 2}});
    // No letter is worth anything; then every letter is.
    for (const PairMethod method : {PairMethod::Global, PairMethod::Local}) {
        expectPairs(sequences, {method, matchMatrix(Alphabet::Protein, -1, -5), {2, 1}});
        expectPairs(sequences, {method, matchMatrix(Alphabet::Protein, 0, 0), {0, 0}});
        expectPairs(sequences, {method, matchMatrix(Alphabet::Protein, 5, 5), {3, 1}});
    }
}

TEST_P(PairwiseBackends, TilesThatBeginAndEndAnywhere) {
    const Sequences sequences = randomSequences({.count = 70, .length = 30, .shortest = 0.1, .seed = 7});
    std::vector<PairTile> tiles{
        {{50, 70}, {0, 50}}, {{69, 70}, {3, 4}}, {{40, 57}, {5, 38}}, {{30, 31}, {30, 31}}};
    // The largest is no different with the shaders of another setting.
    if (!repeatsShaders()) tiles.push_back({{13, 70}, {13, 70}});
    for (const PairScoring& scoring : usualScorings(Alphabet::Protein))
        expectPairs(sequences, scoring, tiles);
}

TEST_P(PairwiseBackends, EqualSequencesAndNucleotides) {
    Sequences sequences = randomSequences({.count = 5,
                                           .length = 150,
                                           .alphabet = Alphabet::Rna,
                                           .divergence = 0.1,
                                           .ambiguous = 0.1,
                                           .seed = 8});
    const std::vector<std::string> letters = sequences.letters;
    for (std::size_t k = 0; k < letters.size(); ++k) sequences.add("again " + std::to_string(k), letters[k]);
    for (const PairScoring& scoring : usualScorings(Alphabet::Rna)) expectPairs(sequences, scoring);
    expectPairs(sequences, scoringOf(PairMethod::Global, "IUB", {30, 7}));
}

// Few letters and long gaps: many alignments are equally good, and gaps are split. Warps and batches are
// full, have several first sequences, or few pairs.
TEST_P(PairwiseBackends, WhatClustalWDivides) {
    RandomSequence random(5);
    for (int round = 1; round < (isSwept() ? 16 : 6); ++round) {
        SCOPED_TRACE(testing::Message() << "round " << round);
        const auto [alphabet, letters] =
            test::anyFamily(round, 2 + random.below(round % 5 == 0 ? 50 : 6), random);
        expectPairs(test::sequencesOfCodes(alphabet, letters), {.method = PairMethod::ClustalW});
        if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(All, PairwiseBackends, testing::ValuesIn(glycine::test::allSettings()),
                         glycine::test::nameOf);

// ---- Checks of tests/backends/limits.hpp for `pairwise`: the longest sequences of each variant, numbers on
// both sides of 32 bits, and artificially small devices.

/// Large scores: few letters fill 32 bits.
PairScoring largeScores(PairMethod method, int open) {
    return {.method = method,
            .matrix = matchMatrix(Alphabet::Protein, 30000, -20000),
            .gaps = {.open = open, .extend = 1000}};
}

class PairwiseLimits : public PairwiseBackends {
  protected:
    std::vector<Variant> variants() const { return variantsOf<Variant>("integers"); }

    static PairwiseRequest requestOf(Variant variant, const PairScoring& scoring, std::size_t longest) {
        return {.variant = variant, .scoring = scoring, .sequences = 2, .longest = longest};
    }

    /// Whether the variant supports the scoring at all. Each backend has one variant for ClustalW.
    /// Khaladkar's kernels, as printed, only support his scores.
    bool isMadeFor(Variant variant, const PairScoring& scoring) const {
        if (variant == Variant::CalculateMatrix || variant == Variant::CalculateMatrixResident)
            return isThesisScoring(scoring);
        return scoring.method != PairMethod::ClustalW ||
               (variant != Variant::Packed && variant != Variant::Antidiagonal &&
                variant != Variant::AntidiagonalResident);
    }

    /// Whether the variant supports the sequences. A refusal must have a reason, and is only allowed with
    /// `mayRefuse`.
    bool takes(Variant variant, const Sequences& sequences, const PairScoring& scoring, bool mayRefuse) {
        return glycine::test::isTaken(
            engine_->supports(requestFor(sequences, {.scoring = scoring, .variant = variant})), mayRefuse);
    }

    /// Compares with the reference, in one tile and in halves.
    void align(Variant variant, const Sequences& sequences, const PairScoring& scoring) {
        SCOPED_TRACE(testing::Message() << toString(variant) << ", " << sequences.size() << " x "
                                        << sequences.longest() << ", " << toString(scoring.method));
        const std::size_t n = sequences.size();
        const auto run =
            engine_->start(sequences, requestFor(sequences, {.scoring = scoring, .variant = variant}));
        expectTiles(*run, {{{0, n}, {0, n}}, {{n / 2, n}, {0, n / 2}}, {{n / 2, n}, {n / 2, n}}},
                    expectedFor(sequences, scoring), {{true, true}});
    }
};

TEST_P(PairwiseLimits, FewSequencesOfFewLetters) {
    for (const std::size_t count : sweep({1, 2, 3, 11}, {1, 2, 11}))
        for (const std::size_t length : sweep({1, 2, 8, 9, 17, 60}, {1, 60})) {
            const Sequences sequences = randomSequences(
                {.count = count, .length = length, .shortest = 0.3, .seed = 100 * count + length});
            for (const Variant variant : variants())
                for (const PairScoring& scoring : usualScorings(Alphabet::Protein))
                    if (isMadeFor(variant, scoring) && takes(variant, sequences, scoring, isSmall()))
                        align(variant, sequences, scoring);
            if (HasFatalFailure()) return;
        }
}

// The longest supported sequence, aligned with itself if that is fast, and with short ones; one more letter
// is refused.
TEST_P(PairwiseLimits, LongestSequence) {
    constexpr std::size_t kMax = std::size_t{1} << 40;
    for (const Variant variant : variants())
        for (const PairScoring& scoring : usualScorings(Alphabet::Protein)) {
            const bool isPrinted = isThesisScoring(scoring);
            if (!isMadeFor(variant, scoring) ||
                isPrinted == isMadeFor(variant, usualScorings(Alphabet::Protein).front()))
                continue;
            const std::size_t longest = glycine::test::lastTaken(1, kMax, [&](std::size_t length) {
                return bool(engine_->supports(requestOf(variant, scoring, length)));
            });
            SCOPED_TRACE(testing::Message() << toString(variant) << ", " << longest << " letters");
            ASSERT_LT(longest, kMax);
            const Support beyond = engine_->supports(requestOf(variant, scoring, longest + 1));
            EXPECT_FALSE(beyond);
            EXPECT_THAT(beyond.reason(),
                        AnyOf(HasSubstr("letters"), HasSubstr("memory"), HasSubstr("texels")));
            if (isPrinted && !isSmall()) {
                EXPECT_EQ(longest, 16'383U);
            }
            if (longest == 0 || longest > 20'000) continue;
            Sequences sequences = randomSequences({.count = longest > 1'500 ? 1U : 2U,
                                                   .length = longest,
                                                   .gaps = 0,
                                                   .shortest = 1,
                                                   .seed = longest});
            ASSERT_EQ(sequences.longest(), longest);
            for (const char* letters : {"W", "ARNDCQEGHILKM"}) sequences.add(letters, letters);
            // More sequences may need more memory than two.
            if (takes(variant, sequences, scoring, true)) align(variant, sequences, scoring);
            if (HasFatalFailure()) return;
        }
}

// Score and identities just fit into 32 bits together, or just do not; both cases in one tile.
TEST_P(PairwiseLimits, NumbersOnBothSidesOf32Bits) {
    for (const PairScoring& scoring :
         {largeScores(PairMethod::Global, 4000), largeScores(PairMethod::Global, 0),
          largeScores(PairMethod::Local, 4000)}) {
        const std::size_t fits = mostLetters<std::int32_t>(scoring, true, 100'000);
        ASSERT_GT(fits, 50U);
        ASSERT_LT(fits, 2'000U);
        Sequences sequences;
        for (const std::size_t length : {fits - 1, fits, fits + 1, fits + 2, 3 * fits / 2}) {
            const Sequences one = randomSequences({.count = 2,
                                                   .length = length,
                                                   .divergence = 0.05,
                                                   .gaps = 0,
                                                   .shortest = 1,
                                                   .ambiguous = 0.02});
            for (const std::string& letters : one.letters)
                sequences.add("s" + std::to_string(sequences.size()), letters);
        }
        for (const Variant variant : variants()) {
            if (!isMadeFor(variant, scoring)) continue;
            // Packed has a single number format, and OpenGL 2.1 has no 32-bit integers.
            const bool hasOneForm = variant == Variant::Packed || GetParam().dialect() == Dialect::Gl21;
            const bool isTaken = takes(variant, sequences, scoring, isSmall() || hasOneForm);
            EXPECT_FALSE(isTaken && hasOneForm);
            if (isTaken) align(variant, sequences, scoring);
            if (HasFatalFailure()) return;
        }
    }
}

// OpenGL 2.1 counts in floats, which are exact up to 2^24. Equal sequences of the maximum length have the
// largest scores and identities; one letter more is refused.
TEST_P(PairwiseLimits, NumbersOnBothSidesOf24Bits) {
    if (GetParam().dialect() != Dialect::Gl21 || isSmall()) GTEST_SKIP() << "integers of 32 bits";
    for (const PairMethod method : {PairMethod::Global, PairMethod::Local}) {
        const PairScoring scoring{.method = method,
                                  .matrix = matchMatrix(Alphabet::Protein, 3001, -2000),
                                  .gaps = {.open = 401, .extend = 101}};
        const std::size_t longest = glycine::test::lastTaken(1, 10'000, [&](std::size_t length) {
            return bool(engine_->supports(requestOf(Variant::Antidiagonal, scoring, length)));
        });
        ASSERT_GT(longest, 30U);
        ASSERT_LT(longest, 200U);
        EXPECT_THAT(engine_->supports(requestOf(Variant::Antidiagonal, scoring, longest + 1)).reason(),
                    HasSubstr("2^24"));
        Sequences sequences;
        for (const std::size_t length : {longest, longest, longest - 1, std::size_t{1}})
            sequences.add("s" + std::to_string(sequences.size()), std::string(length, 'W'));
        align(Variant::Antidiagonal, sequences, scoring);
    }
}

// If nothing costs or earns anything, all alignments are equally good. The maximum number of identities is
// then the length of the longest common subsequence: GTAB.
TEST_P(PairwiseLimits, EqualScoresWithDifferentIdentities) {
    const PairScoring nothing{.matrix = matchMatrix(Alphabet::Protein, 0, 0),
                              .gaps = {.open = 0, .extend = 0}};
    const Sequences sequences = sequencesOf({"AGGTAB", "GXTXAYB"}, Alphabet::Protein);
    for (const Variant variant : variants()) {
        if (!isMadeFor(variant, nothing) || !takes(variant, sequences, nothing, isSmall())) continue;
        const auto run =
            engine_->start(sequences, requestFor(sequences, {.scoring = nothing, .variant = variant}));
        std::int32_t score = -1, identities = -1;
        const MatrixView<std::int32_t> views[] = {{&score, 1, 1}, {&identities, 1, 1}};
        run->compute({{1, 2}, {0, 1}}, views, progress_);
        EXPECT_EQ(score, 0) << toString(variant);
        EXPECT_EQ(identities, 4) << toString(variant);
    }
}

INSTANTIATE_TEST_SUITE_P(All, PairwiseLimits, testing::ValuesIn(glycine::test::settingsWithSmallOnes()),
                         glycine::test::nameOf);

}  // namespace
}  // namespace glycine::pairwise
