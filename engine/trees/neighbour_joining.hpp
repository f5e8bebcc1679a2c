#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/trees/tree.hpp"

/// Neighbour joining.
///
/// Sources: N. Saitou, M. Nei, "The neighbor-joining method", Molecular Biology and Evolution 4 (1987),
/// 406–425; J. A. Studier, K. J. Keppler, "A note on the neighbor-joining algorithm of Saitou and Nei", ibid.
/// 5 (1988), 729–731, for the criterion. That rows need not be searched whose smallest possible value is not
/// small enough: M. Simonsen, T. Mailund, C. N. S. Pedersen, "Rapid neighbour-joining", WABI 2008, LNCS 5251,
/// 113–122; here the bound is that of a whole row, kept up to date by what the mean distances can have grown
/// since.
namespace glycine::trees {

struct NeighbourJoiningOptions {
    double negligibleLength = 0;  ///< branches shorter than that, whatever their sign, get the length 0
    /// Rounds as ClustalW 2.1 does, which has double precision, too: of pairs that are equal but for rounding
    /// (with four clusters left, any pair and the other two) that with the smallest rounded value is taken,
    /// and lengths have its last digits. Sums over a cluster's distances are kept apart there by whether the
    /// other one's name is larger, and change by what a joining takes away and brings.
    bool roundsAsClustalW = false;
};

/// Joins `instances` ≥ 1 by the distances of all pairs below the diagonal, (1,0), (2,0), (2,1), …, which must
/// be finite. With N clusters left those two are joined whose (N − 2) d + 2 Σ − r_i − r_j is smallest, with r
/// the sum of a cluster's distances to the others and Σ that of all pairs. Clusters are named by their
/// smallest instance; of equal pairs (to 10⁻¹² of Σ) that with the smaller larger name is taken, then that
/// with the smaller smaller name (another rule: NeighbourJoiningOptions). The distance of a new cluster is
/// the mean of those of its two parts (Saitou and Nei's form: half the distance of the two is taken from the
/// branch above it instead).
///
/// The tree has no root: it is written down from the node that joins the last three, in the order of their
/// names. Two instances hang half the distance below a root. Lengths may be negative, as the method gives
/// them.
///
/// Exact: each step finds the smallest value of all pairs. N³ / 3 steps at worst; rows are searched only
/// where the smallest value can be, which leaves some tens of N² on distances of sequences. The distances are
/// worked on in place: 400 MB for 10,000 instances.
///
/// Throws UsageError for no instances, another number of distances, or a negligible length below 0;
/// InputError for distances that are no finite numbers.
Tree joinNeighbours(std::size_t instances, std::vector<double> distances, Progress& progress,
                    const NeighbourJoiningOptions& options = {});

/// A tree of distances below the diagonal by either method, as joinNeighbours and clusterByAverageLinkage
/// make it.
Tree treeOfDistances(TreeMethod method, std::size_t instances, const std::vector<double>& distances,
                     Progress& progress);

}  // namespace glycine::trees
