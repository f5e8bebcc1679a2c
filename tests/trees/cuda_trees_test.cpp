// Trees of distances on the device: those of the host to the last bit.
#include "kernels_cuda/trees/cuda_tree_engine.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/trees/tree_fixtures.hpp"

namespace glycine::trees::cuda {
namespace {

/// Takes trees of any size.
constexpr TreeSettings kAll{.leastForJoining = 0, .leastForLinkage = 0};

TEST(CudaTrees, AreThoseOfTheHost) {
    REQUIRE_BACKEND(backend);
    for (const std::size_t instances : {2, 3, 4, 5, 6, 7, 8, 33, 64, 257, 1000}) {
        StageRecount recount(*backend, false, "round");
        TreeDevice device(*backend, createTreeEngine(*backend, kAll), &recount);
        expectHostsTrees(device, instances);
        if (instances >= 4) {
            EXPECT_GT(recount.counted().elements, 0U);
        }
    }
}

// Sums take more means than a tile of the kernel has.
TEST(CudaTrees, OfMoreClustersThanATile) {
    REQUIRE_BACKEND(backend);
    constexpr std::size_t kInstances = 4500;
    TreeDevice device(*backend, createTreeEngine(*backend, kAll), nullptr);
    const std::vector<double> distances = nestedDistances(kInstances, 9);
    for (const bool roundsAsClustalW : {false, true}) {
        const NeighbourJoiningOptions options{.roundsAsClustalW = roundsAsClustalW};
        EXPECT_TRUE(joinNeighbours(kInstances, distances, silentProgress(), options, &device) ==
                    joinNeighbours(kInstances, distances, silentProgress(), options));
        EXPECT_EQ(device.reason(), "");
    }
}

TEST(CudaTrees, StayOnTheHostWhereTheDeviceDoesNotGainOrHasNoRoom) {
    REQUIRE_BACKEND(backend);
    const std::vector<double> distances = randomDistances(40, 0, 5);
    const Tree expected = joinNeighbours(40, distances, silentProgress());
    TreeDevice usual(*backend, nullptr);
    EXPECT_TRUE(joinNeighbours(40, distances, silentProgress(), {}, &usual) == expected);
    EXPECT_EQ(usual.reason(), kSmallTree);
    REQUIRE_BACKEND(small, 1000);
    TreeDevice device(*small, createTreeEngine(*small, kAll), nullptr);
    EXPECT_TRUE(joinNeighbours(40, distances, silentProgress(), {}, &device) == expected);
    EXPECT_EQ(device.reason(), kNoRoomForTree);
    clusterByAverageLinkage(40, distances, silentProgress(), &device);
    EXPECT_EQ(device.reason(), kNoRoomForTree);
}

TEST(CudaTrees, StopWhenCancelled) {
    REQUIRE_BACKEND(backend);
    TreeDevice device(*backend, createTreeEngine(*backend, kAll), nullptr);
    Progress progress({}, [] { return true; });
    EXPECT_THROW(joinNeighbours(40, randomDistances(40, 0, 5), progress, {}, &device), CancelledError);
}

}  // namespace
}  // namespace glycine::trees::cuda
