// Posteriors on `gl` where the suite of all backends does not come: tiles for few render targets, either kind
// of lookups, stretches of forward sums that are computed once more, many columns of slots; and the plans,
// which need no device.
#include <gtest/gtest.h>

#include <string>

#include "engine/alignment/posterior/recount_stages.hpp"
#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/gl/alignment/tile_posteriors.hpp"
#include "engine/gl/framework/context.hpp"
#include "engine/sequences/random_sequences.hpp"

namespace glycine::align::gl {
namespace {

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

    /// The reference's posteriors, on a device with so much memory and textures of such sides (0: what it
    /// has); returns batches whose forward sums were not all kept.
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
            createPosteriorEngine(reference_)->start(sequences)->posteriors(progress_);
        Comparison comparison = equalSoFar(kPosteriorTolerance);
        comparison.isAbsolute = true;
        for (std::size_t x = 0; x < sequences.size(); ++x)
            for (std::size_t y = 0; y < sequences.size(); ++y)
                if (x != y)
                    comparePair(expected.pair(x, y), found.pair(x, y),
                                std::to_string(x) + " and " + std::to_string(y), comparison);
        EXPECT_TRUE(comparison.agrees()) << comparison.place;
        EXPECT_EQ(run.unsound(), 0U);
        return run.stretched();
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
    // A stretch of several anti-diagonals, some of pairs that end earlier.
    const Sequences longer = randomSequences({.count = 5, .length = 400, .shortest = 0.7, .seed = 4});
    EXPECT_GT(expectPosteriors(longer, {6, true}, std::size_t{6} << 20), 0U);
}

TEST_F(TilePosteriorStyles, ManyColumnsOfSlots) {
    const Sequences sequences = randomSequences({.count = 12, .length = 100, .shortest = 0.4, .seed = 3});
    expectPosteriors(sequences, {6, false}, 0, 96);
}

// What is planned fits, and a byte less than the least is refused with both figures.
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

}  // namespace
}  // namespace glycine::align::gl
