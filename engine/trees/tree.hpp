#pragma once

#include <cstddef>
#include <vector>

#include "engine/trees/clustering.hpp"

/// Trees whose leaves are the instances of a problem.
namespace glycine::trees {

inline constexpr std::size_t kNoNode = static_cast<std::size_t>(-1);

struct TreeNode {
    std::size_t parent = kNoNode;
    double length = 0;                  ///< of the branch to the parent; may be negative
    std::vector<std::size_t> children;  ///< from left to right
    bool operator==(const TreeNode&) const = default;
};

/// Nodes 0 … leaves − 1 are the instances; the others have children, in any order. A tree without a root in
/// the biological sense is written down from some inner node, which has three children then.
struct Tree {
    std::size_t leaves = 0;
    std::vector<TreeNode> nodes;
    std::size_t root = kNoNode;

    bool isLeaf(std::size_t node) const { return node < leaves; }
    bool operator==(const Tree&) const = default;
};

/// Throws InputError unless each leaf hangs, through parents that name it among their children, below a root
/// that is a node of the tree: for a tree without leaves, nodes that do not exist or hang in two places,
/// leaves with children, other nodes without, and branches whose length is no finite number.
void checkTree(const Tree& tree);

/// Hangs `child` under `parent`, right of what hangs there.
void attach(Tree& tree, std::size_t parent, std::size_t child, double length);

/// All nodes, each behind its children, from left to right. Takes no stack: trees may be as deep as they have
/// leaves. Throws InputError as checkTree, but for lengths.
std::vector<std::size_t> postorder(const Tree& tree);

/// The same tree with two children a node: where there are more, the first two get a node of their own above
/// branches as long as before and below one of length 0, and so on from left to right. A node with one child
/// is left out, and the branches above and below it become one.
Tree resolved(const Tree& tree);

/// The tree of a clustering. Throws InputError for a merge of clusters that are not there or merged already.
/// A cluster that was made at height h lies h / 2 above its instances, so that the way from one instance to
/// another is as long as the mean distance between the clusters that were joined.
Tree treeOf(const Clustering& clustering);

/// Lengths of the ways between all pairs of leaves, below the diagonal: (1,0), (2,0), (2,1), … Lengths and
/// sums are of single precision, as in ClustalW 2.1, whose decisions hang on them. Takes N² steps.
std::vector<float> pathLengths(const Tree& tree);

}  // namespace glycine::trees
