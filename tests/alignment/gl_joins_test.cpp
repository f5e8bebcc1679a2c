// Joins of groups by passes: the chains that the host finds, to the last pair of columns, in either dialect;
// joins side by side and in batches, numbers of more than 30 bits, and what textures have no room for.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/posterior_alignment.hpp"
#include "engine/core/error.hpp"
#include "engine/gl/alignment/tile_posteriors.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "engine/trees/clustering.hpp"
#include "tests/alignment/join_fixtures.hpp"
#include "tests/alignment/posterior_fixtures.hpp"
#include "tests/gl/gl_test_backend.hpp"

namespace glycine::align::gl {
namespace {

using glycine::test::OwnedBackend;
using glycine::test::sharedBackend;

class GlJoins : public testing::TestWithParam<Dialect> {
  protected:
    void SetUp() override {
        OwnedBackend& shared = sharedBackend(GetParam());
        if (!shared.backend) GTEST_SKIP() << shared.reason;
        backend_ = shared.backend.get();
        glycine::gl::DebugLog::take();
    }
    void TearDown() override { EXPECT_TRUE(glycine::gl::DebugLog::take().empty()); }

    /// Returns what the joins have to say.
    std::string expectChains(glycine::gl::GlBackend& backend, const GroupsOfSequences& all,
                             const PosteriorSet& posteriors) {
        const auto expected =
            joinsOnHost(posteriors, all.weights)->heaviestChains(all.joins, all.residues, progress_);
        const auto joins = joinsByTiles(backend, posteriors, all.weights);
        EXPECT_EQ(joins->heaviestChains(all.joins, all.residues, progress_), expected);
        // A second time in the same textures.
        EXPECT_EQ(joins->heaviestChains(all.joins, all.residues, progress_), expected);
        return joins->note();
    }

    glycine::gl::GlBackend* backend_ = nullptr;
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
    // All pairs of lengths around those of tiles, many in one batch.
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
                // Of some pairs nothing is left.
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

}  // namespace
}  // namespace glycine::align::gl
