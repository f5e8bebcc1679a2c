#include "engine/trees/newick.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace glycine::trees {
namespace {

std::string treeOf(std::vector<float> belowDiagonal, const std::vector<std::string>& names) {
    Progress progress;
    return newickTree(clusterByAverageLinkage(names.size(), std::move(belowDiagonal), progress), names);
}

TEST(Newick, BranchesAddUpToHalfTheMeanDistance) {
    // a and b at 2, both at 5 and 7 from c: joined at 6.
    EXPECT_EQ(treeOf({2, 5, 7}, {"a", "b", "c"}), "(c:3,(a:1,b:1):2);");
}

TEST(Newick, FollowsTheOrderOfTheLeaves) {
    Progress progress;
    const std::vector<std::string> names{"p", "q", "r", "s", "t"};
    const Clustering clustering = clusterByAverageLinkage(5, {9, 3, 8, 7, 1, 6, 2, 8, 4, 5}, progress);
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
    // Each joins all before it.
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

}  // namespace
}  // namespace glycine::trees
