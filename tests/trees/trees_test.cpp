// Clusters, Newick's format, and parallel work on nodes.
#include "engine/trees/clustering.hpp"
#include "engine/trees/newick.hpp"
#include "engine/trees/tree.hpp"
#include "tests/test.hpp"

namespace glycine::trees {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Clustering cluster(std::size_t instances, std::vector<float> distances) {
    return clusterByAverageLinkage(instances, std::move(distances), silentProgress());
}

/// Random distances of 24 bits, so that in practice no two means are equal.
std::vector<float> randomDistances(std::size_t instances, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> distances(instances * (instances - 1) / 2);
    for (float& distance : distances) distance = static_cast<float>(random() >> 8);
    return distances;
}

using Members = std::set<std::size_t>;

/// UPGMA by definition, from the original distances in each step: at least O(N³).
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

/// The instances of each cluster of a clustering, with its height.
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
    // Each cluster is a range of the leaves.
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
        std::vector<double> result;
        for (const Merge& merge :
             clusterByAverageLinkage(instances, std::move(distances), silentProgress()).merges)
            result.push_back(merge.height);
        return result;
    };
    EXPECT_THAT(heights(3, {1.1, 5, 6.3}), ElementsAre(1.1, (5 + 6.3) / 2));
    // Their sums are infinite.
    EXPECT_THAT(heights(3, {1e308, 1.25e308, 1.75e308}), ElementsAre(1e308, 1.5e308));
    // The sum of three 0.1 divided by 3 is not 0.1.
    EXPECT_THAT(heights(12, std::vector<double>(66, 0.1)), Each(0.1));
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
    // Instance 4 (height 0) is left of {0,1} (17), and {0,1,4} (22) is left of {2,3} (28).
    EXPECT_THAT(result.leaves, ElementsAre(4, 0, 1, 2, 3));
}

TEST(Clustering, EqualDistancesKeepTheOrder) {
    const Clustering result = cluster(6, std::vector<float>(15, 2.5F));
    for (const Merge& merge : result.merges) EXPECT_EQ(merge.height, 2.5);
    expectOrdered(result);
    EXPECT_EQ(clustersOf(result), clustersOf(cluster(6, std::vector<float>(15, 2.5F))));
    EXPECT_EQ(cluster(3, {0, 0, 0}).leaves.size(), 3U);
}

// Instances on a line with growing gaps: each joins the cluster of all before it.
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

std::string treeOf(std::vector<float> belowDiagonal, const std::vector<std::string>& names) {
    return newickTree(clusterByAverageLinkage(names.size(), std::move(belowDiagonal), silentProgress()),
                      names);
}

TEST(Newick, BranchesAddUpToHalfTheMeanDistance) {
    // a and b are 2 apart, and 5 and 7 from c: c is joined at 6.
    EXPECT_EQ(treeOf({2, 5, 7}, {"a", "b", "c"}), "(c:3,(a:1,b:1):2);");
}

TEST(Newick, FollowsTheOrderOfTheLeaves) {
    const std::vector<std::string> names{"p", "q", "r", "s", "t"};
    const Clustering clustering =
        clusterByAverageLinkage(5, {9, 3, 8, 7, 1, 6, 2, 8, 4, 5}, silentProgress());
    const std::string tree = newickTree(clustering, names);
    std::string letters;
    for (const char c : tree)
        if (c >= 'p' && c <= 't') letters += c;
    std::string leaves;
    for (const std::size_t leaf : clustering.leaves) leaves += names[leaf];
    EXPECT_EQ(letters, leaves);
    EXPECT_EQ(std::ranges::count(tree, '('), 4);
    EXPECT_EQ(std::ranges::count(tree, ')'), 4);
}

TEST(Newick, NamesThatTheFormatWouldReadOtherwiseAreQuoted) {
    EXPECT_EQ(treeOf({1}, {"it's (one)", "a_b.1|x"}), "('it''s (one)':0.5,a_b.1|x:0.5);");
    EXPECT_EQ(treeOf({1}, {"", "Å"}), "('':0.5,'Å':0.5);");
}

TEST(Newick, OneInstanceIsItsName) {
    EXPECT_EQ(treeOf({}, {"alone"}), "alone;");
}

TEST(Newick, ManyInstancesInAChainTakeNoStack) {
    // Each joins the cluster of all before it.
    constexpr std::size_t kInstances = 200000;
    Clustering chain;
    for (std::size_t k = 0; k + 1 < kInstances; ++k)
        chain.merges.push_back({k == 0 ? 0 : kInstances + k - 1, k + 1, static_cast<double>(k + 1), k + 2});
    const std::vector<std::string> names(kInstances, "n");
    const std::string tree = newickTree(chain, names);
    EXPECT_EQ(std::ranges::count(tree, 'n'), static_cast<std::ptrdiff_t>(kInstances));
    EXPECT_EQ(tree.substr(0, 1), "(");
    EXPECT_EQ(tree.back(), ';');
}

// ---- Inner nodes of trees; independent ones are processed in parallel.

/// Leaves in any order, joined at random. `isLadder`: each is joined with all before it.
Tree someTree(std::size_t leaves, bool isLadder, std::uint64_t seed) {
    RandomSequence random(seed);
    Tree tree;
    tree.leaves = leaves;
    tree.nodes.resize(leaves);
    std::vector<std::size_t> open;
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) open.push_back(leaf);
    while (open.size() > 1) {
        const std::size_t parent = tree.nodes.size();
        tree.nodes.emplace_back();
        for (int child = 0; child < 2; ++child) {
            const std::size_t at = isLadder && child == 0 ? open.size() - 1 : random.below(open.size());
            attach(tree, parent, open[at], 1);
            open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
        }
        open.push_back(parent);
    }
    tree.root = open.front();
    return tree;
}

TEST(ParallelNodes, EachInnerNodeOnceAfterItsChildren) {
    for (const bool isLadder : {false, true})
        for (const std::size_t leaves : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{200}})
            for (const int threads : {1, 2, 5}) {
                const Tree tree = someTree(leaves, isLadder, 3);
                std::vector<std::atomic<int>> done(tree.nodes.size());
                std::atomic<bool> isInOrder{true};
                forInnerNodes(tree, threads, [&](std::size_t node, std::size_t thread) {
                    if (thread >= static_cast<std::size_t>(threads) || tree.isLeaf(node)) isInOrder = false;
                    for (const std::size_t child : tree.nodes[node].children)
                        if (!tree.isLeaf(child) && done[child] != 1) isInOrder = false;
                    ++done[node];
                });
                EXPECT_TRUE(isInOrder);
                for (std::size_t node = 0; node < tree.nodes.size(); ++node)
                    EXPECT_EQ(done[node], tree.isLeaf(node) ? 0 : 1) << node;
            }
}

TEST(ParallelNodes, ComeInTheFirstRoundAfterTheirChildren) {
    // Two pairs of leaves, one of them next to a third leaf.
    Tree tree;
    tree.leaves = 5;
    tree.nodes.resize(9);
    tree.root = 8;
    for (const auto& [parent, child] :
         {std::pair{5, 0}, {5, 1}, {6, 5}, {6, 2}, {7, 3}, {7, 4}, {8, 6}, {8, 7}})
        attach(tree, static_cast<std::size_t>(parent), static_cast<std::size_t>(child), 1);
    EXPECT_THAT(innerNodesByRounds(tree), ElementsAre(ElementsAre(5, 7), ElementsAre(6), ElementsAre(8)));
    Tree leaf;
    leaf.leaves = 1;
    leaf.nodes.resize(1);
    leaf.root = 0;
    EXPECT_THAT(innerNodesByRounds(leaf), ElementsAre());
}

TEST(ParallelNodes, StopAtTheFirstException) {
    const Tree tree = someTree(100, false, 4);
    std::atomic<int> after{0};
    EXPECT_THROW(forInnerNodes(tree, 3,
                               [&](std::size_t node, std::size_t) {
                                   if (node == 110) throw std::runtime_error("stop");
                                   if (node == tree.root) ++after;
                               }),
                 std::runtime_error);
    EXPECT_EQ(after, 0);
}

}  // namespace
}  // namespace glycine::trees
