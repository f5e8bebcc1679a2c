#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::align {

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

}  // namespace glycine::align
