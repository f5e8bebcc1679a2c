#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/core/progress.hpp"
#include "engine/trees/tree.hpp"

/// Alignments of many sequences by maximum expected accuracy: two groups are joined so that the weighted sum
/// of the posteriors of all pairs of residues that come into one column is largest. Gaps cost nothing.
///
/// Source: C. B. Do et al., "ProbCons", Genome Research 15 (2005), 330–340.
namespace glycine::align {

class AccuracyAligner {
  public:
    /// `weights`: one a sequence, above 0: those of the joins. Everything outlives the aligner.
    AccuracyAligner(const Sequences& sequences, GroupJoins& joins, std::span<const double> weights);

    /// Joins groups along a rooted tree whose nodes have two children; all whose children are done, side by
    /// side.
    void alignAlong(const trees::Tree& tree, Progress& progress);

    /// Splits the alignment in two by whether a sequence has a residue in some column, and joins both again,
    /// `times` times; columns are chosen at random. The expected accuracy never falls.
    void refine(std::size_t times, std::uint64_t seed, Progress& progress);

    /// Sequences as the tree has joined them.
    const std::vector<std::size_t>& order() const { return order_; }
    /// Of each residue of each sequence, the column where it stands.
    const PlacedResidues& columns() const { return columns_; }
    std::size_t width() const { return width_; }
    /// The weighted sum of posteriors of all pairs of residues in one column, divided by that of the weights
    /// of the pairs that stand there: of each column, 0 … 1; 0 where there is a single residue.
    std::vector<double> confidences(Progress& progress) const;

  private:
    /// Puts both groups, which have been aligned, beside each other; returns the number of columns.
    std::size_t join(const GroupJoin& groups, const ColumnChain& chain);
    /// Leaves out columns in which no sequence of the group has a residue; returns how many are left.
    std::size_t compact(std::span<const std::size_t> group);

    const Sequences& sequences_;
    GroupJoins& joins_;
    std::span<const double> weights_;
    PlacedResidues columns_;
    std::vector<std::size_t> order_;
    std::size_t width_ = 0;
};

}  // namespace glycine::align
