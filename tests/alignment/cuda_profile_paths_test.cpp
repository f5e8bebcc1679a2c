// Paths through profiles by the device against those of the host.
#include <gtest/gtest.h>

#include "kernels_cuda/alignment/device_profiles.hpp"
#include "tests/alignment/profile_fixtures.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"

namespace glycine::align::cuda {
namespace {

using clustalw::expectLinearPaths;
using clustalw::expectPathsOfHost;
using clustalw::linearPairs;
using clustalw::PairsOfProfiles;
using clustalw::ProfilePaths;

TEST(CudaProfilePaths, AreTheHosts) {
    REQUIRE_BACKEND(backend);
    ProfilePaths paths(profilePassesOn(*backend), 0);
    for (std::uint64_t seed = 0; seed < 10; ++seed)
        expectPathsOfHost(paths, PairsOfProfiles(clustalw::oddSizes(), seed).pairs);
    for (std::uint64_t seed = 10; seed < 15; ++seed) expectLinearPaths(paths, linearPairs(seed).pairs);
    // Lines that have no room in shared memory.
    expectPathsOfHost(paths, PairsOfProfiles({{20, 9000}, {6, 5000}}, 19).pairs);
    // More cells on an anti-diagonal than a block has threads; and many pairs, in the memory of the last
    // ones.
    expectPathsOfHost(paths, PairsOfProfiles({{1500, 1400}, {40, 3000}, {3000, 40}}, 20).pairs);
    expectPathsOfHost(
        paths, PairsOfProfiles(std::vector(500, std::pair<std::size_t, std::size_t>(60, 50)), 21).pairs);
    EXPECT_TRUE(paths.note().empty());
}

TEST(CudaProfilePaths, MakeTheAlignmentOfTheHost) {
    REQUIRE_BACKEND(backend);
    ProfilePaths paths(profilePassesOn(*backend), 0);
    clustalw::expectAlignmentsOfHost(paths);
    EXPECT_TRUE(paths.note().empty());
}

TEST(CudaProfilePaths, TheHostFinishesWhatIsSmall) {
    REQUIRE_BACKEND(backend);
    for (const double leastCells : {1000.0, 10'000.0, 1e9}) {
        ProfilePaths paths(profilePassesOn(*backend), leastCells);
        expectPathsOfHost(paths, PairsOfProfiles(clustalw::oddSizes(), 22).pairs);
        EXPECT_TRUE(paths.note().empty());
    }
}

TEST(CudaProfilePaths, GoInPortionsOrToTheHostWhereMemoryIsShort) {
    REQUIRE_BACKEND(backend);
    ProfilePaths portions(profilePassesOn(*backend, 300'000), 0);
    expectPathsOfHost(portions, PairsOfProfiles(clustalw::oddSizes(), 23).pairs);
    expectLinearPaths(portions, linearPairs(25).pairs);
    EXPECT_TRUE(portions.note().empty());
    ProfilePaths small(profilePassesOn(*backend, 100'000), 0);
    expectPathsOfHost(small, PairsOfProfiles({{300, 300}, {10, 10}}, 24).pairs);
    EXPECT_EQ(small.note(), "1 alignment of profiles on the host, for which the device has no room");
}

}  // namespace
}  // namespace glycine::align::cuda
