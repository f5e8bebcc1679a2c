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

/// The sums that an alignment of maximum expected accuracy maximises: posteriors between whole groups of
/// sequences. AccuracyAligner decides the order in which groups are joined.
namespace glycine::align {

/// [sequence][residue]: the residue's column in its group; ascends within a sequence.
using PlacedResidues = std::vector<std::vector<std::uint32_t>>;
/// [sequence][residue]: a value.
using ResidueValues = std::vector<std::vector<double>>;
/// Columns of one group paired with columns of another; both ascend.
using ColumnChain = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Two groups of sequences to be aligned.
struct GroupJoin {
    std::span<const std::size_t> first, second;   ///< sequences
    std::size_t firstWidth = 0, secondWidth = 0;  ///< columns of each group
};

/// Sums over the posteriors and weights of sequences, which must outlive it.
class GroupJoins {
  public:
    virtual ~GroupJoins() = default;
    /// Finds for each join the pairs of columns with the largest sum in which both columns ascend. The value
    /// of a pair is the sum, over all residues of both columns, of their posterior times the weights of their
    /// sequences. Among equal sums, the chain whose last pair has the lowest row wins, and then the lowest
    /// column; the same rule applies to the pairs before it. No sequence may be in two joins.
    virtual std::vector<ColumnChain> heaviestChains(std::span<const GroupJoin> joins,
                                                    const PlacedResidues& residues, Progress& progress) = 0;
    /// For each residue of one alignment of all sequences: the sum of its posteriors with the other residues
    /// of its column, times the weights of their sequences.
    virtual ResidueValues sumsWithin(const PlacedResidues& residues, Progress& progress) = 0;
    /// Decisions that the backend made during the run; may be empty.
    virtual std::string note() const { return {}; }
};

/// Sums on the processor, with all OpenMP threads. `weights`: one per sequence, above 0.
std::unique_ptr<GroupJoins> joinsOnHost(const PosteriorSet& posteriors, std::span<const double> weights);

// ---- sums of posteriors

/// The gain of pairing a column of one group (a row) with a column of the other.
struct JoinGain {
    std::uint32_t row = 0, column = 0;
    float sum = 0;  ///< of weighted posteriors, above 0
};
/// The gains of one join, in consecutive parts; they ascend by row, and within a row by column.
using JoinGains = std::vector<std::vector<JoinGain>>;

/// Sums posteriors between groups on the processor with all OpenMP threads. The order of summation does not
/// depend on the number of threads.
class JoinSums {
  public:
    /// `weights`: one per sequence. Both arguments must outlive this object.
    JoinSums(const PosteriorSet& posteriors, std::span<const double> weights)
        : posteriors_(posteriors), weights_(weights) {}
    /// Calls `take` with the number and the gains of each join; several threads call it at once.
    void find(std::span<const GroupJoin> joins, const PlacedResidues& residues, Progress& progress,
              const std::function<void(std::size_t join, JoinGains&& gains)>& take);

  private:
    /// Sums of a few columns of one group with all columns of the other; all zero between calls.
    struct Sums {
        std::vector<float> values;           ///< one row per column of the first group
        std::vector<std::uint64_t> present;  ///< one bit per value: whether anything was added
    };
    std::vector<JoinGain> gainsOf(const GroupJoin& join, Range columns, const PlacedResidues& residues,
                                  Sums& sums) const;
    JoinGains gainsBy(const GroupJoin& join, const PlacedResidues& residues, int threads,
                      std::size_t firstThread);

    const PosteriorSet& posteriors_;
    std::span<const double> weights_;
    std::vector<Sums> sums_;  ///< one per thread
};

/// The heaviest chain of the gains, as GroupJoins::heaviestChains defines it.
ColumnChain heaviestChainOf(const JoinGains& gains, std::size_t columns);

// ---- chains of devices

/// Follows steps back from the last row and column and returns the chain. `stepAt(row, column)` is the step
/// of a cell. Throws ImpossibleResultError for an unknown step.
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
