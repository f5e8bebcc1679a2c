// How shares of the work are handed out to threads and to simulated devices.
#include "engine/core/process_team.hpp"
#include "engine/pairs/tile_sharing.hpp"
#include "tests/core/recorded_team.hpp"
#include "tests/test.hpp"

namespace glycine {
namespace {

struct HeldTiles final : pairs::PairSink {
    bool has(const pairs::PairTile& tile) const override { return std::ranges::count(held, tile) > 0; }
    void store(const pairs::PairTile&, MatrixView<const double>) override {}
    std::vector<pairs::PairTile> held;
};

std::vector<double> workOf(std::size_t instances, std::size_t side, std::size_t devices) {
    std::vector<double> work;
    for (const pairs::PairTile& tile :
         pairs::tilesToShare(pairs::tilesOf(instances, side, 0), side, devices, HeldTiles()))
        work.push_back(static_cast<double>(tile.pairs()));
    return work;
}

TEST(ProcessTeam, CompletesWhatEachProcessMade) {
    for (const std::size_t items : {0, 1, 2, 3, 7, 100}) {
        test::RecordedTeam::Record record;
        std::size_t covered = 0;
        const auto arrays = test::inProcesses(3, 1, record, [&](test::RecordedTeam& team) {
            std::vector<std::uint32_t> array(items);
            const Range own = ownPart(team, items);
            EXPECT_LE(own.size(), items / 3 + 1);
            covered += own.size();
            for (std::size_t i = own.begin; i < own.end; ++i) array[i] = static_cast<std::uint32_t>(i * i);
            completeParts(team, std::as_writable_bytes(std::span(array)), items);
            return array;
        });
        EXPECT_EQ(covered, 2 * items) << "in two rounds";
        for (const std::vector<std::uint32_t>& array : arrays)
            for (std::size_t i = 0; i < items; ++i) ASSERT_EQ(array[i], i * i);
    }
}

TEST(OpenShares, HandsEachOutOnceAndTakesThemBack) {
    OpenShares shares({4, 2, 7}, nullptr);
    std::optional<TakenShare> first = shares.take();
    EXPECT_EQ(first.value().number(), 4U);
    std::size_t other = 0;
    EXPECT_EQ(shares.takeFor(other), ProcessTeam::Next::Share);
    EXPECT_EQ(other, 2U);
    std::optional<TakenShare> last = shares.take();
    EXPECT_EQ(last.value().number(), 7U);
    EXPECT_EQ(shares.takeFor(other), ProcessTeam::Next::Wait) << "one may be given back";
    first->done();
    last.reset();  // as an exception would
    std::optional<TakenShare> again = shares.take();
    EXPECT_EQ(again.value().number(), 7U);
    const TakenShare moved = std::move(*again);
    EXPECT_EQ(moved.number(), 7U);
    again.reset();
    EXPECT_EQ(shares.takeFor(other), ProcessTeam::Next::Wait) << "at work elsewhere";
}

TEST(OpenShares, AreCompleteWhenEachIsDone) {
    OpenShares shares({1, 2}, nullptr);
    std::size_t other = 0;
    EXPECT_EQ(shares.takeFor(other), ProcessTeam::Next::Share);
    shares.take().value().done();
    EXPECT_FALSE(shares.isComplete());
    shares.markDone();
    EXPECT_TRUE(shares.isComplete());
    EXPECT_EQ(shares.takeFor(other), ProcessTeam::Next::End);
    EXPECT_FALSE(shares.take().has_value());
}

TEST(OpenShares, OfACrewWithoutMembersAreAnError) {
    DeviceCrew crew{{0, 1}, {}};
    crew.dropped = {{0, "was wrong"}, {1, "was wrong, too"}};
    OpenShares shares({0}, nullptr);
    AnswerThread answers(nullptr, {}, {});
    EXPECT_EQ(test::messageOf<DeviceError>([&] { actTogether(&crew, shares, answers, {}); }),
              "no device is left: was wrong; was wrong, too");
}

TEST(OpenShares, StopEndsAll) {
    OpenShares shares({0, 1}, nullptr);
    EXPECT_EQ(shares.take().value().number(), 0U);
    shares.stop();
    std::size_t other = 0;
    EXPECT_EQ(shares.takeFor(other), ProcessTeam::Next::End);
    EXPECT_FALSE(shares.take().has_value());
}

TEST(TilesToShare, HoldEachPairOnceAndAreCutAsAStoppedRunHasCutThem) {
    const std::vector<pairs::PairTile> whole = pairs::tilesOf(20, 4, 0);
    ASSERT_EQ(whole.size(), 15U);
    HeldTiles sink;
    EXPECT_EQ(pairs::tilesToShare(whole, 4, 1, sink), whole);
    const auto pairsOf = [](const std::vector<pairs::PairTile>& tiles) {
        std::size_t pairs = 0;
        for (const pairs::PairTile& tile : tiles) pairs += tile.pairs();
        return pairs;
    };
    // The last four of ten whole tiles are cut in four.
    const std::vector<pairs::PairTile> cut = pairs::tilesToShare(whole, 4, 2, sink);
    EXPECT_EQ(cut.size(), 15U + 4 * 3);
    EXPECT_EQ(pairsOf(cut), pairsOf(whole));
    const pairs::PairTile quarter{{18, 20}, {12, 14}};
    ASSERT_EQ(std::ranges::count(cut, quarter), 1);
    sink.held = {quarter, whole[1]};
    const std::vector<pairs::PairTile> resumed = pairs::tilesToShare(whole, 4, 1, sink);
    EXPECT_EQ(resumed.size(), 15U + 3);
    EXPECT_EQ(pairsOf(resumed), pairsOf(whole));
    EXPECT_EQ(std::ranges::count(resumed, quarter), 1);
    EXPECT_EQ(std::ranges::count(resumed, whole[1]), 1);
}

TEST(TilesToShare, AreCutAgainAsTheProcessorHasCutThem) {
    const std::vector<pairs::PairTile> whole = pairs::tilesOf(256, 64, 0);
    HeldTiles sink;
    const pairs::PairTile sixteenth{{80, 96}, {16, 32}};
    const pairs::PairTile ofDiagonal{{144, 160}, {128, 144}};
    sink.held = {sixteenth, ofDiagonal};
    const std::vector<pairs::PairTile> resumed = pairs::tilesToShare(whole, 64, 1, sink);
    EXPECT_EQ(resumed.size(), whole.size() - 2 + 16 + 10);
    EXPECT_EQ(std::ranges::count(resumed, sixteenth), 1);
    EXPECT_EQ(std::ranges::count(resumed, ofDiagonal), 1);
    std::size_t pairs = 0;
    for (const pairs::PairTile& tile : resumed) pairs += tile.pairs();
    EXPECT_EQ(pairs, 256U * 255 / 2);
}

// By hand: the device of speed 2 ends its two shares of 4 at 2 and 4, the one of speed 1 its share of 4 at 4;
// the share of 1 then ends at 4.5.
TEST(SimulatedShares, OfTwoDevices) {
    const SimulatedRun run = simulateShares({1, 4, 4, 4}, {2, 1});
    EXPECT_EQ(run.seconds, 4.5);
    EXPECT_THAT(run.devices, ElementsAre(0, 0, 1, 0));
    EXPECT_DOUBLE_EQ(run.efficiency, 13 / (3 * 4.5));
    EXPECT_EQ(simulateShares({}, {1}).seconds, 0);
}

TEST(SimulatedShares, StragglersOfHalfTheSpeedCostAFewPercent) {
    // At least 36 tiles per side: ten or more for each of 64 devices.
    for (const std::size_t perSide : {36, 37, 40, 48, 64, 91})
        for (const std::size_t stragglers : {0, 1, 4, 8, 16, 32}) {
            std::vector<double> speeds(64, 1);
            std::fill_n(speeds.begin(), stragglers, 0.5);
            EXPECT_GE(simulateShares(workOf(perSide * 100, 100, 64), speeds).efficiency, 0.95)
                << perSide << " tiles a side, " << stragglers << " stragglers";
        }
}

}  // namespace
}  // namespace glycine
