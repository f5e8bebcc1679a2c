#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/pairs/close_pairs.hpp"
#include "engine/trees/linkage.hpp"

/// Clusters of instances that lie within a distance of each other.
namespace glycine::pairs {

struct Clusters {
    /// Of each instance, the number of its cluster, from 0: the largest cluster first, of equally large ones
    /// that with the smallest instance.
    std::vector<std::size_t> of;
    std::vector<std::size_t> sizes;

    /// Clusters of two instances or more.
    std::size_t linked() const;
};

/// Cuts a clustering by `linkage` at the distance `within`. `pairs`: those up to `within`, for the average
/// those of any distance; column < row < instances. A pair that is not there has no value: it lies apart
/// (single, complete), or as far as the farthest (average).
Clusters clustersWithin(std::size_t instances, std::span<const ClosePair> pairs, double within,
                        trees::Linkage linkage, Progress& progress);

/// The shortest pairs that hold each cluster together: a minimum spanning tree of each. Ascending by
/// distance; of equal ones, the smaller instances first.
std::vector<ClosePair> spanningPairs(const Clusters& clusters, std::span<const ClosePair> pairs);

}  // namespace glycine::pairs
