#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "engine/core/names.hpp"
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

/// Nodes 0 … leaves − 1 are the instances; the others have children, in any order. An unrooted tree is stored
/// from some inner node, which then has three children.
struct Tree {
    std::size_t leaves = 0;
    std::vector<TreeNode> nodes;
    std::size_t root = kNoNode;

    bool isLeaf(std::size_t node) const { return node < leaves; }
    bool operator==(const Tree&) const = default;
};

/// Throws InputError unless each leaf is connected, through parents that list it among their children, to a
/// root that is a node of the tree. It refuses a tree without leaves, nodes that do not exist or have two
/// parents, leaves with children, inner nodes without children, and lengths that are not finite.
void checkTree(const Tree& tree);

/// Attaches `child` to `parent`, right of its other children.
void attach(Tree& tree, std::size_t parent, std::size_t child, double length);

/// All nodes, each after its children, from left to right. Without recursion: trees may be as deep as they
/// have leaves. Throws what checkTree throws, except for lengths.
std::vector<std::size_t> postorder(const Tree& tree);

/// The same tree with two children per inner node. If a node has more, the first two get a new parent with
/// their branches unchanged and a branch of length 0 above it, and so on from left to right. A node with one
/// child is removed, and its two branches become one.
Tree resolved(const Tree& tree);

/// The tree of a clustering. Throws InputError for a merge of clusters that do not exist or are already
/// merged. A cluster made at height h is h / 2 above its instances, so that the path between two instances is
/// as long as the mean distance between the clusters that were joined.
Tree treeOf(const Clustering& clustering);

/// Lengths of the paths between all pairs of leaves, below the diagonal: (1,0), (2,0), (2,1), … Lengths and
/// sums are in single precision as in ClustalW 2.1, whose decisions depend on it. Takes N² steps.
std::vector<float> pathLengths(const Tree& tree);

/// How a tree is built from distances.
enum class TreeMethod {
    NeighbourJoining,  ///< neighbour_joining.hpp
    Upgma,             ///< average linkage (clustering.hpp), all leaves at the same depth
};
constexpr auto namesOf(TreeMethod) {
    using enum TreeMethod;
    return namesAre<TreeMethod>("tree method", {{NeighbourJoining, "nj"}, {Upgma, "upgma"}});
}

// ---- weights of leaves

/// For each leaf of a rooted tree: the sum of the branches between the leaf and the root, each divided by the
/// number of leaves that share it. Leaves with near relatives get less.
///
/// Source: J. D. Thompson, D. G. Higgins, T. J. Gibson, "CLUSTAL W", Nucleic Acids Research 22 (1994),
/// 4673–4680.
std::vector<double> leafWeights(const Tree& rooted);

/// The same in units of their mean, at least 0.01: a leaf without branches of its own still counts. All
/// weights are 1 if all branches are 0.
std::vector<double> relativeLeafWeights(const Tree& rooted);

// ---- inner nodes in parallel

/// Calls body(node, thread) for every inner node of a binary tree, on up to `threads` threads, 0 ≤ thread <
/// `threads`. A node is visited when both its children are done, so that independent subtrees run in
/// parallel. The first exception stops the rest and is rethrown here.
void forInnerNodes(const Tree& tree, int threads, const std::function<void(std::size_t, std::size_t)>& body);

/// The same nodes in rounds, for work on many nodes at once: the children of a round's nodes are leaves or in
/// earlier rounds. Each round is in postorder.
std::vector<std::vector<std::size_t>> innerNodesByRounds(const Tree& tree);

// ---- splits and support

// How each branch of a tree divides the leaves into two sets.

/// Represents a set of leaves and its complement in 128 bits. Equal splits have equal bits; different splits
/// agree only by chance, with probability 2⁻¹²⁸.
using Split = std::array<std::uint64_t, 2>;

/// The split of the branch above each node; for the root, no leaf against all.
std::vector<Split> splitsOf(const Tree& tree);

/// The number of trees in which each split occurs.
class SplitCounts {
  public:
    /// Counts the branches above inner nodes; a root's two branches are one split and count once.
    void add(const Tree& tree);
    std::size_t trees() const { return trees_; }
    std::size_t count(const Split& split) const;

  private:
    std::map<Split, std::size_t> counts_;
    std::size_t trees_ = 0;
};

/// Support of each node of `tree`: the share, 0 … 1, of the counted trees that have the split above it; −1
/// for leaves, the root, and splits that cut off a single leaf.
///
/// Source: J. Felsenstein, "Confidence limits on phylogenies: an approach using the bootstrap", Evolution 39
/// (1985), 783–791.
std::vector<double> supportOf(const Tree& tree, const SplitCounts& counts);

}  // namespace glycine::trees
