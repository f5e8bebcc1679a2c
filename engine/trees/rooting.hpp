#pragma once

#include <cstddef>

#include "engine/trees/tree.hpp"

/// Roots for trees that have none. All throw InputError as checkTree.
namespace glycine::trees {

/// The tree with a root of two children on the branch above `node`, `below` away from it. The rest of the
/// tree stands left, `node` right; on the way to the old root, what was above a node takes the place of what
/// is above it now, and the old root's last child does so there. A root that had two children is left out,
/// and its branches become one.
Tree rootAbove(const Tree& tree, std::size_t node, double below);

/// Midpoint rooting: the root lies in the middle of the longest way between two leaves. Of equally long ones
/// that of the leaves with the smallest larger number is taken, then that with the smallest smaller number;
/// on it, the branch nearest to the larger one. Negative branches count as they are. Trees of fewer than two
/// leaves have no other root.
///
/// Source: J. S. Farris, "Estimating phylogenetic trees from distance matrices", The American Naturalist 106
/// (1972), 645–668.
Tree rootAtMidpoint(const Tree& tree);

/// The root that ClustalW takes: where the mean distance to the leaves is the same on both sides. Of the
/// branches that have such a place that is taken whose leaves lie shallowest: those below it as seen from its
/// lower end, the others as seen from where the ways of both from the root part. Of equal ones the first on
/// the way from the root, from left to right. Where no branch has one, the root as it is. Before all
/// branches, of a root of three children, comes the middle of the second one's branch; it counts where the
/// mean distance of the others' leaves from the root is exactly that of the second one's leaves from that
/// child, as where all branches have the length 0.
///
/// Source: J. D. Thompson, D. G. Higgins, T. J. Gibson, "CLUSTAL W", Nucleic Acids Research 22 (1994),
/// 4673–4680.
Tree rootAtMeanDistance(const Tree& tree);

}  // namespace glycine::trees
