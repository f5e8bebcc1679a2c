#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/trees/neighbour_joining.hpp"
#include "engine/trees/tree_engine.hpp"

/// Internal to engine/trees: trees of which a device runs the rounds. Every index is checked before it is
/// used; a sample of rounds is counted again.
namespace glycine::trees {

/// The tree that neighbour joining makes, from the pairs that are joined. Clusters are named by their
/// smallest instance.
class JoinedTree {
  public:
    /// Requires at least one instance.
    JoinedTree(std::size_t instances, const NeighbourJoiningOptions& options);
    /// Joins two clusters, low < high. `lowMean` and `highMean`: sums of their distances to all others,
    /// divided by the number of clusters minus two.
    void join(std::size_t low, std::size_t high, double distance, double lowMean, double highMean);
    /// Joins the last two or three clusters, by their distances below the diagonal.
    void joinLast(std::span<const std::size_t> names, const std::array<double, 3>& distances);
    const Tree& tree() const { return tree_; }
    /// The node of a cluster.
    std::size_t nodeOf(std::size_t name) const { return nodes_[name]; }

  private:
    /// Attaches a cluster to a node; `length` is measured to where its distances begin.
    void hang(std::size_t node, std::size_t name, double length);

    NeighbourJoiningOptions options_;
    Tree tree_;
    std::vector<std::size_t> nodes_;
    std::vector<double> offsets_;  ///< distance from a cluster's node down to where its distances begin
};

/// Nothing: the host is to build the tree, which the device's reason() explains. Throws WrongResultError.
std::optional<Tree> joinOnDevice(TreeDevice& device, std::size_t instances, std::span<const double> distances,
                                 const NeighbourJoiningOptions& options, Progress& progress);

/// The merges of average linkage in the order of the nearest-neighbour chain; nothing as in joinOnDevice.
/// Distances must be numbers.
template <class T>
std::optional<std::vector<MergedPair>> mergeOnDevice(TreeDevice& device, std::size_t instances,
                                                     std::span<const T> distances, Progress& progress);

}  // namespace glycine::trees
