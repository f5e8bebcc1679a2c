// TileWavefront in the styles that other drivers require: fewer render targets, both kinds of lookups, a
// profile where letters could be compared. And ClustalWavefront.
#include "engine/gl/framework/context.hpp"
#include "engine/gl/pairwise/clustal_wavefront.hpp"
#include "engine/gl/pairwise/tile_wavefront.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "tests/pairwise/align_fixtures.hpp"
#include "tests/pairwise/clustal_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::pairwise::gl {
namespace {

class TileWavefrontStyles : public testing::Test {
  protected:
    void SetUp() override {
        try {
            backend_ = std::make_unique<glycine::gl::GlBackend>(BackendOptions{});
        } catch (const UnavailableError& error) {
            GTEST_SKIP() << error.what();
        }
        glycine::gl::DebugLog::take();
    }
    void TearDown() override {
        if (backend_) {
            EXPECT_TRUE(glycine::gl::DebugLog::take().empty());
        }
    }

    /// All pairs equal the reference's, also if score and identities do not fit one number.
    void expectPairs(const Sequences& sequences, const PairScoring& scoring,
                     const TileWavefront::Style& style) {
        const std::size_t n = sequences.size();
        const test::PairNumbers expected = test::pairNumbers(reference_, sequences, scoring);
        const WavefrontPlanner planner(backend_->gl(), backend_->textures().bytesFree(),
                                       {TileWavefront::shapeOf(style, scoring, NumberForm::Together),
                                        TileWavefront::shapeOf(style, scoring, NumberForm::Separate)});
        const PairwiseRequest request = requestFor(sequences, {.scoring = scoring});
        ASSERT_TRUE(planner.supports(request)) << planner.supports(request).reason();
        TileWavefront run(*backend_, sequences, scoring, planner.plan(request), style);
        Matrix<std::int32_t> scores(n, n), identities(n, n);
        const MatrixView<std::int32_t> views[] = {scores.view(), identities.view()};
        run.compute({{0, n}, {0, n}}, views, progress_);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j)
                ASSERT_EQ((PairResult{scores(i, j), identities(i, j)}), expected.of(i, j))
                    << i << ", " << j << " with " << style.targets << " targets, normalised "
                    << style.normalised;
    }

    std::unique_ptr<glycine::gl::GlBackend> backend_;
    HostBackend reference_{"reference", 1};
    Progress progress_;
};

TEST_F(TileWavefrontStyles, AllFindTheSame) {
    const SubstitutionMatrix& blosum = namedMatrix("BLOSUM62", Alphabet::Protein);
    Sequences sequences = randomSequences({.count = 9, .length = 70, .shortest = 0.1, .ambiguous = 0.05});
    sequences.add("one", "W");
    const PairScoring large{.matrix = matchMatrix(Alphabet::Protein, 30000, 29000),
                            .gaps = {.open = 0, .extend = 30000}};
    // Some of these do not fit one number: 30,000 · 260 · 2^9.
    Sequences longer = randomSequences({.count = 3, .length = 260, .divergence = 0.1, .shortest = 0.5});
    for (const std::size_t targets : {4U, 8U})
        for (const bool normalised : {false, true})
            for (PairScoring scoring : {PairScoring{PairMethod::Global, blosum, {11, 1}},
                                        {PairMethod::Local, blosum, {11, 1}},
                                        {PairMethod::Global, blosum, {0, 3}},
                                        thesisScoring(Alphabet::Protein),
                                        large}) {
                TileWavefront::Style style = TileWavefront::bestStyle(backend_->gl(), scoring);
                style.targets = targets;
                style.normalised = normalised;
                for (const Sequences* some : {&sequences, &longer}) {
                    expectPairs(*some, scoring, style);
                    TileWavefront::Style withProfile = style;
                    withProfile.isMatch = false;
                    if (style.isMatch) expectPairs(*some, scoring, withProfile);
                    if (HasFatalFailure()) return;
                }
            }
}

// Full batches, limited batches, and batches of a single place; parts that take several batches.
TEST_F(TileWavefrontStyles, PairsOfClustalW) {
    RandomSequence random(3);
    const PairScoring scoring{.method = PairMethod::ClustalW};
    for (int round = 0; round < 30; ++round) {
        const auto [alphabet, letters] = test::anyFamily(round, 2 + random.below(6), random);
        const Sequences sequences = test::sequencesOfCodes(alphabet, letters);
        const std::size_t n = sequences.size(), targets = round % 2 == 0 ? 8 : 4;
        SCOPED_TRACE(testing::Message() << round << ": " << targets << " targets");
        const test::PairNumbers expected = test::pairNumbers(reference_, sequences, scoring);
        const WavefrontPlanner planner(backend_->gl(), backend_->textures().bytesFree(),
                                       ClustalSweeps::shapesFor(targets));
        WavefrontPlan plan = planner.plan(requestFor(sequences, {.scoring = scoring}));
        if (round % 3 == 1) plan.width = 1 + random.below(5);
        if (round % 5 == 1) plan.stateBytes = 20'000;
        if (round % 5 == 2) plan.side = 2;
        ClustalWavefront run(*backend_, sequences, plan, targets);
        Matrix<std::int32_t> scores(n, n), identities(n, n);
        const MatrixView<std::int32_t> views[] = {scores.view(), identities.view()};
        run.compute({{0, n}, {0, n}}, views, progress_);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j)
                ASSERT_EQ((PairResult{scores(i, j), identities(i, j)}), expected.of(i, j)) << i << ", " << j;
    }
}

TEST_F(TileWavefrontStyles, LettersAreComparedWhereThereAreTwoScores) {
    const auto style = [&](const PairScoring& scoring) {
        return TileWavefront::bestStyle(backend_->gl(), scoring);
    };
    EXPECT_TRUE(style(thesisScoring(Alphabet::Dna)).isMatch);
    EXPECT_TRUE(style({.matrix = namedMatrix("IDENTITY", Alphabet::Protein)}).isMatch);
    EXPECT_FALSE(style({.matrix = namedMatrix("BLOSUM62", Alphabet::Protein)}).isMatch);
    // There is no such program for gaps with an opening penalty.
    EXPECT_FALSE(style({.matrix = namedMatrix("IDENTITY", Alphabet::Protein), .gaps = {.open = 1}}).isMatch);
    // Local alignments may begin in any cell.
    EXPECT_FALSE(
        style({.method = PairMethod::Local, .matrix = matchMatrix(Alphabet::Protein, 1, -1)}).isLinear);
}

// Shaders of gl21 number the texels of a table in floats. Tiles hold the sequences whose letters have such
// numbers.
TEST(WavefrontPlan, TexelsHaveNumbersThatShadersHold) {
    constexpr std::size_t kLetters = 1000, kSide = 6, kBytes = std::size_t{1} << 30;
    const PairwiseRequest request{.sequences = 100, .longest = kLetters};
    // A texel a letter, as of the variant antidiagonal.
    const WavefrontShape shape{.states = 3,
                               .tables = {{.texelsPerStep = 1, .format = glycine::gl::TextureFormat::R32I}}};
    glycine::gl::GlCapabilities capabilities;
    capabilities.limits.maxTextureSize = 16384;
    capabilities.limits.maxTextureBytes = kBytes;
    const auto planner = [&](std::size_t largest) {
        capabilities.limits.largestInteger = largest;
        return WavefrontPlanner(capabilities, kBytes, {shape});
    };
    // Rows and columns of a tile have their own sequences.
    EXPECT_GT(planner(std::size_t{1} << 24).plan(request).side, kSide);
    EXPECT_EQ(planner(2 * kSide * kLetters).plan(request).side, kSide);
    EXPECT_EQ(planner(2 * kSide * kLetters - 1).plan(request).side, kSide - 1);
    EXPECT_TRUE(planner(2 * kLetters).supports(request));
    EXPECT_THAT(planner(2 * kLetters - 1).supports(request).reason(),
                HasSubstr("two sequences of 1,000 letters"));
}

}  // namespace
}  // namespace glycine::pairwise::gl
