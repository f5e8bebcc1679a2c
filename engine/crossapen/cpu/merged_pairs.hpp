#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/crossapen/cpu/column_counts.hpp"
#include "engine/crossapen/cpu/match_kernels.hpp"
#include "engine/crossapen/cpu/partner_blocks.hpp"
#include "engine/crossapen/pair_entropies.hpp"

namespace glycine::crossapen::cpu {

/// Variant `merged`: every sample of one channel is compared with every one of the other. The comparisons of
/// a sample make a bit row; templates of both lengths are its and the next rows' combination by AND. Row sums
/// are the matches for one direction, column sums for the other. One thread's.
template <class T>
class MergedPairs {
  public:
    /// For channels of `samples` samples.
    MergedPairs(const MatchKernels<T>& kernels, std::size_t samples, std::size_t m);

    /// Lays out the channel that the next calls compare with.
    void setPartner(std::span<const T> partner);
    /// `forward`: templates of `templates`, partners of the partner. `backward`: the other way round; null
    /// where nobody asks. `tolerance`: matches are ≤ it.
    void match(std::span<const T> templates, T tolerance, const LogTable& logs, MatchStatistics& forward,
               MatchStatistics* backward);

  private:
    struct Block {
        PartnerBlock range;
        std::size_t words = 0;
        std::vector<std::uint64_t> positions;
        Matrix<T> partners;  // one row, in the kernel's order
    };

    void matchBlock(const Block& block, const T* templates, T tolerance, bool wantsColumns);

    const MatchKernels<T>& kernels_;
    std::size_t samples_;
    std::size_t m_;
    std::array<std::uint8_t, 64> bitOfPlace_;  // which bit the kernel gives to each of 64 partners
    std::vector<Block> blocks_;
    std::span<const T> partner_;
    std::vector<std::uint64_t> rows_;
    ColumnCounts shortColumns_;
    ColumnCounts longColumns_;
    std::vector<std::uint32_t> shortByRow_;
    std::vector<std::uint32_t> longByRow_;
    std::vector<std::uint32_t> shortByColumn_;
    std::vector<std::uint32_t> longByColumn_;
};

}  // namespace glycine::crossapen::cpu
