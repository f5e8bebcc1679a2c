#pragma once

#include "kernels_cuda/crossapen/crossapen_kernels.hpp"
#include "kernels_cuda/crossapen/crossapen_template.cuh"

/// Matches of templates from bit rows: a group of kWords lanes takes 32 templates, each lane one word of
/// their rows.
namespace glycine::cuda {

inline constexpr unsigned kRowsOfGroup = 32;
/// Instances of the kernel: one for each m up to this, one for all others up to kShortTemplates, one for the
/// rest (length 0).
inline constexpr unsigned kExactLengths = 3;

/// kWords: of a bit set; a block has kWords groups, which together take a whole segment.
template <unsigned kWords>
struct BlockShape {
    static constexpr unsigned kLength = 32 * kWords;
    static constexpr unsigned kThreads = kWords * kWords;
    static constexpr unsigned kPrefixes = kLength + 1;
};

/// The lane's word of the rows of one segment of templates.
template <unsigned kWords>
class MatchRows {
  public:
    __device__ MatchRows(const std::uint32_t* prefixes, const std::uint32_t* intervals)
        : prefixes_(prefixes), intervals_(intervals), word_(threadIdx.x % kWords) {}

    /// Of the sample at `time`, which lies in the segment.
    __device__ unsigned row(unsigned time) const {
        const std::uint32_t interval = intervals_[time];
        return prefixes_[(interval & 0xffff) * kWords + word_] ^ prefixes_[(interval >> 16) * kWords + word_];
    }
    /// The same, empty behind the segment.
    __device__ unsigned rowOrNone(unsigned time) const {
        return time < BlockShape<kWords>::kLength ? row(time) : 0;
    }
    /// The row moved by `places` partners: bit t is that of the partner `places` after t.
    __device__ unsigned shiftedRow(unsigned time, unsigned places) const {
        if (time >= BlockShape<kWords>::kLength) return 0;
        const std::uint32_t interval = intervals_[time];
        const std::uint32_t* begin = prefixes_ + (interval & 0xffff) * kWords;
        const std::uint32_t* end = prefixes_ + (interval >> 16) * kWords;
        const unsigned from = word_ + places / 32;
        const unsigned low = from < kWords ? begin[from] ^ end[from] : 0;
        const unsigned high = from + 1 < kWords ? begin[from + 1] ^ end[from + 1] : 0;
        return __funnelshift_r(low, high, places % 32);
    }
    /// The same of a set in registers, moved by one; the group's last lane gets an undefined last bit.
    static __device__ unsigned movedByOne(unsigned set) {
        return __funnelshift_r(set, __shfl_down_sync(kWholeWarp, set, 1, kWords), 1);
    }

  private:
    const std::uint32_t* prefixes_;
    const std::uint32_t* intervals_;
    unsigned word_;
};

/// The sum over the lanes of a group, in each of them.
template <unsigned kWords>
__device__ inline unsigned groupSum(unsigned value) {
    if constexpr (kWords == kWarp) {
        return warpSum(value);
    } else {
        for (unsigned step = kWords / 2; step > 0; step /= 2)
            value += __shfl_xor_sync(kWholeWarp, value, step);
        return value;
    }
}

/// Hands the numbers of matches of the group's 32 templates, short ones in the lower half, to
/// deliver(template of the group, both). shortPlaces, longPlaces: the lane's word of the partners that count.
/// Both numbers fit 16 bits: a segment has fewer samples.
template <unsigned kWords, class Deliver>
struct GroupCounts {
    unsigned shortPlaces;
    unsigned longPlaces;
    const Deliver& deliver;
    __device__ void give(unsigned i, unsigned shortSet, unsigned longSet) const {
        deliver(i, groupSum<kWords>(unsigned(__popc(shortSet & shortPlaces)) |
                                    unsigned(__popc(longSet & longPlaces)) << 16));
    }
};

/// Partner sets of short templates in registers. length: m, or the largest m that is taken.
template <unsigned kWords, unsigned length, class Counts>
__device__ inline void countInRegisters(const MatchRows<kWords>& rows, unsigned m, const Counts& counts) {
    constexpr bool isExact = length <= kExactLengths;
    const unsigned first = threadIdx.x / kWords * kRowsOfGroup;
    // set[length - n]: partners whose templates of m + 1 - n samples match. From the last template to the
    // first, so that each needs one new row. A row is where the chain of sets begins: set[length - m]; what
    // lies before it does not count.
    unsigned set[length + 1] = {};
    const auto advance = [&](unsigned row) {
#pragma unroll
        for (unsigned k = length; k > 0; --k) {
            const unsigned moved = MatchRows<kWords>::movedByOne(set[k - 1]);
            if constexpr (isExact)
                set[k] = row & moved;
            else
                set[k] = row & (moved | (k + m == length ? 0xffffffffU : 0U));
        }
        set[0] = row;
    };
    for (unsigned k = isExact ? length : m; k > 0; --k) advance(rows.rowOrNone(first + kRowsOfGroup - 1 + k));
#pragma unroll 4
    for (unsigned i = kRowsOfGroup; i-- > 0;) {
        advance(rows.row(first + i));
        counts.give(i, set[length - 1], set[length]);
    }
}

/// The same for any m: all rows of each template, until no partner is left.
template <unsigned kWords, class Counts>
__device__ inline void countRowByRow(const MatchRows<kWords>& rows, unsigned m, const Counts& counts) {
    const unsigned first = threadIdx.x / kWords * kRowsOfGroup;
    for (unsigned i = 0; i < kRowsOfGroup; ++i) {
        unsigned set = rows.row(first + i) & counts.shortPlaces;
        for (unsigned k = 1; k < m && __any_sync(kWholeWarp, set != 0); ++k)
            set &= rows.shiftedRow(first + i + k, k);
        counts.give(i, set, set & rows.shiftedRow(first + i + m, m));
    }
}

/// Bits of the lane's word for the first `count` partners.
__device__ inline unsigned firstPlaces(unsigned word, unsigned count) {
    const unsigned before = 32 * word;
    if (count <= before) return 0;
    return count - before >= 32 ? 0xffffffffU : (1U << (count - before)) - 1;
}

}  // namespace glycine::cuda
