#include "engine/crossapen/cpu/pruned_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/core/tiling.hpp"

namespace glycine::crossapen::cpu {

namespace {

/// Samples of a block: its table stays in the second-level cache. Ranks need 16 bits.
constexpr std::size_t kGridSamples = 16384;
constexpr std::size_t kBitSetSamples = 2048;
static_assert(kGridSamples < kMaximumSearched && kBitSetSamples < kMaximumSearched);

/// Bit rows that are held at a time: they stay in the first-level cache.
constexpr std::size_t kChunk = 64;

/// How many templates of `signal` match the single one at `sample`, both of length m. Samples are compared
/// for many templates at once.
template <class T>
std::uint64_t countMatchesOf(const T* sample, std::span<const T> signal, std::size_t m, T tolerance) {
    constexpr std::size_t kStep = 64;
    std::uint64_t total = 0;
    const std::size_t templates = signal.size() - m + 1;
    for (std::size_t first = 0; first < templates; first += kStep) {
        const std::size_t count = std::min(kStep, templates - first);
        std::array<std::uint8_t, kStep> isMatch;
        isMatch.fill(1);
        for (std::size_t k = 0; k < m; ++k)
            for (std::size_t i = 0; i < count; ++i)
                isMatch[i] &= std::abs(signal[first + i + k] - sample[k]) <= tolerance;
        for (std::size_t i = 0; i < count; ++i) total += isMatch[i];
    }
    return total;
}

}  // namespace

template <class T>
void SortedBlock<T>::select(const SortedSignal<T>& signal, const PartnerBlock& block) {
    values.resize(block.samples + kPartnerPadding);
    order.resize(block.samples);
    std::size_t count = 0;
    for (std::size_t k = 0; k < signal.size(); ++k) {
        const std::size_t time = signal.order[k] - block.first;  // wraps around for earlier samples
        if (time >= block.samples) continue;
        values[count] = signal.values[k];
        order[count] = static_cast<std::uint32_t>(time);
        ++count;
    }
    std::fill_n(values.data() + count, kPartnerPadding, std::numeric_limits<T>::infinity());
}

template <class T>
PrunedPairs<T>::PrunedPairs(const MatchKernels<T>& kernels, std::size_t samples, std::size_t m)
    : kernels_(kernels),
      samples_(samples),
      m_(m),
      intervals_(roundUp(samples, kTemplatePadding)),
      shortMatches_(samples - m + 1),
      longMatches_(samples - m + 1) {
    std::size_t stride = 0;
    const auto ranges = m == 1 ? splitPartner(samples, m, RankGrid::kCell, kGridSamples)
                               : splitPartner(samples, m, 64 * kernels.words, kBitSetSamples);
    for (const PartnerBlock& range : ranges) {
        Block& block = blocks_.emplace_back();
        block.range = range;
        if (m == 1)
            block.grid.emplace(range, &range == &ranges.back());
        else
            stride = std::max(stride, block.sets.emplace(range, m, kernels.words).stride());
    }
    rows_.resize((kChunk + m) * stride);
}

template <class T>
void PrunedPairs<T>::setPartner(std::span<const T> partner, const SortedSignal<T>& sorted) {
    partner_ = partner;
    for (Block& block : blocks_) {
        block.sorted.select(sorted, block.range);
        if (block.grid)
            block.grid->fill(block.sorted.order);
        else
            block.sets->fill(block.sorted.order);
    }
}

template <class T>
MatchStatistics PrunedPairs<T>::match(std::span<const T> templates, const SortedSignal<T>& sorted,
                                      T tolerance, const LogTable& logs) {
    std::fill(shortMatches_.begin(), shortMatches_.end(), 0);
    std::fill(longMatches_.begin(), longMatches_.end(), 0);
    for (const Block& block : blocks_) {
        kernels_.findIntervals(
            {sorted.values.data(), samples_, block.sorted.values.data(), tolerance, intervals_.data()});
        if (block.grid)
            kernels_.countRectangles({intervals_.data(), sorted.ranks.data(), samples_, block.grid->view()},
                                     shortMatches_.data(), longMatches_.data());
        else
            selectAndCount(*block.sets, sorted);
    }
    const std::size_t longTotal = samples_ - m_;
    const std::uint64_t outside =
        shortMatches_.back() + countMatchesOf(partner_.data() + longTotal, templates, m_, tolerance) -
        countMatchesOf(partner_.data() + longTotal, templates.last(m_), m_, tolerance);
    return summarise({shortMatches_, std::span(longMatches_).first(longTotal), outside}, logs);
}

template <class T>
void PrunedPairs<T>::selectAndCount(const PrefixBitSets& sets, const SortedSignal<T>& sorted) {
    const BitRows rows{rows_.data(), sets.stride(), sets.words(), m_};
    for (std::size_t first = 0; first < shortMatches_.size(); first += kChunk) {
        const std::size_t count = std::min(kChunk, shortMatches_.size() - first);
        const std::size_t selected = std::min(count + m_, samples_ - first);
        kernels_.selectRows(
            {sets.prefixes(), intervals_.data(), sorted.ranks.data() + first, selected, rows});
        // The last template has no sample m + 1, which then matches nothing.
        std::fill(rows.row(selected), rows.row(count + m_), 0);
        kernels_.countWindows({rows, count, sets.positions()}, shortMatches_.data() + first,
                              longMatches_.data() + first);
    }
}

template class PrunedPairs<float>;
template class PrunedPairs<double>;

}  // namespace glycine::crossapen::cpu
