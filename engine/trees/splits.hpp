#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/trees/tree.hpp"

/// Into which two sets of leaves each branch of a tree divides them.
namespace glycine::trees {

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
