#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/trees/tree.hpp"

/// Neighbour joining.
///
/// Sources: N. Saitou, M. Nei, "The neighbor-joining method", Molecular Biology and Evolution 4 (1987),
/// 406–425; the criterion: J. A. Studier, K. J. Keppler, "A note on the neighbor-joining algorithm of Saitou
/// and Nei", ibid. 5 (1988), 729–731. Skipping rows whose lower bound is too large: M. Simonsen, T. Mailund,
/// C. N. S. Pedersen, "Rapid neighbour-joining", WABI 2008, LNCS 5251, 113–122. Here the bound is that of a
/// whole row, updated by the most that mean distances can have grown since.
namespace glycine::trees {

class TreeDevice;

struct NeighbourJoiningOptions {
    double negligibleLength = 0;  ///< branches shorter than this in absolute value get length 0
    /// Rounds as ClustalW 2.1 does, which also uses double precision. Among pairs that are equal except for
    /// rounding (with four clusters left, any pair and the other two), the pair with the smallest rounded
    /// value is taken, and lengths have ClustalW's last digits. ClustalW keeps two sums of a cluster's
    /// distances, to clusters with larger and with smaller names, and updates them by what a joining removes
    /// and adds.
    bool roundsAsClustalW = false;
};

/// Joins `instances` ≥ 1 by the distances of all pairs below the diagonal, (1,0), (2,0), (2,1), …, which must
/// be finite. With N clusters left, the pair with the smallest (N − 2) d + 2 Σ − r_i − r_j is joined, where r
/// is the sum of a cluster's distances to the others and Σ the sum over all pairs. Clusters are named by
/// their smallest instance. Among equal pairs (to 10⁻¹² of Σ), the one with the smallest larger name is
/// taken, then the smallest smaller name (NeighbourJoiningOptions has another rule). The distance of a new
/// cluster is the mean of those of its two parts. This is Saitou and Nei's form: half the distance of the two
/// parts is subtracted from the branch above the cluster instead.
///
/// The tree has no root: it is stored from the node that joins the last three clusters, in the order of their
/// names. With two instances, each hangs half the distance below a root. Lengths may be negative, as the
/// method yields them.
///
/// Exact: each step finds the smallest value of all pairs, in at most N³ / 3 steps overall. Rows are searched
/// only if they can contain the smallest value, which takes some tens of N² steps for distances of sequences.
/// The distances are modified in place: 400 MB for 10,000 instances.
///
/// `device` (tree_engine.hpp): runs the rounds where that is faster, and searches all pairs in each; null:
/// the host runs them. Both give the same tree, to the last bit.
///
/// Throws UsageError for no instances, a wrong number of distances, or a negative negligible length;
/// InputError for distances that are not finite; WrongResultError.
Tree joinNeighbours(std::size_t instances, std::vector<double> distances, Progress& progress,
                    const NeighbourJoiningOptions& options = {}, TreeDevice* device = nullptr);

/// A tree of distances below the diagonal by either method (joinNeighbours, clusterByAverageLinkage).
Tree treeOfDistances(TreeMethod method, std::size_t instances, std::vector<double> distances,
                     Progress& progress, TreeDevice* device = nullptr);

}  // namespace glycine::trees
