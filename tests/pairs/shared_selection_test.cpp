// Selections of pairs whose tiles several processes have: the lead's result is that of one process.
#include "engine/pairs/shared_selection.hpp"

#include <cmath>
#include <limits>

#include "engine/pairs/nearest_pairs.hpp"
#include "engine/storage/identity.hpp"
#include "tests/core/recorded_team.hpp"
#include "tests/test.hpp"

namespace glycine::pairs::selections {
namespace {

using test::inProcesses;
using test::RecordedTeam;

constexpr std::size_t kInstances = 31;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Few different values, so that many pairs are equally near; some pairs have none.
double valueOf(std::size_t row, std::size_t column) {
    const std::size_t number = row * 13 + column * column * 7;
    return number % 11 == 0 ? kNone : static_cast<double>(number % 17);
}

/// Stores every tile that belongs to `rank`.
void storeTiles(PairSink& sink, std::size_t references, std::size_t rank, std::size_t processes) {
    std::vector<PairTile> tiles = tilesBelowDiagonal(kInstances, 5);
    if (references > 0) tiles = cutTile({{references, kInstances}, {0, references}}, 5);
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        if (t % processes != rank) continue;
        Matrix<double> values(tiles[t].rows.size(), tiles[t].columns.size(), 0);
        for (std::size_t r = 0; r < values.rows(); ++r)
            for (std::size_t c = 0; c < tiles[t].columnsOf(r); ++c)
                values(r, c) = valueOf(tiles[t].rows.begin + r, tiles[t].columns.begin + c);
        sink.store(tiles[t], std::as_const(values).view());
    }
}

void expectSame(const ValueSummary& one, const ValueSummary& other) {
    EXPECT_EQ(one.pairs, other.pairs);
    EXPECT_EQ(one.undefined, other.undefined);
    EXPECT_EQ(one.identical, other.identical);
    EXPECT_EQ(one.mean, other.mean);
    EXPECT_EQ(one.smallest, other.smallest);
    EXPECT_EQ(one.largest, other.largest);
    for (int k = 0; k < 2; ++k) {
        EXPECT_EQ(one.smallestPair[k], other.smallestPair[k]);
        EXPECT_EQ(one.largestPair[k], other.largestPair[k]);
    }
}

TEST(SharedSelection, CloseOnesOfAllProcessesReachTheLead) {
    for (const double largest : {-1.0, 4.0, 20.0}) {
        ClosePairs whole(kInstances, ValueType::Float64, largest, 0);
        storeTiles(whole, 0, 0, 1);
        RecordedTeam::Record record;
        const auto results = inProcesses(3, 3, record, [&](RecordedTeam& team) {
            ClosePairs own(kInstances, ValueType::Float64, largest, 0);
            storeTiles(own, 0, team.rank(), 3);
            own.moveToLead(team);
            return std::pair(own.sorted(), own.summary());
        });
        EXPECT_EQ(results[0].first, whole.sorted());
        expectSame(results[0].second, whole.summary());
        EXPECT_TRUE(results[1].first.empty()) << "freed";
        EXPECT_EQ(whole.sorted().empty(), largest < 0);
    }
}

TEST(SharedSelection, NeighboursInTilesOfAllProcessesReachTheLead) {
    for (const std::size_t references : {0, 12})
        for (const bool isSimilarity : {false, true})
            for (const std::size_t count : {1, 4, 40}) {
                const NearestRequest wanted{count, isSimilarity};
                NearestPairs whole(kInstances, ValueType::Float64, wanted, 0, references);
                storeTiles(whole, references, 0, 1);
                RecordedTeam::Record record;
                const auto results = inProcesses(4, 3, record, [&](RecordedTeam& team) {
                    NearestPairs own(kInstances, ValueType::Float64, wanted, 0, references);
                    storeTiles(own, references, team.rank(), 4);
                    own.moveToLead(team);
                    std::vector<std::pair<std::uint32_t, double>> found;
                    for (std::size_t instance = 0; instance < kInstances; ++instance)
                        for (const Neighbour& one : own.neighboursOf(instance))
                            found.emplace_back(one.other, one.value);
                    return std::pair(found, own.summary());
                });
                std::vector<std::pair<std::uint32_t, double>> expected;
                for (std::size_t instance = 0; instance < kInstances; ++instance)
                    for (const Neighbour& one : whole.neighboursOf(instance))
                        expected.emplace_back(one.other, one.value);
                EXPECT_EQ(results[0].first, expected) << references << ' ' << count;
                expectSame(results[0].second, whole.summary());
            }
}

TEST(SharedSelection, ProcessesMustWorkOnTheSameResult) {
    EXPECT_NO_THROW(storage::requireSameIdentity("measure: ibs\n", "measure: ibs\n"));
    EXPECT_THAT(test::messageOf<UsageError>(
                    [] { storage::requireSameIdentity("measure: ibs\n", "measure: allele\n"); }),
                HasSubstr("do not work on the same result: measure was ibs, is allele now"));
}

}  // namespace
}  // namespace glycine::pairs::selections
