#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/crossapen/cpu/match_kernels.hpp"
#include "engine/crossapen/cpu/partner_blocks.hpp"
#include "engine/crossapen/cpu/partner_tables.hpp"
#include "engine/crossapen/pair_entropies.hpp"
#include "engine/crossapen/prepared_signals.hpp"

namespace glycine::crossapen::cpu {

/// The samples of one block of a partner in ascending order.
template <class T>
struct SortedBlock {
    /// Takes them from the whole partner.
    void select(const SortedSignal<T>& signal, const PartnerBlock& block);

    std::vector<T> values;             ///< followed by kPartnerPadding infinities
    std::vector<std::uint32_t> order;  ///< time of the k-th value, counted from the beginning of the block
};

/// Variant `pruned`: the partners within r of a sample form one interval of the sorted partner. m = 1: such
/// intervals of two consecutive samples are a rectangle of ranks, and the points in it come from prefix
/// counts. Otherwise an interval is the difference of two prefix sets of positions, and templates are
/// combined from them as in `merged`. Both count the same matches as comparing does. One thread's.
template <class T>
class PrunedPairs {
  public:
    /// For channels of `samples` samples.
    PrunedPairs(const MatchKernels<T>& kernels, std::size_t samples, std::size_t m);

    /// Makes the tables of the channel that the next calls search.
    void setPartner(std::span<const T> partner, const SortedSignal<T>& sorted);
    /// Templates of `templates`, partners of the partner. `tolerance`: matches are ≤ it.
    MatchStatistics match(std::span<const T> templates, const SortedSignal<T>& sorted, T tolerance,
                          const LogTable& logs);

  private:
    struct Block {
        PartnerBlock range;
        SortedBlock<T> sorted;
        std::optional<RankGridTable> grid;
        std::optional<PrefixBitSets> sets;
    };

    void selectAndCount(const PrefixBitSets& sets, const SortedSignal<T>& sorted);

    const MatchKernels<T>& kernels_;
    std::size_t samples_;
    std::size_t m_;
    std::vector<Block> blocks_;
    std::span<const T> partner_;
    std::vector<Interval> intervals_;
    std::vector<std::uint64_t> rows_;
    std::vector<std::uint32_t> shortMatches_;
    std::vector<std::uint32_t> longMatches_;
};

}  // namespace glycine::crossapen::cpu
