// `validate tree` and `bench tree`: trees of the host agree with the definitions; others are found wrong.
#include <numeric>

#include "engine/trees/study/tree_subject.hpp"
#include "tests/trees/tree_fixtures.hpp"

namespace glycine::trees {
namespace {

Comparison compare(const Tree& tree, TreeMethod method, const std::vector<double>& distances) {
    std::vector<std::size_t> all(tree.leaves);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return compareWithDefinition(tree, method, distances, all);
}

Tree treeOn(std::size_t instances, TreeMethod method, const std::vector<double>& distances) {
    return treeOfDistances(method, instances, distances, silentProgress());
}

TEST(TreeDefinition, HoldsForTreesOfTheHost) {
    for (const std::size_t instances : {1, 2, 3, 4, 5, 6, 7, 33, 90})
        for (const auto& [name, distances] : inputsOf(instances))
            for (const TreeMethod method : {TreeMethod::NeighbourJoining, TreeMethod::Upgma}) {
                const Comparison found = compare(treeOn(instances, method, distances), method, distances);
                EXPECT_TRUE(found.agrees())
                    << name << ", " << instances << ", " << toString(method) << ": " << found.place;
            }
}

TEST(TreeDefinition, HoldsForNoOtherTree) {
    const std::vector<double> distances = randomDistances(12, 0, 3);
    for (const TreeMethod method : {TreeMethod::NeighbourJoining, TreeMethod::Upgma}) {
        SCOPED_TRACE(toString(method));
        const Tree right = treeOn(12, method, distances);
        // Every branch.
        for (std::size_t node = 0; node < right.nodes.size(); ++node) {
            if (node == right.root) continue;
            Tree tree = right;
            tree.nodes[node].length += 1e-6;
            EXPECT_THAT(compare(tree, method, distances).place,
                        HasSubstr("branch above node " + std::to_string(node)));
        }
        // Two leaves with each other's places.
        const auto exchanged = [&](std::size_t a, std::size_t b) {
            Tree tree = right;
            std::swap(tree.nodes[a].parent, tree.nodes[b].parent);
            for (const auto& [node, other] : {std::pair(a, b), {b, a}})
                for (std::size_t& child : tree.nodes[tree.nodes[node].parent].children)
                    if (child == other) child = node;
            return tree;
        };
        std::size_t wrong = 0;
        for (std::size_t leaf = 1; leaf < 12; ++leaf) {
            const Tree tree = exchanged(0, leaf);
            if (tree.nodes[0].parent == right.nodes[0].parent) continue;
            wrong += compare(tree, method, distances).agrees() ? 0 : 1;
        }
        EXPECT_GE(wrong, 10U);
        // Nodes in another order, and no tree at all.
        Tree tree = right;
        std::swap(tree.nodes[12], tree.nodes[13]);
        EXPECT_FALSE(compare(tree, method, distances).agrees());
        EXPECT_FALSE(compare({}, method, distances).agrees());
    }
}

/// A tree of these branches: (parent, child, length).
Tree treeOfBranches(std::size_t leaves, std::size_t root,
                    const std::vector<std::tuple<std::size_t, std::size_t, double>>& branches) {
    Tree tree{.leaves = leaves, .nodes = std::vector<TreeNode>(branches.size() + 1), .root = root};
    for (const auto& [parent, child, length] : branches) attach(tree, parent, child, length);
    return tree;
}

// Branches as the methods compute them, of clusters that they would not join: a search of the round shows it.
TEST(TreeDefinition, ComparesAllPairsOfTheRoundsThatItIsGiven) {
    const auto compareRounds = [](const Tree& tree, TreeMethod method, const std::vector<double>& distances) {
        EXPECT_TRUE(compareWithDefinition(tree, method, distances, {}).agrees());
        const std::size_t first[] = {0};
        return compareWithDefinition(tree, method, distances, first).place;
    };
    // 0 and 1 are joined at 4, but 0 and 2 are 1 apart.
    const Tree average = treeOfBranches(3, 4, {{3, 0, 2}, {3, 1, 2}, {4, 3, -0.75}, {4, 2, 1.25}});
    EXPECT_THAT(compareRounds(average, TreeMethod::Upgma, {4, 1, 4}),
                HasSubstr("distance joined by node 3: 4 instead of 1"));
    // 0 and 2 are joined, but 0 and 1 are neighbours, and 2 and 3.
    const Tree joined =
        treeOfBranches(4, 5, {{4, 0, 1.5}, {4, 2, 1.5}, {5, 4, -0.5}, {5, 1, 1.5}, {5, 3, 1.5}});
    EXPECT_THAT(compareRounds(joined, TreeMethod::NeighbourJoining, {2, 3, 3, 3, 3, 2}),
                HasSubstr("node 4 joins the clusters of 1 and 3; expected 1 and 2"));
}

}  // namespace
}  // namespace glycine::trees
