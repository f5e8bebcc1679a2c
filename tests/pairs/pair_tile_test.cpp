#include "engine/pairs/pair_tile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::pairs {
namespace {

TEST(PairNumber, CountsAllPairsBelowTheDiagonal) {
    std::size_t number = 0;
    for (std::size_t row = 1; row < 60; ++row)
        for (std::size_t column = 0; column < row; ++column, ++number)
            EXPECT_EQ(pairNumber(number), (PairTile{{row, row + 1}, {column, column + 1}})) << number;
    // Where a double has lost the last digits.
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

/// Notes what is done to which tile, and can fail at one.
struct Steps final : PairSink {
    explicit Steps(std::size_t sets) : sets(sets), held(sets) {}

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
        Progress progress;
        const auto compute = [this](const TileWork& work) {
            if (work.tile == failsToCompute) throw Error("a device is lost");
            ASSERT_LT(work.set, sets);
            computed.push_back(work.tile);
            // What the set has of an earlier tile has been used.
            const std::lock_guard lock(mutex);
            EXPECT_EQ(held[work.set], PairTile{});
            held[work.set] = work.tile;
        };
        const auto finish = [this](const TileWork& work) {
            // Let computing come first where it may.
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
                            *this, progress, {compute, finish});
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

TEST(ComputeTiles, WhatFailsEndsTheLoopAndTilesBeforeItAreStored) {
    const std::vector<PairTile> tiles = tilesBelowDiagonal(50, 7);
    for (const std::size_t sets : {1, 2})
        for (const std::size_t failing : {std::size_t{0}, std::size_t{9}, tiles.size() - 1}) {
            SCOPED_TRACE(testing::Message() << sets << " sets, tile " << failing);
            Steps computing(sets);
            computing.failsToCompute = tiles[failing];
            EXPECT_EQ(test::messageOf<Error>([&] { computing.run(); }), "a device is lost");
            EXPECT_EQ(computing.stored.size(), failing);
            Steps storing(sets);
            storing.failsToStore = tiles[failing];
            EXPECT_EQ(test::messageOf<Error>([&] { storing.run(); }), "no room");
            EXPECT_EQ(storing.stored.size(), failing);
            EXPECT_LE(storing.computed.size(), failing + sets);
        }
}

TEST(TileSets, AreTwoWhereADeviceHasSeveralTiles) {
    const HostBackend cpu("cpu", 1);
    EXPECT_EQ(tileSets(cpu, 100, 10), 1U);
    const test::NamedBackend device("gl");
    EXPECT_EQ(tileSets(device, 100, 10), 2U);
    EXPECT_EQ(tileSets(device, 100, 100), 1U);
}

}  // namespace
}  // namespace glycine::pairs
