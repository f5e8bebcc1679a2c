// Tiles, the loop over them, regions and rows of pairs.
#include <atomic>
#include <mutex>
#include <thread>

#include "engine/core/stopwatch.hpp"
#include "engine/gl/pairs/pair_regions.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/pair_rows.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/test.hpp"

namespace glycine::pairs {
namespace {

TEST(PairNumber, CountsAllPairsBelowTheDiagonal) {
    std::size_t number = 0;
    for (std::size_t row = 1; row < 60; ++row)
        for (std::size_t column = 0; column < row; ++column, ++number)
            EXPECT_EQ(pairNumber(number), (PairTile{{row, row + 1}, {column, column + 1}})) << number;
    // Where double precision loses the last digits.
    const std::size_t n = std::size_t{1} << 31;
    EXPECT_EQ(pairNumber(n * (n - 1) / 2 - 1), (PairTile{{n - 1, n}, {n - 2, n - 1}}));
    EXPECT_EQ(pairNumber(n * (n - 1) / 2), (PairTile{{n, n + 1}, {0, 1}}));
}

TEST(CutTile, PiecesHoldEachPairOnce) {
    for (const PairTile& tile : {PairTile{{10, 45}, {10, 45}}, PairTile{{30, 41}, {3, 25}}}) {
        Matrix<int> hits(64, 64, 0);
        std::size_t pairs = 0;
        for (const PairTile& piece : cutTile(tile, 8)) {
            EXPECT_TRUE(piece.isDiagonal() || piece.columns.end <= piece.rows.begin);
            pairs += piece.pairs();
            for (std::size_t i = piece.rows.begin; i < piece.rows.end; ++i)
                for (std::size_t j = piece.columns.begin; j < std::min(piece.columns.end, i); ++j)
                    ++hits(i, j);
        }
        EXPECT_EQ(pairs, tile.pairs());
        EXPECT_EQ(static_cast<std::size_t>(std::accumulate(hits.data(), hits.data() + hits.size(), 0)),
                  pairs);
        EXPECT_LE(*std::max_element(hits.data(), hits.data() + hits.size()), 1);
    }
}

/// Takes three seconds to store a tile: with two sets of memory, while the next tile (if any) is computed.
struct SlowSink final : PairSink {
    explicit SlowSink(std::size_t count) : sets(count) {}

    void store(const PairTile&, MatrixView<const double>) override {
        while (sets == 2 && stored + 1 < kTiles && begun < stored + 2) std::this_thread::yield();
        Clock::advance(3);
        ++stored;
    }
    TileCount run() {
        const auto compute = [this](const TileWork&) {
            const std::size_t before = begun++;
            while (stored < before) std::this_thread::yield();
        };
        return computeTiles({.instances = 4, .side = 2, .stage = "test", .workPerPair = 1, .sets = sets},
                            *this, silentProgress(), {.compute = compute});
    }

    static constexpr std::size_t kTiles = 3;
    const std::size_t sets;
    std::atomic<std::size_t> begun{0};
    std::atomic<std::size_t> stored{0};
};

TEST(ComputeTiles, ReportsTheTimeOfStoringNextToComputing) {
    const StoppedClock clock;
    const TileCount alone = SlowSink(1).run();
    EXPECT_EQ(alone.storeSeconds, 9);
    EXPECT_EQ(alone.overlapSeconds, 0);
    const TileCount parallel = SlowSink(2).run();
    EXPECT_EQ(parallel.storeSeconds + parallel.overlapSeconds, 9);
    EXPECT_GE(parallel.overlapSeconds, 6) << "the last tile may be waited for";
}

/// Records the steps of each tile, and can fail at one of them.
struct Steps final : PairSink {
    explicit Steps(std::size_t count) : sets(count), held(count) {}

    bool has(const PairTile& tile) const override { return tile == kept; }
    void store(const PairTile& tile, MatrixView<const double> values) override {
        if (tile == failsToStore) throw Error("no room");
        stored.push_back(tile);
        for (std::size_t r = 0; r < tile.rows.size(); ++r)
            for (std::size_t c = 0; c < tile.columns.size(); ++c)
                EXPECT_EQ(values(r, c),
                          2.0 * static_cast<double>(tile.rows.begin * 100 + tile.columns.begin));
    }
    TileCount run() {
        const auto compute = [this](const TileWork& work) {
            if (work.tile == failsToCompute) throw Error("a device is lost");
            ASSERT_LT(work.set, sets);
            computed.push_back(work.tile);
            // The set's results of an earlier tile have been used.
            const std::lock_guard lock(mutex);
            EXPECT_EQ(held[work.set], PairTile{});
            held[work.set] = work.tile;
        };
        const auto finish = [this](const TileWork& work) {
            // Lets computing go first where it may.
            std::this_thread::yield();
            const std::lock_guard lock(mutex);
            EXPECT_EQ(held[work.set], work.tile);
            held[work.set] = {};
            for (std::size_t r = 0; r < work.tile.rows.size(); ++r)
                for (std::size_t c = 0; c < work.tile.columns.size(); ++c)
                    work.values(r, c) =
                        2.0 * static_cast<double>(work.tile.rows.begin * 100 + work.tile.columns.begin);
        };
        return computeTiles({.instances = 50, .side = 7, .stage = "working", .workPerPair = 1, .sets = sets},
                            *this, silentProgress(), {compute, finish});
    }

    std::size_t sets;
    PairTile kept, failsToCompute, failsToStore;
    std::mutex mutex;
    std::vector<PairTile> held, computed, stored;
};

TEST(ComputeTiles, HandsThemOverInOrderWithOneSetOfMemoryOrTwo) {
    for (const std::size_t sets : {1, 2}) {
        SCOPED_TRACE(sets);
        Steps steps(sets);
        std::vector<PairTile> tiles = tilesBelowDiagonal(50, 7);
        steps.kept = tiles[9];
        const TileCount count = steps.run();
        EXPECT_EQ(count.tiles, 36U);
        EXPECT_EQ(count.tilesResumed, 1U);
        tiles.erase(tiles.begin() + 9);
        EXPECT_EQ(steps.stored, tiles);
        EXPECT_EQ(steps.computed, tiles);
    }
}

TEST(ComputeTiles, OfARectangleComputeNoOtherPairs) {
    for (const std::size_t side : {3, 64}) {
        PairStore store({.layout = {20, StoreLayout::Rectangle, 13}, .type = ValueType::Int32});
        std::size_t computed = 0;
        const auto compute = [&](const TileWork& work) {
            for (std::size_t r = 0; r < work.tile.rows.size(); ++r)
                for (std::size_t c = 0; c < work.tile.columns.size(); ++c, ++computed)
                    work.values(r, c) =
                        static_cast<double>((work.tile.rows.begin + r) * 100 + work.tile.columns.begin + c);
        };
        computeTiles({.instances = 20, .side = side, .stage = "working", .workPerPair = 1, .references = 13},
                     store, silentProgress(), {.compute = compute});
        EXPECT_EQ(computed, 7U * 13);
        for (std::size_t i = 13; i < 20; ++i)
            for (std::size_t j = 0; j < 13; ++j)
                EXPECT_EQ(store.value(i, j), static_cast<double>(i * 100 + j));
    }
}

TEST(ComputeTiles, WhatFailsEndsTheLoopAndTilesBeforeItAreStored) {
    const std::vector<PairTile> tiles = tilesBelowDiagonal(50, 7);
    for (const std::size_t sets : {1, 2})
        for (const std::size_t failing : {std::size_t{0}, std::size_t{9}, tiles.size() - 1}) {
            SCOPED_TRACE(testing::Message() << sets << " sets, tile " << failing);
            Steps computing(sets);
            computing.failsToCompute = tiles[failing];
            EXPECT_EQ(messageOf<Error>([&] { computing.run(); }), "a device is lost");
            EXPECT_EQ(computing.stored.size(), failing);
            Steps storing(sets);
            storing.failsToStore = tiles[failing];
            EXPECT_EQ(messageOf<Error>([&] { storing.run(); }), "no room");
            EXPECT_EQ(storing.stored.size(), failing);
            EXPECT_LE(storing.computed.size(), failing + sets);
        }
}

TEST(TileSets, AreTwoWhereADeviceHasSeveralTiles) {
    const HostBackend cpu("cpu", 1);
    EXPECT_EQ(tileSets(cpu, 100, 10), 1U);
    const NamedBackend device("gl");
    EXPECT_EQ(tileSets(device, 100, 10), 2U);
    EXPECT_EQ(tileSets(device, 100, 100), 1U);
}

}  // namespace
}  // namespace glycine::pairs

namespace glycine::pairs::gl {
namespace {

TEST(PairRegions, StepsHoldEverythingBelowTheDiagonal) {
    const PairTexels texels{8, 8};
    for (const std::size_t n : {1, 2, 8, 9, 17, 100, 1000})
        for (const int steps : {1, 4, 64}) {
            const std::vector<glycine::gl::Rectangle> regions = pairRegions({{0, n}, {0, n}}, texels, steps);
            EXPECT_LE(regions.size(), static_cast<std::size_t>(steps));
            int nextRow = 0;
            for (const glycine::gl::Rectangle& region : regions) {
                EXPECT_EQ(region.origin.y, nextRow);
                nextRow += region.size.y;
                const std::size_t lastRow = std::min(n, static_cast<std::size_t>(nextRow) * 8) - 1;
                EXPECT_GE(static_cast<std::size_t>(region.size.x) * 8, lastRow);
            }
            EXPECT_EQ(nextRow, static_cast<int>((n + 7) / 8));
        }
    EXPECT_EQ(pairRegions({{100, 117}, {0, 20}}, texels, 64).size(), 1U);
}

// A row instance in four rows of texels: none of them is cut off, and its columns are distributed over them
// in turn.
TEST(PairRegions, StepsHoldWholeRowsOfSeveralTexelRows) {
    const PairTexels texels{1, 4, 4};
    EXPECT_EQ(texels.shape(glycine::gl::TextureFormat::RGBA32F, 24).size.x, 2);
    EXPECT_EQ(texels.shape(glycine::gl::TextureFormat::RGBA32F, 24).size.y, 96);
    for (const std::size_t n : {1, 2, 4, 5, 16, 17, 33, 100})
        for (const int steps : {1, 4, 64}) {
            const std::vector<glycine::gl::Rectangle> regions = pairRegions({{0, n}, {0, n}}, texels, steps);
            EXPECT_LE(regions.size(), static_cast<std::size_t>(steps));
            int nextRow = 0;
            for (const glycine::gl::Rectangle& region : regions) {
                EXPECT_EQ(region.origin.y, nextRow);
                EXPECT_EQ(region.size.y % 4, 0);
                nextRow += region.size.y;
                EXPECT_GE(static_cast<std::size_t>(region.size.x) * 16,
                          std::min(n, static_cast<std::size_t>(nextRow) / 4) - 1);
            }
            EXPECT_EQ(nextRow, static_cast<int>(4 * n));
        }
    const std::vector<glycine::gl::Rectangle> whole = pairRegions({{100, 117}, {0, 20}}, texels, 64);
    ASSERT_EQ(whole.size(), 1U);
    EXPECT_EQ(whole[0].size.x, 2);
    EXPECT_EQ(whole[0].size.y, 68);
}

}  // namespace
}  // namespace glycine::pairs::gl

namespace glycine::pairs {
namespace {

std::string shortest(double value, ValueType type = ValueType::Float64) {
    char buffer[io::kNumberChars];
    return {buffer, writeValue(buffer, value, type)};
}

TEST(PairValueText, WholeNumbersAsSuch) {
    EXPECT_EQ(shortest(0), "0");
    EXPECT_EQ(shortest(-0.0), "0");
    EXPECT_EQ(shortest(-17), "-17");
    EXPECT_EQ(shortest(2147483648.0, ValueType::Float32), "2147483648");
    EXPECT_EQ(shortest(1e15), "1000000000000000");
}

TEST(PairValueText, ShortestThatReadsBack) {
    EXPECT_EQ(shortest(0.1), "0.1");
    EXPECT_EQ(shortest(0.1F, ValueType::Float32), "0.1");
    EXPECT_EQ(shortest(0.1F), "0.10000000149011612");
    EXPECT_EQ(shortest(1.0 / 3), "0.3333333333333333");
    EXPECT_EQ(shortest(1e300), "1e+300");
    EXPECT_EQ(shortest(kNaN), "nan");
    EXPECT_EQ(shortest(-std::numeric_limits<double>::infinity()), "-inf");
    std::mt19937_64 random(7);
    for (int k = 0; k < 20000; ++k) {
        const double value = std::exp(std::uniform_real_distribution<>(-80, 80)(random));
        EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
        const auto single = static_cast<float>(value);
        EXPECT_EQ(std::strtof(shortest(single, ValueType::Float32).c_str(), nullptr), single);
    }
}

}  // namespace
}  // namespace glycine::pairs
