#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/pairs/pair_store.hpp"

/// Hierarchical clustering by average linkage (UPGMA).
///
/// Sources: R. R. Sokal, C. D. Michener, "A statistical method for evaluating systematic relationships",
/// University of Kansas Science Bulletin 38 (1958), 1409–1438, for UPGMA; F. Murtagh, "A survey of recent
/// advances in hierarchical clustering algorithms", The Computer Journal 26 (1983), 354–359, for the
/// nearest-neighbour chain; D. Müllner, "Modern hierarchical, agglomerative clustering algorithms",
/// arXiv:1109.2378 (2011), section 3.1.
namespace glycine::trees {

/// One step of an agglomeration. Clusters 0 … N − 1 are the instances, cluster N + k is made by step k.
struct Merge {
    std::size_t left = 0;
    std::size_t right = 0;
    double height = 0;     ///< mean distance between an instance of one and an instance of the other
    std::size_t size = 0;  ///< instances in the new cluster
};

struct Clustering {
    std::vector<Merge> merges;  ///< N − 1, by ascending height
    /// All instances, so that each cluster is a stretch. In each merge the cluster that was made at the lower
    /// height stands left (an instance: height 0); of equal ones, that with the smallest instance.
    std::vector<std::size_t> leaves;
};

/// Clusters `instances` ≥ 1 by the distances of all pairs below the diagonal, (1,0), (2,0), (2,1), …; NaN
/// counts as the largest other distance. Takes N² steps and no memory of the size of `distances` besides it.
/// Of equally near neighbours the one with the smallest instance is taken, so that the result is always the
/// same. Means are kept as T, float or double: heights of double have 15 digits, and the order of a picture
/// takes half of the memory. Throws UsageError for no instances, and another number of distances.
template <class T = float>
Clustering clusterByAverageLinkage(std::size_t instances, std::vector<T> distances, Progress& progress);

/// Bytes that distances of float take, which are clustered in place.
double bytesBelowDiagonal(std::size_t instances);

/// The pairs of a result below the diagonal, as distances: 1 − value for a similarity. Throws Error when
/// there is not enough memory.
std::vector<float> distancesBelowDiagonal(const pairs::PairStore& store, bool isSimilarity);

}  // namespace glycine::trees
