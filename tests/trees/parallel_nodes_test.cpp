// Inner nodes of trees, of which independent ones go side by side.
#include "engine/trees/tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/core/random.hpp"

namespace glycine::trees {
namespace {

/// Leaves in any order, joined at random; `isLadder`: each with all before it.
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

TEST(ParallelNodes, EachInnerNodeOnceBehindItsChildren) {
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

TEST(ParallelNodes, ComeInTheFirstRoundBehindTheirChildren) {
    using testing::ElementsAre;
    // Two pairs of leaves, one of them beside a third leaf.
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
