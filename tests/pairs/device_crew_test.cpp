// A loop over tiles that several devices share.
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "engine/core/error.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/host_memory.hpp"
#include "engine/distance/distance.hpp"
#include "engine/distance/kinship.hpp"
#include "engine/distance/random_data.hpp"
#include "engine/pairs/pair_store.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "engine/pairs/tile_sharing.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/gl/gl_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::pairs {
namespace {

constexpr std::size_t kSharedInstances = 50;

/// Checks that each value arrives in the right place, and counts how often.
struct CountingSink final : PairSink {
    void store(const PairTile& tile, MatrixView<const double> values) override {
        EXPECT_FALSE(isStoring.exchange(true)) << "two tiles at once";
        for (std::size_t r = 0; r < tile.rows.size(); ++r)
            for (std::size_t c = 0; c < tile.columns.size(); ++c) {
                ++hits(tile.rows.begin + r, tile.columns.begin + c);
                EXPECT_EQ(values(r, c), numberOf(tile.rows.begin + r, tile.columns.begin + c));
            }
        isStoring = false;
    }
    bool has(const PairTile& tile) const override {
        return kept && tile.rows == kept->rows && tile.columns == kept->columns;
    }
    static double numberOf(std::size_t row, std::size_t column) {
        return static_cast<double>(1000 * row + column);
    }
    bool isComplete() const {
        for (std::size_t i = 0; i < kSharedInstances; ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (hits(i, j) != 1) return false;
        return true;
    }
    Matrix<int> hits{kSharedInstances, kSharedInstances, 0};
    std::atomic<bool> isStoring = false;
    std::optional<PairTile> kept;  ///< of an earlier run
};

/// Devices, some of which fail after a number of tiles.
struct Crew {
    Crew(std::size_t devices, std::map<int, std::size_t> failing, bool withHost = false)
        : failsAfter(std::move(failing)) {
        DeviceCrew crew;
        for (std::size_t k = 0; k < devices; ++k) crew.devices.push_back(static_cast<int>(k));
        hasHost = withHost;
        if (withHost) crew.devices.push_back(DeviceCrew::kHost);
        crew.make = [](int device) { return std::make_unique<NamedBackend>(std::to_string(device)); };
        first.setCrew(std::move(crew));
    }
    TileCount run(PairSink& sink, Progress& progress = silentProgress()) {
        return computeTiles(
            {.instances = kSharedInstances,
             .side = 7,
             .stage = "working",
             .workPerPair = 1,
             .sets = 2,
             .isExact = isExact},
            sink, progress, first, [this](Backend& device) {
                const int index = std::stoi(std::string(device.name()));
                if (index == refusing) throw UnavailableError("is too small");
                const auto tiles = std::make_shared<std::size_t>(0);
                return TileSteps{
                    .compute =
                        [this, index, tiles](const TileWork& work) {
                            // Each device but cpu gets a tile, and those that fail do so before others
                            // take all tiles.
                            if ((*tiles)++ == 0) ++begun;
                            const auto failing = failsAfter.find(index);
                            const bool isFailing = failing != failsAfter.end();
                            if (isFailing && *tiles > failing->second) {
                                ++failed;
                                throw DeviceError("fell off the bus");
                            }
                            if (index != DeviceCrew::kHost && *tiles == 1) std::this_thread::sleep_for(pause);
                            while (waitsForAll && (begun < first.crew()->devices.size() - (hasHost ? 1 : 0) ||
                                                   (!isFailing && failed < failsAfter.size())))
                                std::this_thread::yield();
                            for (std::size_t r = 0; r < work.tile.rows.size(); ++r)
                                for (std::size_t c = 0; c < work.tile.columns.size(); ++c)
                                    work.values(r, c) = CountingSink::numberOf(work.tile.rows.begin + r,
                                                                               work.tile.columns.begin + c);
                        },
                    .finish =
                        [this, index](const TileWork& work) {
                            if (finish) finish(index, work.tile);
                        },
                    .stored =
                        [this](std::size_t set) {
                            EXPECT_LT(set, 2U);
                            ++stored;
                        },
                    .end =
                        [this, index] {
                            ++ended;
                            if (index == failingEnd) throw DeviceError("has lost its counters");
                        }};
            });
    }

    NamedBackend first{"0"};
    std::map<int, std::size_t> failsAfter;  ///< number of tiles, by device
    int refusing = -2;                      ///< none
    int failingEnd = -2;                    ///< none
    bool hasHost = false;
    bool waitsForAll = true;
    std::chrono::milliseconds pause{0};  ///< of each device, in its first tile
    bool isExact = true;
    std::function<void(int device, const PairTile& tile)> finish;  ///< runs in parallel with the next tile
    std::atomic<std::size_t> begun = 0, failed = 0;
    std::atomic<std::size_t> stored = 0;
    std::size_t ended = 0;  ///< not atomic: devices end one at a time
};

TEST(DeviceCrew, SharesTheTiles) {
    for (const std::size_t devices : {2, 3}) {
        Crew crew(devices, {});
        CountingSink sink;
        const TileCount count = crew.run(sink);
        EXPECT_TRUE(sink.isComplete());
        ASSERT_EQ(count.shares.size(), devices);
        std::size_t tiles = 0;
        for (const DeviceShare& share : count.shares) {
            EXPECT_GT(share.tiles, 0U);
            EXPECT_EQ(share.failure, "");
            tiles += share.tiles;
        }
        EXPECT_EQ(tiles, 36U + 2 * devices * 3) << "the last two a device are cut in four";
        EXPECT_EQ(crew.ended, devices);
    }
}

TEST(DeviceCrew, ADeviceThatFailsCostsItsShareNotTheRun) {
    for (const int failing : {0, 1, 2})
        for (const std::size_t after : {0, 1, 3}) {
            SCOPED_TRACE(testing::Message() << "device " << failing << " after " << after);
            Crew crew(3, {{failing, after}});
            CountingSink sink;
            const TileCount count = crew.run(sink);
            EXPECT_TRUE(sink.isComplete());
            EXPECT_EQ(count.shares[std::size_t(failing)].failure, "fell off the bus");
            EXPECT_EQ(count.shares[std::size_t(failing)].tiles, after);
            EXPECT_EQ(crew.ended, 3U) << "what the failed one found before counts";
        }
}

TEST(DeviceCrew, ADeviceThatCannotDoTheWorkIsLeftOut) {
    Crew crew(2, {});
    crew.waitsForAll = false;
    crew.refusing = 1;
    CountingSink sink;
    const TileCount count = crew.run(sink);
    EXPECT_TRUE(sink.isComplete());
    EXPECT_EQ(count.shares[1].failure, "is too small");
    EXPECT_EQ(count.shares[0].tiles, 36U + 12);
}

TEST(DeviceCrew, WithoutAnyDeviceLeftTheRunFails) {
    Crew crew(2, {{0, 2}, {1, 1}});
    CountingSink sink;
    EXPECT_EQ(messageOf<DeviceError>([&] { crew.run(sink); }), "fell off the bus");
    EXPECT_FALSE(sink.isComplete());
}

const PairTile kLastTile{{49, 50}, {49, 50}};

TEST(DeviceCrew, ATileThatCouldNotBeStoredIsComputedByAnother) {
    // A tile is stored while the next one is computed; the last tile is stored alone.
    for (const PairTile& tile : {PairTile{{0, 7}, {0, 7}}, PairTile{{7, 14}, {0, 7}}, kLastTile}) {
        SCOPED_TRACE(testing::Message() << "rows from " << tile.rows.begin);
        Crew crew(2, {});
        std::atomic<int> failing = -1;
        crew.finish = [&](int device, const PairTile& stored) {
            int nobody = -1;
            if (stored == tile && failing.compare_exchange_strong(nobody, device))
                throw DeviceError("fell off the bus");
        };
        CountingSink sink;
        const TileCount count = crew.run(sink);
        EXPECT_TRUE(sink.isComplete());
        EXPECT_EQ(count.shares[std::size_t(failing)].failure, "fell off the bus");
        EXPECT_EQ(count.shares[0].tiles + count.shares[1].tiles, count.tiles);
        EXPECT_EQ(crew.ended, 2U);
        EXPECT_EQ(crew.stored, count.tiles) << "the one that failed does not count";
    }
}

TEST(DeviceCrew, CountersThatAreLostAtTheEndFailTheRun) {
    for (const int device : {0, 1}) {
        Crew crew(2, {});
        crew.failingEnd = device;
        CountingSink sink;
        EXPECT_EQ(messageOf<DeviceError>([&] { crew.run(sink); }), "has lost its counters");
        EXPECT_TRUE(sink.isComplete()) << "another run need not compute them again";
        EXPECT_EQ(crew.ended, 2U);
    }
}

/// Loses one tile, as if its device had failed in between.
struct LosingSink final : PairSink {
    explicit LosingSink(bool isWhole) : isWhole_(isWhole) {}
    void store(const PairTile&, MatrixView<const double>) override { lose(); }
    void store(const PairTile&, const WholeTile&) override { lose(); }
    bool acceptsWholeNumbers() const override { return isWhole_; }
    void lose() {
        if (++stored == 2) throw DeviceError("fell off the bus");
    }
    bool isWhole_;
    std::size_t stored = 0;
};

TEST(DeviceCrew, PairsOfALostTileAreCountedOnce) {
    const auto genotypes = distance::randomGenotypes({.instances = 40, .attributes = 6, .missing = 0.6});
    const distance::DataView data{.discrete = genotypes.get()};
    const std::pair<distance::Measure, bool> cases[] = {{distance::Measure::Mismatch, false},
                                                        {distance::Measure::Mismatch, true},
                                                        {distance::Measure::King, false},
                                                        {distance::Measure::Grm, false}};
    for (const std::pair<distance::Measure, bool>& one : cases) {
        const distance::Measure measure = one.first;
        const bool isWhole = one.second;
        SCOPED_TRACE(testing::Message() << toString(measure) << (isWhole ? ", whole numbers" : ""));
        const auto compute = [&](HostBackend& backend, PairSink& sink, distance::KinshipTable& table) {
            distance::DistanceOptions options{.measure = measure, .leastInCommon = 2, .tile = 10};
            if (measure == distance::Measure::King) options.kinships = &table;
            return distance::computeDistances(backend, data, options, sink, silentProgress());
        };
        HostBackend single("cpu", 1), several("cpu", 1);
        several.setCrew({{0, 1}, [](int) { return std::make_unique<HostBackend>("cpu", 1); }});
        PairStore store({.layout = {.instances = 40}});
        LosingSink losing(isWhole);
        distance::KinshipTable expected{.least = 0, .pairs = {}}, table = expected;
        const distance::DistanceReport alone = compute(single, store, expected);
        const distance::DistanceReport shared = compute(several, losing, table);
        EXPECT_NE(shared.shares[0].failure, shared.shares[1].failure);
        EXPECT_GT(alone.undefinedPairs, 0U);
        EXPECT_EQ(shared.undefinedPairs, alone.undefinedPairs);
        EXPECT_EQ(table.pairs.size(), expected.pairs.size());
    }
}

TEST(DeviceCrew, WhatTheOnlyDeviceCannotDoFails) {
    // MemoryError is an UnavailableError.
    for (const bool isComputing : {true, false})
        for (const bool isOfDevice : {true, false})
            for (const PairTile& tile : {PairTile{{7, 14}, {0, 7}}, kLastTile}) {
                const auto act = [&](const PairTile& atWork) {
                    if (atWork != tile) return;
                    if (isOfDevice) throw DeviceError("this fails");
                    throw MemoryError("this fails");
                };
                CountingSink sink;
                TileSteps steps{.compute =
                                    [&](const TileWork& work) {
                                        if (isComputing) act(work.tile);
                                        for (std::size_t r = 0; r < work.tile.rows.size(); ++r)
                                            for (std::size_t c = 0; c < work.tile.columns.size(); ++c)
                                                work.values(r, c) = CountingSink::numberOf(
                                                    work.tile.rows.begin + r, work.tile.columns.begin + c);
                                    },
                                .finish =
                                    [&](const TileWork& work) {
                                        if (!isComputing) act(work.tile);
                                    }};
                const TileLoop loop{.instances = kSharedInstances, .side = 7, .stage = "working", .sets = 2};
                EXPECT_EQ(messageOf<Error>([&] { computeTiles(loop, sink, silentProgress(), steps); }),
                          "this fails")
                    << isComputing << isOfDevice << tile.rows.begin;
                EXPECT_EQ(sink.hits(tile.rows.begin, tile.columns.begin), 0);
            }
}

TEST(DeviceCrew, StopsWhereTheUserWantsIt) {
    Crew crew(2, {});
    CountingSink sink;
    Progress progress({}, [&] { return crew.begun == 2; });
    EXPECT_THROW(crew.run(sink, progress), CancelledError);
    EXPECT_FALSE(sink.isComplete());
}

// cpu takes tiles if it is faster than a tenth of the devices, so they are slowed down until even a processor
// that others keep busy is.
TEST(DeviceCrew, TheProcessorTakesTilesToo) {
    TileCount count;
    for (std::chrono::milliseconds pause(50); pause <= std::chrono::seconds(20); pause *= 4) {
        Crew crew(2, {}, true);
        crew.pause = pause;
        CountingSink sink;
        count = crew.run(sink);
        EXPECT_TRUE(sink.isComplete());
        ASSERT_EQ(count.shares.size(), 3U);
        if (count.shares[2].tiles > 0) break;
    }
    EXPECT_EQ(count.shares[2].device, DeviceCrew::kHost);
    EXPECT_GT(count.shares[2].tiles, 0U);
    EXPECT_EQ(count.tiles, count.shares[0].tiles + count.shares[1].tiles + count.shares[2].tiles);
    double pairs = 0;
    for (const DeviceShare& share : count.shares) pairs += share.pairs;
    EXPECT_EQ(pairs, kSharedInstances * (kSharedInstances - 1) / 2);
}

TEST(DeviceCrew, TheProcessorEndsWhatDevicesCannot) {
    Crew crew(2, {{0, 1}, {1, 2}}, true);
    CountingSink sink;
    const TileCount count = crew.run(sink);
    EXPECT_TRUE(sink.isComplete());
    EXPECT_EQ(count.shares[0].tiles, 1U);
    EXPECT_EQ(count.shares[1].tiles, 2U);
    EXPECT_EQ(count.shares[2].tiles, count.tiles - 3);
}

TEST(DeviceCrew, TheProcessorIsLeftOutWhereItsValuesWouldDiffer) {
    Crew crew(1, {}, true);
    crew.waitsForAll = false;
    crew.isExact = false;
    CountingSink sink;
    const TileCount count = crew.run(sink);
    EXPECT_TRUE(sink.isComplete());
    EXPECT_EQ(count.shares[0].tiles, 36U);
    EXPECT_THAT(count.shares[1].failure, testing::HasSubstr("last bits"));
}

TEST(DeviceCrew, TheProcessorContinuesATileThatWasBegunInPieces) {
    CountingSink sink;
    sink.kept = PairTile{{9, 11}, {2, 4}};  // one of sixteen pieces of the tile [7, 14) × [0, 7)
    Crew crew(1, {}, true);
    crew.waitsForAll = false;
    const TileCount count = crew.run(sink);
    EXPECT_EQ(count.tilesResumed, 1U);
    EXPECT_EQ(sink.hits(9, 2), 0);
    EXPECT_EQ(sink.hits(10, 4), 1);
    EXPECT_EQ(sink.hits(11, 2), 1);
    sink.hits(9, 2) = sink.hits(9, 3) = sink.hits(10, 2) = sink.hits(10, 3) = 1;
    EXPECT_TRUE(sink.isComplete());
}

TEST(TileSharing, TheProcessorTakesTheLargestPieceThatPays) {
    const PairTile tile{{8, 16}, {0, 8}};
    const auto pieces = [&](double most) {
        return piecesForHost(tile, [most](double pairs) { return pairs <= most; });
    };
    EXPECT_EQ(pieces(64).size(), 1U);
    EXPECT_EQ(pieces(63).size(), 4U);
    EXPECT_EQ(pieces(15).size(), 16U);
    EXPECT_EQ(pieces(3).size(), 0U);
    double pairs = 0;
    for (const PairTile& piece : pieces(15)) pairs += static_cast<double>(piece.pairs());
    EXPECT_EQ(pairs, 64);
}

TEST(TilePace, LetsNobodyWaitForASlowMember) {
    TilePace pace(1000, 2);
    EXPECT_EQ(pace.secondsOfOthers(1), std::nullopt);
    EXPECT_FALSE(pace.pays(1, 10, 1e9)) << "the device has finished no tile yet";
    pace.finished(0, 100, 1);  // 900 pairs are left, which take it 9 s
    EXPECT_TRUE(pace.pays(1, 140, 20)) << "7 s, and the others take 7.6 s";
    EXPECT_FALSE(pace.pays(1, 180, 20)) << "9 s, and the others take 7.2 s";
    EXPECT_FALSE(pace.pays(1, 10, 10)) << "it is less than a tenth of all";
    EXPECT_EQ(pace.secondsOfOthers(1), 9);
    pace.left(0);
    EXPECT_TRUE(pace.pays(1, 900, 1)) << "nobody else is there";
    EXPECT_EQ(pace.secondsOfOthers(1), std::numeric_limits<double>::infinity());
}

// Each context on a thread of its own; the same device twice, to work on machines with a single one.
TEST(DeviceCrew, OpenGlContextsShareDistances) {
    const test::OwnedBackend own({});
    if (!own.backend) GTEST_SKIP() << own.reason;
    glycine::gl::GlBackend& gl = *own.backend;
    const auto genotypes = distance::randomGenotypes({.instances = 60, .attributes = 500, .missing = 0.1});
    const distance::DataView data{.discrete = genotypes.get()};
    const auto distances = [&] {
        PairStore store({.layout = {.instances = 60}});
        const distance::DistanceReport report = distance::computeDistances(
            gl, data, {.measure = distance::Measure::Allele, .missing = distance::MissingRule::Weighted},
            store, silentProgress());
        std::vector<double> values(std::size_t{60} * 60);
        store.readBlock({0, 60}, {0, 60}, {values.data(), 60, 60});
        return std::pair(values, report.shares);
    };
    const auto alone = distances();
    EXPECT_TRUE(alone.second.empty());
    gl.setCrew({{0, 0}, [](int) { return std::make_unique<glycine::gl::GlBackend>(BackendOptions{}); }});
    const auto shared = distances();
    EXPECT_TRUE(shared.first == alone.first);
    ASSERT_EQ(shared.second.size(), 2U);
    EXPECT_EQ(shared.second[0].failure + shared.second[1].failure, "");
}

}  // namespace
}  // namespace glycine::pairs
