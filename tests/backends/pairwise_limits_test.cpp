// What tests/backends/limits.hpp says, of `pairwise`: the longest sequences that each variant takes, numbers
// on both sides of 32 bits, and devices that pretend to be small.
#include <string>

#include "engine/core/guarded_matrix.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/pairwise/lane_numbers.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/backends/limits.hpp"
#include "tests/pairwise/align_fixtures.hpp"

namespace glycine::pairwise {
namespace {

using pairs::PairTile;

const PairScoring& usual(PairMethod method) {
    static const PairScoring global{.matrix = namedMatrix("BLOSUM62", Alphabet::Protein),
                                    .gaps = {.open = 11, .extend = 1}};
    static const PairScoring local{.method = PairMethod::Local, .matrix = global.matrix, .gaps = global.gaps};
    static const PairScoring clustal{.method = PairMethod::ClustalW};
    return method == PairMethod::ClustalW ? clustal : method == PairMethod::Local ? local : global;
}

/// Large ones, of which few letters fill 32 bits.
PairScoring largeScores(PairMethod method, int open) {
    return {.method = method,
            .matrix = matchMatrix(Alphabet::Protein, 30000, -20000),
            .gaps = {.open = open, .extend = 1000}};
}

class PairwiseLimits : public glycine::test::WithImplementation<glycine::test::Limits, PairwiseEngine> {
  protected:
    std::vector<Variant> variants() const { return variantsOf<Variant>("integers"); }

    static PairwiseRequest requestOf(Variant variant, const PairScoring& scoring, std::size_t longest) {
        return {.variant = variant, .scoring = scoring, .sequences = 2, .longest = longest};
    }

    /// Whether the variant aligns so at all: as ClustalW, one of a backend's does.
    bool isMadeFor(Variant variant, PairMethod method) const {
        return method != PairMethod::ClustalW ||
               (variant != Variant::Packed && variant != Variant::Antidiagonal &&
                variant != Variant::AntidiagonalResident);
    }

    /// Whether the variant takes the sequences. What it does not take it refuses with a reason, and nothing
    /// but a device that pretends to be small refuses these.
    bool takes(Variant variant, const Sequences& sequences, const PairScoring& scoring, bool mayRefuse) {
        const Support support =
            engine_->supports(requestFor(sequences, {.scoring = scoring, .variant = variant}));
        EXPECT_TRUE(support || mayRefuse) << support.reason();
        EXPECT_NE(support.reason().empty(), !support);
        return bool(support);
    }

    /// In one tile and in halves: what the reference finds.
    void align(Variant variant, const Sequences& sequences, const PairScoring& scoring) {
        SCOPED_TRACE(testing::Message() << toString(variant) << ", " << sequences.size() << " x "
                                        << sequences.longest() << ", " << toString(scoring.method));
        const std::size_t n = sequences.size();
        const test::PairNumbers expected = test::pairNumbers(reference_, sequences, scoring);
        const auto run =
            engine_->start(sequences, requestFor(sequences, {.scoring = scoring, .variant = variant}));
        for (const PairTile& tile :
             {PairTile{{0, n}, {0, n}}, {{n / 2, n}, {0, n / 2}}, {{n / 2, n}, {n / 2, n}}}) {
            GuardedMatrix<std::int32_t> scores(tile.rows.size(), tile.columns.size());
            GuardedMatrix<std::int32_t> identities(tile.rows.size(), tile.columns.size());
            const MatrixView<std::int32_t> views[] = {scores.view(), identities.view()};
            run->compute(tile, views, progress_);
            for (std::size_t r = 0; r < tile.rows.size(); ++r)
                for (std::size_t c = 0; c < (tile.isDiagonal() ? r : tile.columns.size()); ++c)
                    ASSERT_EQ((PairResult{views[0](r, c), views[1](r, c)}),
                              expected.of(tile.rows.begin + r, tile.columns.begin + c))
                        << tile.rows.begin + r << ", " << tile.columns.begin + c;
            ASSERT_TRUE(scores.isIntact() && identities.isIntact());
        }
    }

    HostBackend reference_{"reference", 1};
    Progress progress_;
};

TEST_P(PairwiseLimits, FewSequencesOfFewLetters) {
    for (const std::size_t count : {1U, 2U, 3U, 11U})
        for (const std::size_t length : {1U, 2U, 8U, 9U, 17U, 60U}) {
            const Sequences sequences = randomSequences(
                {.count = count, .length = length, .shortest = 0.3, .seed = 100 * count + length});
            for (const Variant variant : variants())
                for (const PairScoring& scoring :
                     {usual(PairMethod::Global), usual(PairMethod::Local), thesisScoring(Alphabet::Protein),
                      usual(PairMethod::ClustalW)})
                    if (isMadeFor(variant, scoring.method) && takes(variant, sequences, scoring, isSmall()))
                        align(variant, sequences, scoring);
            if (HasFatalFailure()) return;
        }
}

// The longest sequence that is taken, beside itself where that is soon done and beside short ones; the next
// letter is refused.
TEST_P(PairwiseLimits, LongestSequence) {
    constexpr std::size_t kMost = std::size_t{1} << 40;
    for (const Variant variant : variants())
        for (const PairMethod method : {PairMethod::Global, PairMethod::Local, PairMethod::ClustalW}) {
            if (!isMadeFor(variant, method)) continue;
            const PairScoring& scoring = usual(method);
            const std::size_t longest = glycine::test::lastTaken(1, kMost, [&](std::size_t length) {
                return bool(engine_->supports(requestOf(variant, scoring, length)));
            });
            SCOPED_TRACE(testing::Message() << toString(variant) << ", " << longest << " letters");
            ASSERT_LT(longest, kMost);
            const Support beyond = engine_->supports(requestOf(variant, scoring, longest + 1));
            EXPECT_FALSE(beyond);
            EXPECT_THAT(beyond.reason(),
                        testing::AnyOf(testing::HasSubstr("letters"), testing::HasSubstr("memory"),
                                       testing::HasSubstr("texels")));
            if (longest == 0 || longest > 20'000) continue;
            Sequences sequences = randomSequences({.count = longest > 1'500 ? 1U : 2U,
                                                   .length = longest,
                                                   .gaps = 0,
                                                   .shortest = 1,
                                                   .seed = longest});
            ASSERT_EQ(sequences.longest(), longest);
            for (const char* letters : {"W", "ARNDCQEGHILKM"}) sequences.add(letters, letters);
            // As many as come with it may need more room than two.
            if (takes(variant, sequences, scoring, true)) align(variant, sequences, scoring);
            if (HasFatalFailure()) return;
        }
}

// Score and identities just fit a number of 32 bits together, or just do not; both in one tile.
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
            // Packed has no other numbers.
            const bool isPacked = variant == Variant::Packed;
            const bool isTaken = takes(variant, sequences, scoring, isSmall() || isPacked);
            EXPECT_FALSE(isTaken && isPacked);
            if (isTaken) align(variant, sequences, scoring);
            if (HasFatalFailure()) return;
        }
    }
}

// Where nothing costs or earns anything, all alignments are equally good, and the most identities are those
// of the longest common subsequence: GTAB.
TEST_P(PairwiseLimits, EqualScoresWithDifferentIdentities) {
    const PairScoring nothing{.matrix = matchMatrix(Alphabet::Protein, 0, 0),
                              .gaps = {.open = 0, .extend = 0}};
    const Sequences sequences = sequencesOf({"AGGTAB", "GXTXAYB"}, Alphabet::Protein);
    for (const Variant variant : variants()) {
        if (!takes(variant, sequences, nothing, isSmall())) continue;
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
