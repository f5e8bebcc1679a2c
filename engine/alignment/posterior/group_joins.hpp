#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/alignment/posterior/device_types.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/stage_recount.hpp"
#include "engine/core/tiling.hpp"

/// What an alignment of maximum expected accuracy adds up and maximises: posteriors between whole groups of
/// sequences. The order in which groups are joined is AccuracyAligner's.
namespace glycine::align {

/// Of each residue of each sequence, the column of its group where it stands; ascending in a sequence.
using PlacedResidues = std::vector<std::vector<std::uint32_t>>;
/// Of each residue of each sequence, a number.
using ResidueValues = std::vector<std::vector<double>>;
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
    /// Of each residue, where all sequences stand in one alignment: its posteriors with the other residues of
    /// its column, times the weights of their sequences, summed up.
    virtual ResidueValues sumsWithin(const PlacedResidues& residues, Progress& progress) = 0;
    /// What the backend decided on the way; may be empty.
    virtual std::string note() const { return {}; }
};

/// On the processor, with as many threads as OpenMP has. `weights`: one a sequence, above 0.
std::unique_ptr<GroupJoins> joinsOnHost(const PosteriorSet& posteriors, std::span<const double> weights);

// ---- sums of posteriors

/// What a column of one group (a row) gains beside one of the other.
struct JoinGain {
    std::uint32_t row = 0, column = 0;
    float sum = 0;  ///< of weighted posteriors, above 0
};
/// Of one join, in parts: one after another they ascend by row, and within a row by column.
using JoinGains = std::vector<std::vector<JoinGain>>;

/// Adds posteriors up between groups, on the processor with as many threads as OpenMP has; in an order that
/// does not depend on these.
class JoinSums {
  public:
    /// `weights`: one a sequence. Both outlive it.
    JoinSums(const PosteriorSet& posteriors, std::span<const double> weights)
        : posteriors_(posteriors), weights_(weights) {}
    /// Hands over the gains of each join, with its number; several threads do so at once.
    void find(std::span<const GroupJoin> joins, const PlacedResidues& residues, Progress& progress,
              const std::function<void(std::size_t join, JoinGains&& gains)>& take);

  private:
    /// Sums of a few columns of one group with all of the other: zeros between calls.
    struct Sums {
        std::vector<float> values;           ///< a row for each of the columns
        std::vector<std::uint64_t> present;  ///< the same, a bit each: whether something was added
    };
    std::vector<JoinGain> gainsOf(const GroupJoin& join, Range columns, const PlacedResidues& residues,
                                  Sums& sums) const;
    JoinGains gainsBy(const GroupJoin& join, const PlacedResidues& residues, int threads,
                      std::size_t firstThread);

    const PosteriorSet& posteriors_;
    std::span<const double> weights_;
    std::vector<Sums> sums_;  ///< of each thread
};

/// Of gains those that are heaviest together, as GroupJoins::heaviestChains promises.
ColumnChain heaviestChainOf(const JoinGains& gains, std::size_t columns);

// ---- chains of devices

/// The chain that steps tell, from the last of so many rows and columns back. `stepAt(row, column)`: of a
/// cell. Throws ImpossibleResultError for a step that does not exist.
template <class StepAt>
ColumnChain chainAlongSteps(std::size_t rows, std::size_t columns, StepAt&& stepAt) {
    ColumnChain chain;
    for (std::size_t i = rows, j = columns; i > 0 && j > 0;) {
        switch (static_cast<ChainStep>(stepAt(i - 1, j - 1))) {
            case ChainStep::Up:
                --i;
                break;
            case ChainStep::Left:
                --j;
                break;
            case ChainStep::Pair:
                chain.emplace_back(static_cast<std::uint32_t>(--i), static_cast<std::uint32_t>(--j));
                break;
            default:
                throw ImpossibleResultError(
                    fmt::format("the step of a join at columns {} and {} is {}; expected 0 to 2", i, j,
                                stepAt(i - 1, j - 1)));
        }
    }
    std::ranges::reverse(chain);
    return chain;
}

}  // namespace glycine::align
