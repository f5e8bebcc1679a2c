#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/device/launch.hpp"

/// Counting in rank space, for both host and device. The partners within r of a sample are one interval of
/// the sorted partner, because floating-point subtraction is monotone. For m = 1, a long match of the
/// template (x, x′) is a point (rank of y, rank of the sample after y) in the rectangle of two such
/// intervals.
namespace glycine::cuda {

/// Ranks [begin, end).
struct RankInterval {
    unsigned begin;
    unsigned end;
};

/// The partners y with |x − y| < bound among `count` ≥ 1 ascending ones. Partners with x − y ≥ bound come
/// before them, partners with x − y ≤ −bound after them.
template <class T>
GLYCINE_HOST_DEVICE inline RankInterval findInterval(T x, const T* partners, unsigned count, T bound) {
    unsigned begin = 0;
    unsigned end = 0;
    unsigned rest = count;
    while (rest > 1) {
        const unsigned half = rest / 2;
        if (x - partners[begin + half - 1] >= bound) begin += half;
        if (x - partners[end + half - 1] > -bound) end += half;
        rest -= half;
    }
    begin += x - partners[begin] >= bound ? 1 : 0;
    end += x - partners[end] > -bound ? 1 : 0;
    return {begin, end > begin ? end : begin};  // with a bound of 0, ties would give end < begin
}

// A grid of cells of 32 × 32 ranks, in 32-bit words:
//   counts  [a][h], a ≤ cells, h < cells: lower half: points with first rank < 32 a and second rank < 32 h;
//           upper half: points in column h of cells with first rank < 32 a;
//   rows    [a][n], n ≤ 32: of the 32 points of row a, those with the n smallest second ranks, as a set of
//           first ranks;
//   columns [h][n]: likewise, of the points of column h those with the n smallest first ranks.
inline constexpr unsigned kRankCell = 32;
inline constexpr std::uint16_t kNoRank = 0xffff;

/// An interval may end after the last sample, so one extra cell is always needed.
GLYCINE_HOST_DEVICE constexpr unsigned rankCells(std::size_t samples) {
    return unsigned(samples / kRankCell + 1);
}
GLYCINE_HOST_DEVICE constexpr std::size_t dominanceGridWords(std::size_t samples) {
    const std::size_t cells = rankCells(samples);
    return (cells + 1) * cells + 2 * cells * (kRankCell + 1);
}

GLYCINE_HOST_DEVICE inline unsigned countBits(unsigned bits) {
#ifdef __CUDA_ARCH__
    return unsigned(__popc(bits));
#else
    return unsigned(__builtin_popcount(bits));
#endif
}

class DominanceGrid {
  public:
    GLYCINE_HOST_DEVICE DominanceGrid(const std::uint32_t* words, unsigned cells)
        : counts_(words),
          rows_(words + (cells + 1) * cells),
          columns_(rows_ + cells * (kRankCell + 1)),
          cells_(cells) {}

    /// Points with first rank < p and second rank < q. Exact: counts whole cells, then the rest of row a,
    /// then the rest of column h.
    GLYCINE_HOST_DEVICE unsigned countBelow(unsigned p, unsigned q) const {
        const unsigned a = p / kRankCell;
        const unsigned h = q / kRankCell;
        const unsigned firsts = (1U << p % kRankCell) - 1;
        const unsigned seconds = (1U << q % kRankCell) - 1;
        const std::uint32_t here = counts_[a * cells_ + h];
        const std::uint32_t above = counts_[(a + 1) * cells_ + h];
        // In row a: points before column h, and before its end.
        const unsigned left = (above & 0xffff) - (here & 0xffff);
        const unsigned through = left + (above >> 16) - (here >> 16);
        const std::uint32_t* row = rows_ + a * (kRankCell + 1);
        const unsigned rowsLeft = row[left] & firsts;
        const unsigned inCell = (row[through] & firsts) ^ rowsLeft;
        const std::uint32_t inColumn = columns_[h * (kRankCell + 1) + (here >> 16) + countBits(inCell)];
        return (here & 0xffff) + countBits(rowsLeft) + countBits(inColumn & seconds);
    }

    GLYCINE_HOST_DEVICE unsigned countInside(RankInterval first, RankInterval second) const {
        return countBelow(first.end, second.end) - countBelow(first.end, second.begin) -
               countBelow(first.begin, second.end) + countBelow(first.begin, second.begin);
    }

  private:
    const std::uint32_t* counts_;
    const std::uint32_t* rows_;
    const std::uint32_t* columns_;
    unsigned cells_;
};

}  // namespace glycine::cuda
