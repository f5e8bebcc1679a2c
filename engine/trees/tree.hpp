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

/// How a tree is made from distances.
enum class TreeMethod {
    NeighbourJoining,  ///< neighbour_joining.hpp
    Upgma,             ///< average linkage (clustering.hpp), all leaves at one depth
};
constexpr auto namesOf(TreeMethod) {
    using enum TreeMethod;
    return namesAre<TreeMethod>("tree method", {{NeighbourJoining, "nj"}, {Upgma, "upgma"}});
}

// ---- weights of leaves

/// Of each leaf of a rooted tree the sum of the branches between it and the root, each divided by the leaves
/// that share it: less for leaves that have near relatives.
///
/// Source: J. D. Thompson, D. G. Higgins, T. J. Gibson, "CLUSTAL W", Nucleic Acids Research 22 (1994),
/// 4673–4680.
std::vector<double> leafWeights(const Tree& rooted);

/// The same in units of their mean, at least 0.01: a leaf without branches of its own still counts. All 1
/// where there are no branches at all.
std::vector<double> relativeLeafWeights(const Tree& rooted);

// ---- inner nodes in parallel

/// Calls body(node, thread) for every inner node of a tree with two children a node, on up to `threads`
/// threads, 0 ≤ thread < `threads`: a node when both its children are done, so that subtrees that have
/// nothing to do with each other go side by side. The first exception stops the rest and is thrown again
/// here.
void forInnerNodes(const Tree& tree, int threads, const std::function<void(std::size_t, std::size_t)>& body);

/// The same in rounds, for what goes by many nodes at once: nodes whose children are leaves or in rounds
/// before, in postorder in each round.
std::vector<std::vector<std::size_t>> innerNodesByRounds(const Tree& tree);

// ---- splits and support

// Into which two sets of leaves each branch of a tree divides them.

/// Stands for a set of leaves and for all others together: 128 bits, equal for equal splits, and for
/// different ones by chance only in one of 2¹²⁸ cases.
using Split = std::array<std::uint64_t, 2>;

/// The split of the branch above each node; of the root that of no leaf against all.
std::vector<Split> splitsOf(const Tree& tree);

/// In how many trees a split has been seen.
class SplitCounts {
  public:
    /// The branches above inner nodes; of a root's two branches, which are one, once.
    void add(const Tree& tree);
    std::size_t trees() const { return trees_; }
    std::size_t count(const Split& split) const;

  private:
    std::map<Split, std::size_t> counts_;
    std::size_t trees_ = 0;
};

/// Support of each node of `tree`: the share, 0 … 1, of the counted trees that have the split above it; −1 of
/// leaves and the root, and where the split cuts off a single leaf.
///
/// Source: J. Felsenstein, "Confidence limits on phylogenies: an approach using the bootstrap", Evolution 39
/// (1985), 783–791.
std::vector<double> supportOf(const Tree& tree, const SplitCounts& counts);

}  // namespace glycine::trees
