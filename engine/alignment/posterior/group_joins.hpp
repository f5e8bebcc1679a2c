#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/progress.hpp"

/// What an alignment of maximum expected accuracy adds up and maximises: posteriors between whole groups of
/// sequences. The order in which groups are joined is AccuracyAligner's.
namespace glycine::align {

/// Of each residue of each sequence, the column of its group where it stands; ascending in a sequence.
using PlacedResidues = std::vector<std::vector<std::uint32_t>>;
/// Columns of one group beside columns of another; both ascend.
using ColumnChain = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Two groups of sequences that are to be put beside each other.
struct GroupJoin {
    std::span<const std::size_t> first, second;   ///< sequences
    std::size_t firstWidth = 0, secondWidth = 0;  ///< columns of each group
};

/// Posteriors and weights of sequences, which outlive it.
class GroupJoins {
  public:
    virtual ~GroupJoins() = default;
    /// Of each join the pairs of columns whose sum is largest among which both ascend: what a pair counts is
    /// the sum over all residues of both columns of their posteriors, times the weights of their sequences.
    /// Of equal sums the one counts whose last pair stands in the first row, and there in the first column;
    /// so does what is before it. No sequence is in two joins.
    virtual std::vector<ColumnChain> heaviestChains(std::span<const GroupJoin> joins,
                                                    const PlacedResidues& residues, Progress& progress) = 0;
    /// Of each of `width` columns, in which all sequences stand now: posteriors of the pairs of residues
    /// there, times both weights, summed up.
    virtual std::vector<double> sumsWithin(const PlacedResidues& residues, std::size_t width,
                                           Progress& progress) = 0;
    /// What the backend decided on the way; may be empty.
    virtual std::string note() const { return {}; }
};

/// On the processor, with as many threads as OpenMP has. `weights`: one a sequence, above 0.
std::unique_ptr<GroupJoins> joinsOnHost(const PosteriorSet& posteriors, std::span<const double> weights);

}  // namespace glycine::align
