// Trees of which a device runs the rounds: what it returns is checked and counted again.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/trees/plain_tree_engine.hpp"

namespace glycine::trees {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The refusal of a tree that a device with these faults builds; empty: the tree is taken.
class DeviceTrees : public testing::Test {
  protected:
    template <class Build>
    std::string refusalOf(Faults faults, bool isCounted, Build&& build) {
        StageRecount recount(backend_, !isCounted, "round");
        TreeDevice device(backend_, std::make_unique<PlainEngine>(std::move(faults)), &recount);
        try {
            build(device);
        } catch (const WrongResultError& error) {
            return error.what();
        }
        return "";
    }
    std::string refusalOfJoining(Faults faults, bool isCounted = true, bool roundsAsClustalW = false) {
        return refusalOf(std::move(faults), isCounted, [&](TreeDevice& device) {
            joinNeighbours(kInstances, distances_, silentProgress(), {.roundsAsClustalW = roundsAsClustalW},
                           &device);
        });
    }
    std::string refusalOfLinkage(Faults faults, bool isCounted = true) {
        return refusalOf(std::move(faults), isCounted, [&](TreeDevice& device) {
            clusterByAverageLinkage(kInstances, std::vector<float>(distances_.begin(), distances_.end()),
                                    silentProgress(), &device);
        });
    }

    static constexpr std::size_t kInstances = 40;
    test::NamedBackend backend_{"cuda"};
    std::vector<double> distances_ = randomDistances(kInstances, 0, 3);
};

TEST_F(DeviceTrees, AreThoseOfTheHost) {
    for (const std::size_t instances : {2, 3, 4, 5, 33, 90}) {
        StageRecount recount(backend_, false, "round");
        TreeDevice device(backend_, std::make_unique<PlainEngine>(), &recount);
        expectHostsTrees(device, instances);
        if (instances >= 4) {
            EXPECT_GT(recount.counted().elements, 0U);
        }
    }
}

TEST_F(DeviceTrees, IndicesAreCheckedWithoutARecount) {
    using testing::HasSubstr;
    EXPECT_THAT(refusalOfJoining({}, false), "");
    for (const std::uint32_t place : {std::uint32_t{40}, std::uint32_t{0xffffffff}})
        for (const bool isLow : {false, true})
            EXPECT_THAT(refusalOfJoining({.pair =
                                              [&](std::size_t round, JoinedPair& pair) {
                                                  if (round == 5) (isLow ? pair.low : pair.high) = place;
                                              }},
                                         false),
                        HasSubstr("pair of round 6 of neighbour joining is that of places"));
    // Two equal places, and a place that is empty after the first round.
    EXPECT_THAT(
        refusalOfJoining({.pair = [](std::size_t, JoinedPair& pair) { pair.low = pair.high; }}, false),
        HasSubstr("expected two clusters, by cuda (on a device)"));
    std::uint32_t gone = 0;
    EXPECT_THAT(refusalOfJoining({.pair =
                                      [&](std::size_t round, JoinedPair& pair) {
                                          if (round == 0) gone = pair.high;
                                          if (round == 1) pair.high = gone;
                                          if (round == 1) pair.low = 0;
                                      }},
                                 false),
                HasSubstr("expected two clusters"));
    EXPECT_THAT(refusalOfJoining(
                    {.pair = [](std::size_t, JoinedPair& pair) { pair.distance = std::nan(""); }}, false),
                HasSubstr("not finite"));
    EXPECT_THAT(
        refusalOfJoining({.row = [](std::size_t, std::vector<double>& row) { row[0] = kInfinity; }}, false),
        HasSubstr("not finite"));
    EXPECT_THAT(refusalOfLinkage({}, false), "");
    for (const std::uint32_t name : {std::uint32_t{40}, std::uint32_t{0xffffffff}})
        EXPECT_THAT(refusalOfLinkage({.merge =
                                          [&](std::size_t number, MergedPair& pair) {
                                              if (number == 7) pair.b = name;
                                          }},
                                     false),
                    HasSubstr("pair of merge 8 of the clusters is that of"));
    EXPECT_THAT(refusalOfLinkage({.merge = [](std::size_t, MergedPair& pair) { pair.a = pair.b; }}, false),
                HasSubstr("expected two clusters"));
    EXPECT_THAT(
        refusalOfLinkage({.merge = [](std::size_t, MergedPair& pair) { pair.height = kInfinity; }}, false),
        HasSubstr("not finite"));
}

TEST_F(DeviceTrees, WrongNumbersAreFound) {
    using testing::HasSubstr;
    for (const bool roundsAsClustalW : {false, true}) {
        const auto refusal = [&](Faults faults) {
            return refusalOfJoining(std::move(faults), true, roundsAsClustalW);
        };
        EXPECT_EQ(refusal({}), "");
        const auto found = [&](const Faults& faults, const char* message) {
            EXPECT_THAT(refusal(faults), HasSubstr(message));
            EXPECT_EQ(refusalOfJoining(faults, false, roundsAsClustalW), "");
        };
        // The chosen pair, and what its branches are computed from.
        found({.pair = [](std::size_t, JoinedPair& pair) { pair.distance *= 1.001; }},
              "the distance of round 1");
        found({.pair = [](std::size_t, JoinedPair& pair) { pair.lowSum += 1e-6; }},
              "the sum at the lower place of round 1");
        found({.pair = [](std::size_t, JoinedPair& pair) { pair.highSum += 1e-6; }},
              "the sum at the higher place of round 1");
        // The search.
        found({.search = [](JoiningSearch& search) { search.least -= 0.001; }},
              "smallest criterion of round 1");
        found({.search = [](JoiningSearch& search) { search.sums.total *= 1.001; }}, "sum of all distances");
        found({.search =
                   [](JoiningSearch& search) {
                       for (double& sum : search.sums.all) sum *= 1.001;
                       search.sums.total *= 1.001;
                   }},
              "the sum of distances of the cluster of instance");
        found({.row =
                   [](std::size_t, std::vector<double>& row) {
                       for (double& distance : row) distance *= 1.001;
                   }},
              "a distance of the cluster of instance");
        // All of the device's own numbers agree, but not with the input.
        found({.distances =
                   [](std::vector<double>& row) {
                       for (double& distance : row) distance *= 1.001;
                   }},
              "a distance of the cluster of instance");
        // A row whose smallest criterion is too large hides the best pair.
        found({.search =
                   [](JoiningSearch& search) {
                       const auto least = std::ranges::min_element(search.ofRows);
                       *least = kInfinity;
                       search.least = std::ranges::min(search.ofRows);
                   }},
              "of round 1");
    }
    EXPECT_EQ(refusalOfLinkage({}), "");
    EXPECT_THAT(refusalOfLinkage({.merge = [](std::size_t, MergedPair& pair) { pair.height *= 1.001; }}),
                HasSubstr("height of merge 1 of the clusters"));
    // The second merge before the first.
    EXPECT_THAT(refusalOfLinkage({.merge =
                                      [](std::size_t number, MergedPair& pair) {
                                          if (number == 0) pair = {0, 1, 0.5};
                                      }}),
                HasSubstr("merge 1 of the clusters"));
}

TEST_F(DeviceTrees, ColumnsOfASearchAreCheckedBeforeTheyAreUsed) {
    for (const std::uint32_t column : {std::uint32_t{40}, kNoRowChoice})
        EXPECT_THAT(refusalOfJoining({.search =
                                          [&](JoiningSearch& search) {
                                              for (RowChoice& choice : search.choices) choice.column = column;
                                          }}),
                    testing::HasSubstr("column of row"));
}

TEST_F(DeviceTrees, StayOnTheHostForUnusualDistances) {
    TreeDevice device(backend_, std::make_unique<PlainEngine>(), nullptr);
    for (const double distance : {-0.5, 1e305}) {
        std::vector<double> distances = distances_;
        distances[7] = distance;
        const Tree expected = joinNeighbours(kInstances, distances, silentProgress());
        EXPECT_TRUE(joinNeighbours(kInstances, distances, silentProgress(), {}, &device) == expected);
        EXPECT_EQ(device.reason(), kTreeOfUnusualDistances);
    }
    TreeDevice none(backend_, nullptr, nullptr);
    joinNeighbours(kInstances, distances_, silentProgress(), {}, &none);
    EXPECT_EQ(none.reason(), kNoTreeKernels);
}

}  // namespace
}  // namespace glycine::trees
