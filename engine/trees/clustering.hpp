#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/pairs/pair_store.hpp"

/// Hierarchical clustering by average linkage (UPGMA).
///
/// Sources: UPGMA: R. R. Sokal, C. D. Michener, "A statistical method for evaluating systematic
/// relationships", University of Kansas Science Bulletin 38 (1958), 1409–1438. Nearest-neighbour chain: F.
/// Murtagh, "A survey of recent advances in hierarchical clustering algorithms", The Computer Journal 26
/// (1983), 354–359; D. Müllner, "Modern hierarchical, agglomerative clustering algorithms", arXiv:1109.2378
/// (2011), section 3.1.
namespace glycine::trees {

class TreeDevice;

/// One step of an agglomeration. Clusters 0 … N − 1 are the instances; step k makes cluster N + k.
struct Merge {
    std::size_t left = 0;
    std::size_t right = 0;
    double height = 0;     ///< mean distance between instances of the two clusters
    std::size_t size = 0;  ///< instances in the new cluster
};

struct Clustering {
    std::vector<Merge> merges;  ///< N − 1, by ascending height
    /// All instances, ordered so that each cluster is contiguous. In each merge, the cluster made at the
    /// lower height is on the left (an instance has height 0); among equal heights, the cluster with the
    /// smallest instance.
    std::vector<std::size_t> leaves;
};

/// Clusters `instances` ≥ 1 by the distances of all pairs below the diagonal, (1,0), (2,0), (2,1), …; NaN
/// counts as the largest other distance. Takes N² steps, and works in place on `distances`. Among equally
/// near neighbours, the one with the smallest instance is taken, so the result is deterministic. Means are
/// kept as T: double gives heights with 15 digits; float, enough for the order of a picture, halves the
/// memory. `device` (tree_engine.hpp): makes the merges where that is faster, with the same result to the
/// last bit; null: the host makes them. Throws UsageError for no instances or a wrong number of distances,
/// WrongResultError.
template <class T = float>
Clustering clusterByAverageLinkage(std::size_t instances, std::vector<T> distances, Progress& progress,
                                   TreeDevice* device = nullptr);

/// Bytes of the float distances, which are clustered in place.
double bytesBelowDiagonal(std::size_t instances);

/// The pairs of a result below the diagonal as distances: 1 − value for a similarity. Throws MemoryError if
/// there is not enough memory.
std::vector<float> distancesBelowDiagonal(const pairs::PairStore& store, bool isSimilarity);

}  // namespace glycine::trees
