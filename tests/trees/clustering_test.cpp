#include "engine/trees/clustering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "engine/core/error.hpp"

namespace glycine::trees {
namespace {

using ::testing::ElementsAre;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Clustering cluster(std::size_t instances, std::vector<float> distances) {
    Progress progress;
    return clusterByAverageLinkage(instances, std::move(distances), progress);
}

/// Random distances of 24 bits: no two means of them are equal, for all practical purposes.
std::vector<float> randomDistances(std::size_t instances, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> distances(instances * (instances - 1) / 2);
    for (float& distance : distances) distance = static_cast<float>(random() >> 8);
    return distances;
}

using Members = std::set<std::size_t>;

/// UPGMA as it is defined, from the original distances in every step: O(N³) and more.
std::map<Members, double> naiveClusters(std::size_t instances, const std::vector<float>& distances) {
    const auto mean = [&](const Members& a, const Members& b) {
        double sum = 0;
        for (const std::size_t i : a)
            for (const std::size_t j : b)
                sum += distances[std::max(i, j) * (std::max(i, j) - 1) / 2 + std::min(i, j)];
        return sum / static_cast<double>(a.size() * b.size());
    };
    std::vector<Members> clusters;
    for (std::size_t i = 0; i < instances; ++i) clusters.push_back({i});
    std::map<Members, double> heights;
    while (clusters.size() > 1) {
        std::size_t bestA = 1;
        std::size_t bestB = 0;
        for (std::size_t a = 1; a < clusters.size(); ++a)
            for (std::size_t b = 0; b < a; ++b)
                if (mean(clusters[a], clusters[b]) < mean(clusters[bestA], clusters[bestB])) {
                    bestA = a;
                    bestB = b;
                }
        const double height = mean(clusters[bestA], clusters[bestB]);
        clusters[bestB].insert(clusters[bestA].begin(), clusters[bestA].end());
        heights[clusters[bestB]] = height;
        clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(bestA));
    }
    return heights;
}

/// The instances of each cluster that a clustering makes, with its height.
std::map<Members, double> clustersOf(const Clustering& clustering) {
    std::vector<Members> members;
    for (std::size_t i = 0; i <= clustering.merges.size(); ++i) members.push_back({i});
    std::map<Members, double> heights;
    for (const Merge& merge : clustering.merges) {
        Members both = members.at(merge.left);
        both.insert(members.at(merge.right).begin(), members.at(merge.right).end());
        EXPECT_EQ(both.size(), merge.size);
        heights[both] = merge.height;
        members.push_back(both);
    }
    return heights;
}

void expectOrdered(const Clustering& clustering) {
    for (std::size_t k = 1; k < clustering.merges.size(); ++k)
        EXPECT_LE(clustering.merges[k - 1].height, clustering.merges[k].height);
    // Each cluster is a stretch of the leaves.
    const std::size_t n = clustering.merges.size() + 1;
    ASSERT_EQ(clustering.leaves.size(), n);
    std::vector<std::size_t> position(n, n);
    for (std::size_t p = 0; p < n; ++p) position.at(clustering.leaves[p]) = p;
    for (const auto& [members, height] : clustersOf(clustering)) {
        std::set<std::size_t> positions;
        for (const std::size_t i : members) positions.insert(position[i]);
        EXPECT_EQ(*positions.rbegin() - *positions.begin() + 1, members.size());
    }
}

TEST(Clustering, OneAndTwoInstances) {
    EXPECT_THAT(cluster(1, {}).leaves, ElementsAre(0));
    EXPECT_TRUE(cluster(1, {}).merges.empty());
    const Clustering two = cluster(2, {3});
    EXPECT_THAT(two.leaves, ElementsAre(0, 1));
    ASSERT_EQ(two.merges.size(), 1U);
    EXPECT_EQ(two.merges[0].height, 3);
    EXPECT_EQ(two.merges[0].size, 2U);
}

TEST(Clustering, DistancesOfDoubleKeepTheirDigits) {
    const auto heights = [](std::size_t instances, std::vector<double> distances) {
        Progress progress;
        std::vector<double> result;
        for (const Merge& merge : clusterByAverageLinkage(instances, std::move(distances), progress).merges)
            result.push_back(merge.height);
        return result;
    };
    EXPECT_THAT(heights(3, {1.1, 5, 6.3}), ElementsAre(1.1, (5 + 6.3) / 2));
    // Their sums are no numbers any more.
    EXPECT_THAT(heights(3, {1e308, 1.25e308, 1.75e308}), ElementsAre(1e308, 1.5e308));
    // The sum of three 0.1 divided by 3 is not 0.1.
    EXPECT_THAT(heights(12, std::vector<double>(66, 0.1)), testing::Each(0.1));
}

// By hand. Pairs (1,0) 17, (2,0) 21, (2,1) 30, (3,0) 31, (3,1) 34, (3,2) 28, (4,0) 23, (4,1) 21, (4,2) 39,
// (4,3) 43: {0,1} at 17; then {0,1}–4: (23+21)/2 = 22, –2: 25.5, –3: 32.5, so 4 joins at 22; then {0,1,4}–2:
// (21+30+39)/3 = 30, –3: (31+34+43)/3 = 36, 2–3: 28, so {2,3} at 28; last (21+31+30+34+39+43)/6 = 33.
TEST(Clustering, FiveInstancesByHand) {
    const Clustering result = cluster(5, {17, 21, 30, 31, 34, 28, 23, 21, 39, 43});
    ASSERT_EQ(result.merges.size(), 4U);
    const double heights[] = {17, 22, 28, 33};
    const std::pair<std::size_t, std::size_t> joined[] = {{0, 1}, {4, 5}, {2, 3}, {6, 7}};
    const std::size_t sizes[] = {2, 3, 2, 5};
    for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(result.merges[k].height, heights[k]);
        EXPECT_EQ(std::pair(result.merges[k].left, result.merges[k].right), joined[k]);
        EXPECT_EQ(result.merges[k].size, sizes[k]);
    }
    // The instance 4 (height 0) stands left of {0,1} (17); {0,1,4} (22) left of {2,3} (28).
    EXPECT_THAT(result.leaves, ElementsAre(4, 0, 1, 2, 3));
}

TEST(Clustering, EqualDistancesKeepTheOrder) {
    const Clustering result = cluster(6, std::vector<float>(15, 2.5F));
    for (const Merge& merge : result.merges) EXPECT_EQ(merge.height, 2.5);
    expectOrdered(result);
    EXPECT_EQ(clustersOf(result), clustersOf(cluster(6, std::vector<float>(15, 2.5F))));
    EXPECT_EQ(cluster(3, {0, 0, 0}).leaves.size(), 3U);
}

// Instances on a line whose gaps grow: every one joins the cluster of all before it.
TEST(Clustering, AChainOfThousands) {
    const std::size_t n = 3000;
    std::vector<float> distances;
    for (std::size_t i = 1; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) distances.push_back(static_cast<float>(i * i - j * j));
    const Clustering result = cluster(n, std::move(distances));
    expectOrdered(result);
    EXPECT_EQ(result.merges.back().size, n);
}

TEST(Clustering, UndefinedPairsCountAsTheFarthest) {
    EXPECT_EQ(clustersOf(cluster(4, {1, kNaN, 9, 5, 6, 2})), clustersOf(cluster(4, {1, 9, 9, 5, 6, 2})));
    const Clustering none = cluster(3, {kNaN, kNaN, kNaN});
    EXPECT_EQ(none.leaves.size(), 3U);
    EXPECT_EQ(none.merges.back().height, 0);
}

TEST(Clustering, AgreesWithTheDefinition) {
    for (std::size_t n = 2; n <= 24; ++n)
        for (unsigned seed = 0; seed < 4; ++seed) {
            const std::vector<float> distances = randomDistances(n, seed);
            const Clustering result = cluster(n, distances);
            expectOrdered(result);
            const std::map<Members, double> expected = naiveClusters(n, distances);
            const std::map<Members, double> found = clustersOf(result);
            ASSERT_EQ(found.size(), expected.size());
            for (const auto& [members, height] : expected) {
                const auto match = found.find(members);
                ASSERT_NE(match, found.end()) << n << " instances, seed " << seed;
                EXPECT_NEAR(match->second, height, 1e-5 * height);
            }
        }
}

TEST(Clustering, CanBeCancelled) {
    Progress progress({}, [] { return true; });
    EXPECT_THROW(clusterByAverageLinkage(3, {1, 2, 3}, progress), CancelledError);
}

TEST(Clustering, TakesDistancesFromAResult) {
    const std::size_t n = 130;  // more than are read at once
    Matrix<double> values(n, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) values(i, j) = static_cast<double>(i * 1000 + j) / 1e6;
    for (const pairs::StoreLayout layout :
         {pairs::StoreLayout::Square, pairs::StoreLayout::Triangle, pairs::StoreLayout::Condensed}) {
        pairs::PairStore store({{n, layout}, pairs::ValueType::Float64, 1});
        store.store({{0, n}, {0, n}}, values.view());
        std::size_t k = 0;
        const std::vector<float> distances = distancesBelowDiagonal(store, false);
        const std::vector<float> reversed = distancesBelowDiagonal(store, true);
        ASSERT_EQ(distances.size(), n * (n - 1) / 2);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j, ++k) {
                ASSERT_EQ(distances[k], static_cast<float>(values(i, j)));
                ASSERT_EQ(reversed[k], static_cast<float>(1 - values(i, j)));
            }
    }
}

}  // namespace
}  // namespace glycine::trees
