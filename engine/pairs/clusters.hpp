#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/pairs/close_pairs.hpp"
#include "engine/trees/linkage.hpp"

/// Clusters of instances within a distance of each other.
namespace glycine::pairs {

struct Clusters {
    /// Cluster number of each instance, from 0: the largest cluster first, ties by the smallest instance.
    std::vector<std::size_t> of;
    std::vector<std::size_t> sizes;

    /// Number of clusters with at least two instances.
    std::size_t linked() const;
};

/// Cuts a clustering by `linkage` at the distance `within`. `pairs` holds the pairs up to `within`, or for
/// average linkage all pairs; column < row < instances. A missing pair has no value. It counts as farther
/// than `within` (single, complete), or as far as the farthest pair (average).
Clusters clustersWithin(std::size_t instances, std::span<const ClosePair> pairs, double within,
                        trees::Linkage linkage, Progress& progress);

/// A minimum spanning tree of each cluster: the shortest pairs that connect it. Ascending by distance, ties
/// by the smaller instances.
std::vector<ClosePair> spanningPairs(const Clusters& clusters, std::span<const ClosePair> pairs);

}  // namespace glycine::pairs
