#pragma once

#include <cstddef>

#include "engine/trees/tree.hpp"

/// Rooting of trees. All functions throw what checkTree throws.
namespace glycine::trees {

/// The tree with a root of two children on the branch above `node`, at distance `below` from it. The rest of
/// the tree is on the left, `node` on the right. On the path to the old root, each node's former parent takes
/// the place of its new one; at the old root, the last child does. An old root with two children is removed,
/// and its branches become one.
Tree rootAbove(const Tree& tree, std::size_t node, double below);

/// Midpoint rooting: the root is in the middle of the longest path between two leaves. Among equally long
/// paths, the one with the smallest larger leaf number is taken, then the smallest smaller number; on it, the
/// branch nearest to the larger leaf. Negative branches are not treated specially. Trees with fewer than two
/// leaves are unchanged.
///
/// Source: J. S. Farris, "Estimating phylogenetic trees from distance matrices", The American Naturalist 106
/// (1972), 645–668.
Tree rootAtMidpoint(const Tree& tree);

/// ClustalW's root, where the mean distance to the leaves is equal on both sides. Among the branches with
/// such a point, the one with the shallowest leaves is taken. Depth is measured for the leaves below a branch
/// from its lower end, and for the others from where the paths of both from the root part. Among equal
/// branches, the first one from the root, from left to right, wins. If no branch has such a point, the root
/// is unchanged. If the root has three children, the middle of the second child's branch is tried before all
/// branches. It counts if the mean distance of the other children's leaves from the root exactly equals that
/// of the second child's leaves from that child, as when all branches have length 0.
///
/// Source: J. D. Thompson, D. G. Higgins, T. J. Gibson, "CLUSTAL W", Nucleic Acids Research 22 (1994),
/// 4673–4680.
Tree rootAtMeanDistance(const Tree& tree);

}  // namespace glycine::trees
