// Passes of `gl`: posteriors, joins, paths through profiles.
#include "engine/alignment/posterior/posterior_alignment.hpp"
#include "engine/alignment/posterior/recount_stages.hpp"
#include "engine/gl/alignment/profile_passes.hpp"
#include "engine/gl/alignment/tile_posteriors.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "engine/trees/clustering.hpp"
#include "tests/alignment/join_fixtures.hpp"
#include "tests/alignment/posterior_fixtures.hpp"
#include "tests/alignment/profile_fixtures.hpp"
#include "tests/gl/gl_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::align::gl {
namespace {

// ---- Paths of posteriors on `gl` that the suite for all backends does not reach: tiles for few render
// targets, both kinds of lookups, recomputed stretches of forward sums, many columns of slots; and the plans,
// which need no device.

class TilePosteriorStyles : public testing::Test {
  protected:
    void SetUp() override {
        try {
            const glycine::gl::GlBackend backend{BackendOptions{}};
        } catch (const UnavailableError& error) {
            GTEST_SKIP() << error.what();
        }
        glycine::gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_TRUE(glycine::gl::DebugLog::take().empty()); }

    /// Expects the reference's posteriors from a device limited to `bytes` of memory and textures of `side`
    /// (0: no limit). Returns the number of batches whose forward sums were not all kept.
    std::size_t expectPosteriors(const Sequences& sequences, const PosteriorTileShape& shape,
                                 std::size_t bytes = 0, std::size_t side = 0) {
        SCOPED_TRACE(testing::Message() << shape.rows << " rows, normalised " << shape.normalised << ", "
                                        << bytes << " bytes, sides of " << side);
        BackendOptions options;
        options.maxDeviceBytes = bytes;
        options.maxTextureSize = side;
        glycine::gl::GlBackend backend(options);
        const PosteriorPlanner planner(backend.gl(), backend.textures().bytesFree(), shape);
        const Support support =
            planner.supports({.sequences = sequences.size(), .longest = sequences.longest()});
        EXPECT_TRUE(support) << support.reason();
        if (!support) return 0;
        TilePosteriors run(backend, sequences, planner);
        const PosteriorSet found = run.posteriors(progress_);
        const PosteriorSet expected =
            createImplementation<PosteriorEngine>(reference_)->start(sequences)->posteriors(progress_);
        Comparison comparison = equalSoFar(kPosteriorTolerance);
        comparison.isAbsolute = true;
        for (std::size_t x = 0; x < sequences.size(); ++x)
            for (std::size_t y = 0; y < sequences.size(); ++y)
                if (x != y)
                    comparePair(expected.pair(x, y), found.pair(x, y),
                                std::to_string(x) + " and " + std::to_string(y), comparison);
        EXPECT_TRUE(comparison.agrees()) << comparison.place;
        EXPECT_EQ(run.unsound(), 0U);
        return run.recomputedBatches();
    }

    HostBackend reference_{"reference", 1};
    Progress progress_;
};

TEST_F(TilePosteriorStyles, AllFindTheSame) {
    Sequences proteins = randomSequences({.count = 9, .length = 50, .shortest = 0.1, .ambiguous = 0.05});
    proteins.add("one", "W");
    for (const Sequences& sequences :
         {proteins, randomSequences({.count = 4, .length = 70, .alphabet = Alphabet::Dna, .shortest = 0.5})})
        for (const std::size_t rows : {1U, 6U})
            for (const bool normalised : {false, true})
                EXPECT_EQ(expectPosteriors(sequences, {rows, normalised}), 0U);
}

TEST_F(TilePosteriorStyles, StretchesThatAreComputedOnceMore) {
    const Sequences sequences = randomSequences({.count = 4, .length = 150, .shortest = 0.4, .seed = 2});
    for (const std::size_t rows : {1U, 6U})
        EXPECT_GT(expectPosteriors(sequences, {rows, true}, std::size_t{1500} << 10), 0U);
    // Stretches of several anti-diagonals; some pairs end earlier.
    const Sequences longer = randomSequences({.count = 5, .length = 400, .shortest = 0.7, .seed = 4});
    EXPECT_GT(expectPosteriors(longer, {6, true}, std::size_t{6} << 20), 0U);
}

TEST_F(TilePosteriorStyles, ManyColumnsOfSlots) {
    const Sequences sequences = randomSequences({.count = 12, .length = 100, .shortest = 0.4, .seed = 3});
    expectPosteriors(sequences, {6, false}, 0, 96);
}

// Plans fit the limits; too little memory and too many letters are refused with the reason.
TEST(TilePosteriorPlan, KeepsWithinMemoryAndTextures) {
    glycine::gl::GlCapabilities capabilities;
    capabilities.limits.maxTextureSize = 4096;
    capabilities.limits.maxArrayLayers = 256;
    capabilities.limits.maxTextureBytes = std::size_t{1} << 31;
    for (const std::size_t letters : {1U, 30U, 400U, 3000U})
        for (const std::size_t mebibytes : {1U, 16U, 256U, 4096U}) {
            const std::size_t bytes = mebibytes << 20;
            const PosteriorPlanner planner(capabilities, bytes, {6, false});
            const Support support = planner.supports({.sequences = 2, .longest = letters});
            for (const std::size_t places : {1U, 17U, 300U}) {
                const auto layout = planner.layout((letters + 5) / 6, (letters + 3) / 4, places, letters);
                if (places == 1) {
                    EXPECT_EQ(layout.has_value(), bool(support)) << letters << ", " << mebibytes;
                }
                if (!layout) continue;
                EXPECT_LE(layout->bytes, bytes);
                for (const EdgeRing* ring :
                     {&layout->forward, &layout->backward, &layout->kept, &layout->marks}) {
                    EXPECT_LE(ring->width, 4096U);
                    EXPECT_LE(ring->height, 4096U);
                    EXPECT_GE(ring->width * ring->slotsInColumn, places * ring->slots);
                }
                EXPECT_GE(2 * layout->backward.slots, layout->stretch + 1);
                EXPECT_GE(layout->stretch * layout->stretches(), layout->diagonals());
            }
        }
    const PosteriorPlanner planner(capabilities, std::size_t{1} << 20, {6, false});
    const Support refused = planner.supports({.sequences = 2, .longest = 3000});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.reason().find("memory"), std::string::npos) << refused.reason();
    const Support tooLong = planner.supports({.sequences = 2, .longest = 30'000'000});
    ASSERT_FALSE(tooLong);
    EXPECT_NE(tooLong.reason().find("texels"), std::string::npos) << tooLong.reason();
}

// ---- Consistency by passes: the host's posteriors in both dialects, with all sequences on the device and
// with two groups at a time; what the host keeps, and why.

class GlConsistency : public OnDialects {
  protected:
    /// A round with different weights, over all third sequences or the `most` nearest.
    ConsistencyRound roundOver(std::size_t most) {
        const std::size_t n = posteriors_.sequences();
        weights_.clear();
        std::vector<float> distances;
        for (std::size_t y = 0; y < n; ++y) {
            weights_.push_back(0.5 + 0.1 * static_cast<double>(y));
            for (std::size_t x = 0; x < y; ++x)
                distances.push_back(static_cast<float>(x * y % 7) + 0.1F * static_cast<float>(x));
        }
        thirds_ = most == 0 ? ThirdSequences(n) : ThirdSequences(n, distances, most);
        return {weights_, 3, thirds_};
    }
    /// Expects the host's round from a device with these limits (0: none). Returns the number of tiles.
    std::size_t expectRound(const ConsistencyRound& round, std::size_t side = 0, std::size_t bytes = 0) {
        SCOPED_TRACE(testing::Message() << "sides of " << side << ", " << bytes << " bytes");
        BackendOptions options;
        options.dialect = GetParam();
        options.maxTextureSize = side;
        options.maxDeviceBytes = bytes;
        glycine::gl::GlBackend backend(options);
        ConsistencyPasses passes(backend, kAll);
        const std::optional<PosteriorSet> found = passes.apply(posteriors_, round, progress_);
        EXPECT_EQ(passes.reason(), "");
        EXPECT_TRUE(found);
        if (!found) return 0;
        const PosteriorSet expected =
            applyConsistency(posteriors_, round, InstructionSet::Generic, 1, progress_);
        Comparison comparison = equalSoFar(1e-6);
        comparison.isAbsolute = true;
        for (std::size_t x = 0; x < posteriors_.sequences(); ++x)
            for (std::size_t y = 0; y < posteriors_.sequences(); ++y)
                if (x != y)
                    comparePair(expected.pair(x, y), found->pair(x, y),
                                std::to_string(x) + " and " + std::to_string(y), comparison);
        EXPECT_TRUE(comparison.agrees()) << comparison.place;
        return passes.tiles();
    }

    static constexpr ConsistencySettings kAll{
        .leastSequences = 0, .mostHostThreads = 1 << 20, .takesEmulated = true};
    Sequences sequences_ = randomSequences({.count = 12, .length = 60, .shortest = 0.3, .seed = 3});
    PosteriorSet posteriors_ = posteriorsByReference(sequences_);
    std::vector<double> weights_;
    ThirdSequences thirds_{3};
    Progress progress_;
};

TEST_P(GlConsistency, IsTheHosts) {
    for (const std::size_t most : {0U, 1U, 5U}) EXPECT_EQ(expectRound(roundOver(most)), 1U);
    // Some pairs have no entries, a residue of others a single one.
    sequences_ = randomSequences({.count = 3, .length = 9, .divergence = 0.95, .seed = 4});
    sequences_.add("one", "W");
    posteriors_ = posteriorsByReference(sequences_);
    EXPECT_EQ(expectRound(roundOver(0)), 1U);
}

TEST_P(GlConsistency, InTilesWhereTexturesOrMemoryAreSmall) {
    EXPECT_GT(expectRound(roundOver(0), 128), 1U);
    EXPECT_GT(expectRound(roundOver(5), 0, std::size_t{256} << 10), 1U);
}

TEST_P(GlConsistency, SaysWhyTheHostComputesIt) {
    const ConsistencyRound round = roundOver(0);
    const auto reasonOf = [&](const ConsistencySettings& settings, std::size_t side) {
        BackendOptions options;
        options.dialect = GetParam();
        options.maxTextureSize = side;
        glycine::gl::GlBackend backend(options);
        ConsistencyPasses passes(backend, settings);
        EXPECT_FALSE(passes.apply(posteriors_, round, progress_));
        return passes.reason();
    };
    EXPECT_EQ(reasonOf({.leastSequences = 13, .takesEmulated = true}, 0), kSmallConsistency);
    EXPECT_EQ(reasonOf({.leastSequences = 0, .mostHostThreads = 0, .takesEmulated = true}, 0),
              kFastConsistency);
    if (backend_->isEmulated()) {
        EXPECT_EQ(reasonOf({.leastSequences = 0}, 0), kEmulatedConsistency);
    }
    EXPECT_EQ(reasonOf(kAll, 16), kNoRoomForConsistency);
}

TEST_P(GlConsistency, IsRecountedInAlignments) {
    BackendOptions options;
    options.dialect = GetParam();
    const auto align = [&](const ConsistencySettings& settings, StageRecount& recount) {
        glycine::gl::GlBackend backend(options);
        const PosteriorPlanner planner(backend.gl(), backend.textures().bytesFree(),
                                       PosteriorTileShape::bestFor(backend.gl()));
        TilePosteriors run(backend, sequences_, planner, settings);
        PosteriorAlignmentOptions how = defaultOptions(sequences_.size());
        how.recount = &recount;
        return alignByPosteriors(sequences_, run, how, progress_);
    };
    const auto elementsOf = [](const StageRecount& recount) {
        std::size_t elements = 0;
        for (const RecountedStage& stage : recount.counted().stages)
            if (stage.name == "consistency") elements += stage.elements;
        return elements;
    };
    StageRecount ofHost(*backend_, false, "pair"), ofPasses(*backend_, false, "pair"),
        ofFault(*backend_, false, "pair");
    const PosteriorAlignment onHost = align({}, ofHost), byPasses = align(kAll, ofPasses);
    EXPECT_EQ(onHost.consistencyOnHost, backend_->isEmulated() ? kEmulatedConsistency : kSmallConsistency);
    EXPECT_EQ(byPasses.consistencyOnHost, "");
    EXPECT_EQ(byPasses.columns, onHost.columns);
    EXPECT_EQ(elementsOf(ofHost), 0U);
    EXPECT_GT(elementsOf(ofPasses), 0U);
    // A shader that is wrong on purpose.
    const std::string name = "align/apply_consistency.frag", right = "vec4(sum, 0.0";
    std::string text = readFile(fs::path(GLYCINE_SOURCE_DIR) / "shaders" / name);
    ASSERT_NE(text.find(right), std::string::npos);
    text.replace(text.find(right), right.size(), "vec4(sum * 0.9, 0.0");
    const TemporaryFolder shaders;
    fs::create_directories((shaders.path() / name).parent_path());
    writeFile(shaders.path() / name, text);
    options.shaderFolder = shaders.path().string();
    EXPECT_THAT(messageOf<WrongResultError>([&] { align(kAll, ofFault); }),
                HasSubstr("posterior after consistency of letter "));
}

INSTANTIATE_TEST_SUITE_P(Dialects, GlConsistency, testing::Values(Dialect::Gl33, Dialect::Es300),
                         [](const auto& one) { return std::string(toString(one.param)); });

// ---- Joins of groups by passes: exactly the host's chains in both dialects, for joins at once and in
// batches, sums of more than 30 bits, and joins that do not fit textures.

class GlJoins : public OnDialects {
  protected:
    /// Returns the joins' note.
    std::string expectChains(glycine::gl::GlBackend& backend, const GroupsOfSequences& all,
                             const PosteriorSet& posteriors) {
        const auto expected =
            joinsOnHost(posteriors, all.weights)->heaviestChains(all.joins, all.residues, progress_);
        const auto joins = joinsByTiles(backend, posteriors, all.weights);
        EXPECT_EQ(joins->heaviestChains(all.joins, all.residues, progress_), expected);
        // Again, in the same textures.
        EXPECT_EQ(joins->heaviestChains(all.joins, all.residues, progress_), expected);
        return joins->note();
    }

    Progress progress_;
};

TEST_P(GlJoins, AreTheHosts) {
    const Sequences sequences = randomSequences({.count = 13, .length = 45, .shortest = 0.3, .seed = 3});
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    for (const std::size_t each : {1U, 3U, 6U})
        for (const std::size_t wider : {1U, 3U})
            EXPECT_EQ(expectChains(*backend_, {sequences, each, 4, wider}, posteriors), "");
}

TEST_P(GlJoins, TakeTheSameOfEqualChains) {
    const Sequences sequences = randomSequences({.count = 12, .length = 30, .seed = 5});
    const PosteriorSet posteriors = roundPosteriors(posteriorsByReference(sequences));
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        GroupsOfSequences all(sequences, 3, seed);
        std::ranges::fill(all.weights, 1.0);
        expectChains(*backend_, all, posteriors);
    }
}

TEST_P(GlJoins, OfEverySize) {
    // All pairs of lengths near multiples of a tile's side, many in one batch.
    Sequences sequences;
    for (const std::size_t first : {1U, 2U, 3U, 4U, 5U, 8U, 9U, 33U})
        for (const std::size_t second : {1U, 3U, 4U, 5U, 7U, 8U, 50U})
            for (const std::size_t length : {first, second})
                sequences.add(std::to_string(sequences.size()), std::string(length, 'W'));
    PosteriorSet posteriors(sequences.size());
    RandomSequence random(9);
    for (std::size_t x = 0; x < sequences.size(); ++x)
        for (std::size_t y = 0; y < x; ++y) {
            std::vector<std::uint32_t> begins{0};
            std::vector<PosteriorEntry> entries;
            for (std::size_t row = 0; row < sequences.codes[x].size(); ++row) {
                // Some pairs have no entries.
                for (std::uint32_t column = 0; column < sequences.codes[y].size() && y % 10 != 4; ++column)
                    if (random.below(4) == 0)
                        entries.push_back({column, static_cast<float>(1 + random.below(99)) / 100});
                begins.push_back(static_cast<std::uint32_t>(entries.size()));
            }
            posteriors.setPair(x, y, SparsePosterior(begins, entries), sequences.codes[y].size());
        }
    expectChains(*backend_, {sequences, 1, 4}, posteriors);
}

TEST_P(GlJoins, OfSumsThatTakeAllBits) {
    const Sequences sequences = randomSequences({.count = 16, .length = 40, .seed = 2});
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    for (const int power : {-40, -4, 9, 40}) {
        GroupsOfSequences all(sequences, 4, 4);
        for (std::size_t x = 0; x < sequences.size(); ++x)
            all.weights[x] *= std::ldexp(1, x % 3 == 0 ? power : 0);
        expectChains(*backend_, all, posteriors);
    }
}

TEST_P(GlJoins, GoInBatchesOrToTheHostWhereTexturesAreSmall) {
    const Sequences sequences = randomSequences({.count = 24, .length = 60, .shortest = 0.5, .seed = 6});
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    const GroupsOfSequences narrow(sequences, 1, 4), wide(sequences, 4, 4, 3);
    for (const auto& [bytes, side] : {std::pair<std::size_t, std::size_t>{0, 64}, {150'000, 0}}) {
        BackendOptions options;
        options.dialect = GetParam();
        options.maxDeviceBytes = bytes;
        options.maxTextureSize = side;
        glycine::gl::GlBackend small(options);
        EXPECT_EQ(expectChains(small, narrow, posteriors), "") << bytes << ", " << side;
        EXPECT_NE(expectChains(small, wide, posteriors).find("6 joins"), std::string::npos);
    }
}

TEST_P(GlJoins, AlignFamiliesAsTheHostDoes) {
    const Sequences sequences = randomFamily({.count = 14, .length = 60, .seed = 3});
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    const std::size_t n = sequences.size();
    std::vector<double> weights(n);
    for (std::size_t x = 0; x < n; ++x) weights[x] = 0.5 + static_cast<double>(x % 4) / 3;
    std::vector<float> distances;
    for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const std::size_t columns = sequences.codes[b].size();
            const auto shorter = static_cast<double>(std::min(sequences.codes[a].size(), columns));
            distances.push_back(
                static_cast<float>(1 - expectedAccuracy(posteriors.pair(a, b), columns) / shorter));
        }
    const trees::Tree tree =
        trees::treeOf(trees::clusterByAverageLinkage(n, std::move(distances), progress_));
    const auto align = [&](GroupJoins& joins) {
        AccuracyAligner aligner(sequences, joins, weights);
        aligner.alignAlong(tree, progress_);
        aligner.refine(12, 7, progress_);
        return std::pair(aligner.columns(), aligner.confidences(progress_));
    };
    EXPECT_EQ(align(*joinsByTiles(*backend_, posteriors, weights)), align(*joinsOnHost(posteriors, weights)));
}

TEST_P(GlJoins, StopWhenCancelledAndGoOn) {
    const Sequences sequences = randomSequences({.count = 8, .length = 30, .seed = 4});
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    const GroupsOfSequences all(sequences, 2, 4);
    const auto joins = joinsByTiles(*backend_, posteriors, all.weights);
    Progress stopped({}, [] { return true; });
    EXPECT_THROW(joins->heaviestChains(all.joins, all.residues, stopped), CancelledError);
    EXPECT_EQ(joins->heaviestChains(all.joins, all.residues, progress_),
              joinsOnHost(posteriors, all.weights)->heaviestChains(all.joins, all.residues, progress_));
}

INSTANTIATE_TEST_SUITE_P(Dialects, GlJoins, testing::Values(Dialect::Gl33, Dialect::Es300),
                         [](const auto& tested) { return std::string(toString(tested.param)); });

// ---- Paths through profiles by fragments, compared with the host's.

using clustalw::expectLinearPaths;
using clustalw::expectPathsOfHost;
using clustalw::linearPairs;
using clustalw::PairsOfProfiles;
using clustalw::ProfilePaths;

class GlProfilePaths : public testing::TestWithParam<Dialect> {
  protected:
    void SetUp() override {
        try {
            backend_ = std::make_unique<glycine::gl::GlBackend>(optionsFor());
        } catch (const UnavailableError& error) {
            GTEST_SKIP() << error.what();
        }
        glycine::gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_THAT(glycine::gl::DebugLog::take(), IsEmpty()); }

    /// Options that limit the sides of textures and the memory; 0: no limit.
    static BackendOptions optionsFor(std::size_t side = 0, std::size_t bytes = 0) {
        BackendOptions options;
        options.dialect = GetParam();
        options.maxTextureSize = side;
        options.maxDeviceBytes = bytes;
        return options;
    }

    std::unique_ptr<glycine::gl::GlBackend> backend_;
};

TEST_P(GlProfilePaths, AreTheHosts) {
    ProfilePaths paths(profilePassesOn(*backend_), 0);
    for (std::uint64_t seed = 0; seed < 3; ++seed)
        expectPathsOfHost(paths, PairsOfProfiles(clustalw::oddSizes(), seed).pairs);
    expectLinearPaths(paths, linearPairs(3).pairs);
    ProfilePaths top(profilePassesOn(*backend_), 5000);
    expectPathsOfHost(top, PairsOfProfiles(clustalw::oddSizes(), 7).pairs);
    EXPECT_TRUE(paths.note().empty());
    EXPECT_TRUE(top.note().empty());
}

TEST_P(GlProfilePaths, MakeTheAlignmentOfTheHost) {
    ProfilePaths paths(profilePassesOn(*backend_), 0);
    clustalw::expectAlignmentsOfHost(paths);
    EXPECT_TRUE(paths.note().empty());
}

TEST_P(GlProfilePaths, GoInPortionsOrToTheHostWhereTexturesAreSmall) {
    const auto noteWith = [&](std::size_t side, std::size_t bytes) {
        glycine::gl::GlBackend small(optionsFor(side, bytes));
        ProfilePaths paths(profilePassesOn(small), 0);
        expectPathsOfHost(paths, PairsOfProfiles(clustalw::oddSizes(), 8).pairs);
        return paths.note();
    };
    glycine::gl::GlBackend portions(optionsFor(128));
    ProfilePaths linear(profilePassesOn(portions), 0);
    expectLinearPaths(linear, linearPairs(4).pairs);
    EXPECT_EQ(noteWith(128, 0), "");
    EXPECT_EQ(noteWith(64, 0), "3 alignments of profiles on the host, for which the device has no room");
    EXPECT_EQ(noteWith(0, std::size_t{1} << 20), "");
    EXPECT_NE(noteWith(0, std::size_t{1} << 15), "");
}

TEST_P(GlProfilePaths, StopOnRequest) {
    const PairsOfProfiles all(clustalw::oddSizes(), 9);
    ProfilePaths paths(profilePassesOn(*backend_), 0);
    int checks = 0;
    Progress cancelled({}, [&] { return ++checks > 50; });
    EXPECT_THROW(paths.align(all.pairs, cancelled), CancelledError);
    expectPathsOfHost(paths, all.pairs);
}

INSTANTIATE_TEST_SUITE_P(Dialects, GlProfilePaths, testing::Values(Dialect::Gl33, Dialect::Es300),
                         [](const auto& dialect) { return std::string(toString(dialect.param)); });

}  // namespace
}  // namespace glycine::align::gl
