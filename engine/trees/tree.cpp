#include "engine/trees/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/core/error.hpp"

namespace glycine::trees {

void checkTree(const Tree& tree) {
    for (const std::size_t node : postorder(tree))
        if (node != tree.root && !std::isfinite(tree.nodes[node].length))
            throw InputError(
                fmt::format("the tree: the branch above node {} has the length {}; expected a finite number",
                            node, tree.nodes[node].length));
}

void attach(Tree& tree, std::size_t parent, std::size_t child, double length) {
    tree.nodes[child].parent = parent;
    tree.nodes[child].length = length;
    tree.nodes[parent].children.push_back(child);
}

std::vector<std::size_t> postorder(const Tree& tree) {
    // Parents first, from right to left, is the same backwards.
    const auto refuse = [](const std::string& what) { throw InputError("the tree is none: " + what); };
    if (tree.leaves == 0) refuse("it has no leaves");
    if (tree.nodes.size() < tree.leaves)
        refuse(fmt::format("it has {} nodes; expected more, or as many as its {} leaves", tree.nodes.size(),
                           tree.leaves));
    if (tree.root >= tree.nodes.size())
        refuse(fmt::format("the root is node {} of {}", static_cast<std::ptrdiff_t>(tree.root),
                           tree.nodes.size()));
    if (tree.nodes[tree.root].parent != kNoNode) refuse("the root has a parent");
    std::vector<std::size_t> order;
    order.reserve(tree.nodes.size());
    std::vector<char> isReached(tree.nodes.size(), 0);
    std::size_t leaves = 0;
    std::vector<std::size_t> open{tree.root};
    isReached[tree.root] = 1;
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        order.push_back(node);
        const std::vector<std::size_t>& children = tree.nodes[node].children;
        if (tree.isLeaf(node) != children.empty())
            refuse(fmt::format("node {} has {} children; expected {}, as there are {} leaves", node,
                               children.size(), tree.isLeaf(node) ? "none" : "some", tree.leaves));
        leaves += tree.isLeaf(node) ? 1 : 0;
        for (const std::size_t child : children) {
            if (child >= tree.nodes.size())
                refuse(fmt::format("node {} has the child {}; expected a number below {}", node, child,
                                   tree.nodes.size()));
            if (tree.nodes[child].parent != node || isReached[child] != 0)
                refuse(fmt::format("node {} is a child of node {}, and hangs below another one, too", child,
                                   node));
            isReached[child] = 1;
            open.push_back(child);
        }
    }
    if (leaves != tree.leaves)
        refuse(fmt::format("{} of {} leaves hang below the root", leaves, tree.leaves));
    std::reverse(order.begin(), order.end());
    return order;
}

Tree resolved(const Tree& tree) {
    Tree result{.leaves = tree.leaves, .nodes = std::vector<TreeNode>(tree.leaves), .root = tree.root};
    std::vector<std::size_t> made(tree.nodes.size(), kNoNode);
    // Of nodes with one child, the lengths below them.
    std::vector<double> below(tree.nodes.size(), 0);
    for (const std::size_t node : postorder(tree)) {
        const std::vector<std::size_t>& children = tree.nodes[node].children;
        const auto lengthTo = [&](std::size_t child) { return tree.nodes[child].length + below[child]; };
        if (tree.isLeaf(node)) {
            made[node] = node;
        } else if (children.size() == 1) {
            made[node] = made[children[0]];
            below[node] = lengthTo(children[0]);
        } else {
            std::size_t left = made[children[0]];
            double length = lengthTo(children[0]);
            for (std::size_t k = 1; k < children.size(); ++k) {
                result.nodes.emplace_back();
                const std::size_t joined = result.nodes.size() - 1;
                attach(result, joined, left, length);
                attach(result, joined, made[children[k]], lengthTo(children[k]));
                left = joined;
                length = 0;
            }
            made[node] = left;
        }
        result.root = made[node];
    }
    return result;
}

Tree treeOf(const Clustering& clustering) {
    const std::size_t leaves = clustering.merges.size() + 1;
    std::vector<char> isMerged(2 * leaves - 1, 0);
    for (std::size_t k = 0; k < clustering.merges.size(); ++k)
        for (const std::size_t part : {clustering.merges[k].left, clustering.merges[k].right})
            if (part >= leaves + k || isMerged[part]++ != 0)
                throw InputError(fmt::format(
                    "step {} of the clustering merges cluster {}; expected one that is there and not merged",
                    k, part));
    Tree tree{.leaves = leaves, .nodes = std::vector<TreeNode>(2 * leaves - 1), .root = 2 * leaves - 2};
    const auto depthOf = [&](std::size_t cluster) {
        return cluster < leaves ? 0 : clustering.merges[cluster - leaves].height / 2;
    };
    for (std::size_t k = 0; k < clustering.merges.size(); ++k) {
        const Merge& merge = clustering.merges[k];
        for (const std::size_t child : {merge.left, merge.right})
            attach(tree, leaves + k, child, merge.height / 2 - depthOf(child));
    }
    return tree;
}

std::vector<float> pathLengths(const Tree& tree) {
    const std::size_t n = tree.leaves;
    std::vector<float> lengths(n * (n - 1) / 2);
    // Of each open subtree its leaves, and how far they lie below its top.
    struct Below {
        std::size_t leaf = 0;
        float depth = 0;
    };
    std::vector<std::vector<Below>> subtrees(tree.nodes.size());
    for (const std::size_t node : postorder(tree)) {
        std::vector<Below>& all = subtrees[node];
        if (tree.isLeaf(node)) all.push_back({node, 0});
        for (const std::size_t child : tree.nodes[node].children) {
            std::vector<Below>& part = subtrees[child];
            for (Below& below : part) below.depth += static_cast<float>(tree.nodes[child].length);
            for (const Below& a : all)
                for (const Below& b : part) {
                    const std::size_t high = std::max(a.leaf, b.leaf);
                    lengths[high * (high - 1) / 2 + std::min(a.leaf, b.leaf)] = a.depth + b.depth;
                }
            all.insert(all.end(), part.begin(), part.end());
            part = {};
        }
    }
    return lengths;
}

}  // namespace glycine::trees
