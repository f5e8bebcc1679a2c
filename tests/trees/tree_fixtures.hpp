#pragma once

#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/random.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/tree_engine.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/test.hpp"

/// Trees built on a device, compared with the host's.
namespace glycine::trees {

/// Distances below the diagonal: tenths, of which `kinds` differ. Tenths are not exact, so that the order of
/// additions shows. 0: any numbers.
inline std::vector<double> randomDistances(std::size_t instances, std::size_t kinds, std::uint64_t seed) {
    RandomSequence random(seed);
    std::vector<double> distances(instances * (instances - 1) / 2);
    for (double& distance : distances)
        distance = kinds == 0 ? random.uniform() : 0.1 * static_cast<double>(random.below(kinds));
    return distances;
}

/// Distances of instances in `families`, equal within one but for a third of them, as sequences have.
inline std::vector<double> familyDistances(std::size_t instances, std::size_t families, std::uint64_t seed) {
    std::vector<double> distances = randomDistances(instances, 4, seed);
    std::size_t pair = 0;
    for (std::size_t j = 1; j < instances; ++j)
        for (std::size_t i = 0; i < j; ++i, ++pair) {
            if (i % families == j % families)
                distances[pair] = (i + j) % 3 == 0 ? 0.01 : 0;
            else
                distances[pair] += 0.3 + 0.01 * static_cast<double>((i % families) * (j % families) % 7);
        }
    return distances;
}

/// Distances of a balanced tree, with noise: the host needs few searches of rows.
inline std::vector<double> nestedDistances(std::size_t instances, std::uint64_t seed) {
    RandomSequence random(seed);
    std::vector<double> distances;
    for (std::size_t j = 1; j < instances; ++j)
        for (std::size_t i = 0; i < j; ++i)
            distances.push_back(0.05 * static_cast<double>(std::bit_width(i ^ j)) + 0.04 * random.uniform());
    return distances;
}

inline std::vector<std::pair<std::string, std::vector<double>>> inputsOf(std::size_t instances) {
    return {{"any numbers", randomDistances(instances, 0, 1)},
            {"three tenths", randomDistances(instances, 3, 2)},
            {"ten tenths", randomDistances(instances, 10, 3)},
            {"families", familyDistances(instances, 5, 4)},
            {"nested", nestedDistances(instances, 5)},
            {"all equal", std::vector<double>(instances * (instances - 1) / 2, 0.7)},
            {"all zero", std::vector<double>(instances * (instances - 1) / 2, 0)}};
}

/// Builds all kinds of trees with the device, and expects the host's.
inline void expectHostsTrees(TreeDevice& device, std::size_t instances) {
    for (const auto& [name, distances] : inputsOf(instances)) {
        SCOPED_TRACE(name + ", " + std::to_string(instances) + " instances");
        const std::string reason = instances < 4 ? std::string(kSmallTree) : "";
        for (const bool roundsAsClustalW : {false, true}) {
            const NeighbourJoiningOptions options{.negligibleLength = 1e-4,
                                                  .roundsAsClustalW = roundsAsClustalW};
            const Tree expected = joinNeighbours(instances, distances, silentProgress(), options);
            EXPECT_TRUE(joinNeighbours(instances, distances, silentProgress(), options, &device) == expected);
            EXPECT_EQ(device.reason(), reason);
        }
        const auto compareMerges = [&](const auto& some) {
            const Clustering expected = clusterByAverageLinkage(instances, some, silentProgress());
            const Clustering found = clusterByAverageLinkage(instances, some, silentProgress(), &device);
            EXPECT_EQ(device.reason(), reason);
            EXPECT_TRUE(treeOf(found) == treeOf(expected));
            EXPECT_EQ(found.leaves, expected.leaves);
        };
        compareMerges(distances);
        compareMerges(std::vector<float>(distances.begin(), distances.end()));
    }
}

}  // namespace glycine::trees
