#include "engine/trees/tree.hpp"

#include <algorithm>

namespace glycine::trees {

void attach(Tree& tree, std::size_t parent, std::size_t child, double length) {
    tree.nodes[child].parent = parent;
    tree.nodes[child].length = length;
    tree.nodes[parent].children.push_back(child);
}

std::vector<std::size_t> postorder(const Tree& tree) {
    // Parents first, from right to left, is the same backwards.
    std::vector<std::size_t> order;
    order.reserve(tree.nodes.size());
    std::vector<std::size_t> open{tree.root};
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        order.push_back(node);
        for (const std::size_t child : tree.nodes[node].children) open.push_back(child);
    }
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
