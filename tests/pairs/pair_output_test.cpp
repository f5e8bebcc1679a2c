// The loop over tiles, and where values lie until their files are written.
#include "engine/pairs/files/pair_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::pairs {
namespace {

namespace fs = std::filesystem;
using test::messageOf;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr TileLoop kLoop{.instances = 5, .side = 2, .stage = "counting", .workPerPair = 10};

/// Leaves 10·row + column in each pair; cancels the run before tile `stopAt`.
struct Filler {
    std::size_t stopAt = 100;
    std::vector<PairTile> tiles{};
    TileCount count{};
    double fraction = 0;

    void operator()(PairSink& sink) {
        Progress progress([this](const ProgressUpdate& update) { fraction = update.fraction; });
        const auto compute = [&](const TileWork& work) {
            const PairTile& tile = work.tile;
            if (tiles.size() == stopAt) throw CancelledError("stopped");
            tiles.push_back(tile);
            for (std::size_t r = 0; r < tile.rows.size(); ++r)
                for (std::size_t c = 0; c < tile.columns.size(); ++c)
                    work.values(r, c) =
                        static_cast<double>(10 * (tile.rows.begin + r) + tile.columns.begin + c);
            progress.advance(static_cast<double>(tile.pairs()) * kLoop.workPerPair);
        };
        count = computeTiles(kLoop, sink, progress, {compute});
    }
};

PairOutput outputAt(const fs::path& file, std::size_t tile) {
    return {file, {{5, StoreLayout::Square}, ValueType::Int32, 0}, tile, [] { return "a: 1\n"; }, false};
}

TEST(PairOutput, IsInMemoryWhereOneTileHoldsAll) {
    const TemporaryFolder folder;
    PairOutput output(
        folder / "out.npy", {{5, StoreLayout::Square}, ValueType::Int32, 0}, 5,
        []() -> std::string { throw Error("nobody asks"); }, false);
    Filler filler;
    output.fill(std::ref(filler));
    EXPECT_EQ(filler.tiles.size(), 6U);
    EXPECT_EQ(filler.fraction, 1);
    EXPECT_EQ(output.store().value(1, 4), 41);
    EXPECT_FALSE(output.becomes(folder / "out.npy"));
    output.finish();
    EXPECT_TRUE(fs::is_empty(folder.path()));
    Filler stopped{.stopAt = 2};
    PairOutput again(
        folder / "out.npy", {{5, StoreLayout::Square}, ValueType::Int32, 0}, 5, [] { return ""; }, false);
    EXPECT_EQ(messageOf<CancelledError>([&] { again.fill(std::ref(stopped)); }), "stopped");
}

TEST(PairOutput, SaysNothingOfTilesThatAreNotThere) {
    const TemporaryFolder folder;
    {
        PairOutput output = outputAt(folder / "out.npy", 2);
        Filler filler{.stopAt = 0};
        EXPECT_EQ(messageOf<CancelledError>([&] { output.fill(std::ref(filler)); }), "stopped");
    }
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

/// Fills tiles, then throws.
template <class Failure>
void failAfterTwoTiles(PairOutput& output) {
    output.fill([](PairSink& sink) {
        Filler filler{.stopAt = 2};
        try {
            filler(sink);
        } catch (const CancelledError&) {
            throw Failure("a reason");
        }
    });
}

TEST(PairOutput, KeepsNothingForARunThatCanNeverGoOn) {
    const TemporaryFolder folder;
    {
        PairOutput output = outputAt(folder / "out.npy", 2);
        EXPECT_THROW(failAfterTwoTiles<InputError>(output), InputError);
        EXPECT_TRUE(fs::is_empty(folder.path()));
    }
    {
        PairOutput output = outputAt(folder / "out.npy", 2);
        EXPECT_THROW(failAfterTwoTiles<UsageError>(output), UsageError);
    }
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(PairOutput, KeepsNothingWhenAnOutputIsImpossible) {
    const TemporaryFolder folder;
    PairOutput output = outputAt(folder / "out.npy", 2);
    Filler filler;
    output.fill(std::ref(filler));
    EXPECT_FALSE(fs::is_empty(folder.path()));
    EXPECT_THROW(output.tellWhatIsKept([] { throw InputError("two names become one"); }), InputError);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(PairOutput, KeepsTilesWhereTheSameRunMayGoOn) {
    const TemporaryFolder folder;
    {
        PairOutput output = outputAt(folder / "out.npy", 2);
        EXPECT_THROW(failAfterTwoTiles<UnreadableInputError>(output), UnreadableInputError);
    }
    {
        PairOutput output = outputAt(folder / "out.npy", 2);
        EXPECT_THROW(failAfterTwoTiles<DeviceError>(output), DeviceError);
    }
    PairOutput output = outputAt(folder / "out.npy", 2);
    Filler filler;
    output.fill(std::ref(filler));
    EXPECT_EQ(filler.count.tilesResumed, 4U);
}

TEST(PairOutput, GoesOnAfterAStopAndBecomesTheFile) {
    const TemporaryFolder folder;
    const fs::path file = folder / "out.npy";
    {
        PairOutput output = outputAt(file, 2);
        Filler filler{.stopAt = 4};
        EXPECT_THAT(
            messageOf<CancelledError>([&] { output.fill(std::ref(filler)); }),
            HasSubstr("finished tiles are kept in " + file.string() + ".unfinished: the same command"));
    }
    PairOutput output = outputAt(file, 2);
    Filler filler;
    output.fill(std::ref(filler));
    EXPECT_EQ(filler.count.tiles, 6U);
    EXPECT_EQ(filler.count.tilesResumed, 4U);
    EXPECT_THAT(filler.tiles, ElementsAre(PairTile{{4, 5}, {2, 4}}, PairTile{{4, 5}, {4, 5}}));
    EXPECT_TRUE(output.becomes(file));
    EXPECT_FALSE(output.becomes(folder / "other.npy"));
    output.finish();
    EXPECT_TRUE(fs::exists(file));
    EXPECT_FALSE(fs::exists(file.string() + ".unfinished"));
}

TEST(PairOutput, GoesWhereOthersAreWritten) {
    const TemporaryFolder folder;
    PairOutput output = outputAt(folder / "out.tsv", 2);
    Filler filler;
    output.fill(std::ref(filler));
    EXPECT_FALSE(output.becomes(folder / "out.tsv"));
    EXPECT_EQ(output.store().value(4, 3), 43);
    output.finish();
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace glycine::pairs
