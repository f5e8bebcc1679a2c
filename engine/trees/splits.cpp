#include "engine/trees/splits.hpp"

#include <algorithm>
#include <set>

#include "engine/core/random.hpp"

#include "engine/core/error.hpp"

namespace glycine::trees {

namespace {

Split combined(const Split& a, const Split& b) {
    return {a[0] ^ b[0], a[1] ^ b[1]};
}

/// Each leaf has random bits of its own; a set has the sum of its leaves' modulo 2.
Split bitsOfLeaf(std::size_t leaf) {
    return {derivedSeed(0, leaf), derivedSeed(1, leaf)};
}

/// Of the sets below each node.
std::vector<Split> setsBelow(const Tree& tree, const std::vector<std::size_t>& order) {
    std::vector<Split> sets(tree.nodes.size(), Split{});
    for (const std::size_t node : order) {
        if (tree.isLeaf(node)) sets[node] = bitsOfLeaf(node);
        if (tree.nodes[node].parent != kNoNode)
            sets[tree.nodes[node].parent] = combined(sets[tree.nodes[node].parent], sets[node]);
    }
    return sets;
}

std::vector<std::size_t> leavesBelow(const Tree& tree, const std::vector<std::size_t>& order) {
    std::vector<std::size_t> leaves(tree.nodes.size(), 0);
    for (const std::size_t node : order) {
        if (tree.isLeaf(node)) leaves[node] = 1;
        if (tree.nodes[node].parent != kNoNode) leaves[tree.nodes[node].parent] += leaves[node];
    }
    return leaves;
}

}  // namespace

std::vector<Split> splitsOf(const Tree& tree) {
    std::vector<Split> sets = setsBelow(tree, postorder(tree));
    const Split all = sets[tree.root];
    // Of a set and its complement the same one stands for both.
    for (Split& set : sets) set = std::min(set, combined(set, all));
    return sets;
}

void SplitCounts::add(const Tree& tree) {
    const std::vector<Split> splits = splitsOf(tree);
    std::set<Split> seen;
    for (std::size_t node = tree.leaves; node < tree.nodes.size(); ++node)
        if (node != tree.root) seen.insert(splits[node]);
    for (const Split& split : seen) ++counts_[split];
    ++trees_;
}

std::size_t SplitCounts::count(const Split& split) const {
    const auto found = counts_.find(split);
    return found == counts_.end() ? 0 : found->second;
}

std::vector<double> supportOf(const Tree& tree, const SplitCounts& counts) {
    if (counts.trees() == 0) throw UsageError("no trees were counted for the support; expected at least one");
    const std::vector<std::size_t> leaves = leavesBelow(tree, postorder(tree));
    const std::vector<Split> splits = splitsOf(tree);
    std::vector<double> support(tree.nodes.size(), -1);
    for (std::size_t node = tree.leaves; node < tree.nodes.size(); ++node)
        if (node != tree.root && leaves[node] > 1 && leaves[node] + 1 < tree.leaves)
            support[node] =
                static_cast<double>(counts.count(splits[node])) / static_cast<double>(counts.trees());
    return support;
}

}  // namespace glycine::trees
