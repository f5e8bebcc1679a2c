#include <algorithm>

#include "kernels_cuda/crossapen/crossapen_kernels.hpp"
#include "kernels_cuda/crossapen/crossapen_ranks.hpp"
#include "kernels_cuda/crossapen/crossapen_template.cuh"
#include "kernels_cuda/device/cuda_check.hpp"

/// Variant `bitset`, for any m without comparing all pairs. For a segment of a partner, prefix[k] in shared
/// memory is the bit set of the times of its k smallest samples. The samples within r of x are an interval of
/// ranks, so prefix[begin] xor prefix[end] is a row of the match matrix, 32 partners per word. ANDing a row
/// with the following rows, each shifted by one more bit, gives the matches of whole templates.
namespace glycine::cuda {

namespace {

// Matches of templates from bit rows. A group of kWords lanes processes 32 templates; each lane holds one
// word of their rows.

constexpr unsigned kRowsOfGroup = 32;
/// The kernel is instantiated for each m up to this, for all others up to kShortTemplates, and for any longer
/// m (length 0).
constexpr unsigned kExactLengths = 3;

/// kWords: words of a bit set. A block has kWords groups, which together process a whole segment.
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

    /// Row of the sample at `time`, which must be in the segment.
    __device__ unsigned row(unsigned time) const {
        const std::uint32_t interval = intervals_[time];
        return prefixes_[(interval & 0xffff) * kWords + word_] ^ prefixes_[(interval >> 16) * kWords + word_];
    }
    /// The same, but empty after the end of the segment.
    __device__ unsigned rowOrNone(unsigned time) const {
        return time < BlockShape<kWords>::kLength ? row(time) : 0;
    }
    /// The row shifted by `places` partners: bit t belongs to the partner `places` after t.
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
    /// A set in registers shifted by one partner. The last bit of the group's last lane is undefined.
    static __device__ unsigned movedByOne(unsigned set) {
        return __funnelshift_r(set, __shfl_down_sync(kFullWarp, set, 1, kWords), 1);
    }

  private:
    const std::uint32_t* prefixes_;
    const std::uint32_t* intervals_;
    unsigned word_;
};

/// The sum over the lanes of a group, returned in each lane.
template <unsigned kWords>
__device__ inline unsigned groupSum(unsigned value) {
    if constexpr (kWords == kWarp) {
        return warpSum(value);
    } else {
        for (unsigned step = kWords / 2; step > 0; step /= 2)
            value += __shfl_xor_sync(kFullWarp, value, step);
        return value;
    }
}

/// Passes the match counts of the group's 32 templates to deliver(template of the group, counts), with the
/// short count in the lower half. shortPlaces, longPlaces: the lane's word of the partners that count. Both
/// counts fit in 16 bits, because a segment has fewer samples.
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

/// Partner sets of short templates in registers. length: m, or the largest supported m.
template <unsigned kWords, unsigned length, class Counts>
__device__ inline void countInRegisters(const MatchRows<kWords>& rows, unsigned m, const Counts& counts) {
    constexpr bool isExact = length <= kExactLengths;
    const unsigned first = threadIdx.x / kWords * kRowsOfGroup;
    // set[length - n]: partners that match templates of m + 1 - n samples. Templates are processed from last
    // to first, so each needs one new row. The chain of sets starts at set[length - m] with a row; earlier
    // sets are not used.
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

/// The same for any m: ANDs all rows of each template until no partner is left.
template <unsigned kWords, class Counts>
__device__ inline void countRowByRow(const MatchRows<kWords>& rows, unsigned m, const Counts& counts) {
    const unsigned first = threadIdx.x / kWords * kRowsOfGroup;
    for (unsigned i = 0; i < kRowsOfGroup; ++i) {
        unsigned set = rows.row(first + i) & counts.shortPlaces;
        for (unsigned k = 1; k < m && __any_sync(kFullWarp, set != 0); ++k)
            set &= rows.shiftedRow(first + i + k, k);
        counts.give(i, set, set & rows.shiftedRow(first + i + m, m));
    }
}

/// Bits of the lane's word that belong to the first `count` partners.
__device__ inline unsigned firstPlaces(unsigned word, unsigned count) {
    const unsigned before = 32 * word;
    if (count <= before) return 0;
    return count - before >= 32 ? 0xffffffffU : (1U << (count - before)) - 1;
}

extern __shared__ __align__(16) unsigned char sharedSets[];

/// Layout of a block's shared memory.
template <class T, unsigned kWords>
struct BlockMemory {
    using Shape = BlockShape<kWords>;
    T* partners;                  ///< ascending
    std::uint32_t* prefixes;      ///< [k][word]
    std::uint32_t* intervals;     ///< [parity][time of the template's sample]: begin, end << 16
    std::uint16_t* times;         ///< of the partners
    std::uint32_t* shortMatches;  ///< [segment of templates][template]
    std::uint32_t* longMatches;

    __device__ explicit BlockMemory(unsigned groups) {
        partners = reinterpret_cast<T*>(sharedSets);
        prefixes = reinterpret_cast<std::uint32_t*>(partners + Shape::kLength);
        intervals = prefixes + Shape::kPrefixes * kWords;
        shortMatches = intervals + 2 * Shape::kLength;
        longMatches = shortMatches + groups * Shape::kLength;
        times = reinterpret_cast<std::uint16_t*>(longMatches + groups * Shape::kLength);
    }
    static std::size_t bytes(unsigned groups) {
        return Shape::kLength * sizeof(T) +
               (Shape::kPrefixes * kWords + 2 * Shape::kLength * (1 + groups)) * sizeof(std::uint32_t) +
               Shape::kLength * sizeof(std::uint16_t);
    }

    /// Loads a segment of a partner and builds its prefix sets. All threads of the block must call it.
    __device__ void load(const SortedSegments<T>& sorted, std::size_t segment) const {
        constexpr unsigned length = Shape::kLength;
        auto* ranks = reinterpret_cast<std::uint16_t*>(intervals);
        __syncthreads();
        for (unsigned k = threadIdx.x; k < length; k += Shape::kThreads) {
            const unsigned time = sorted.times[segment * length + k];
            partners[k] = sorted.values[segment * length + k];
            times[k] = std::uint16_t(time);
            ranks[time] = std::uint16_t(k);
        }
        __syncthreads();
        // Each group builds 32 prefixes: the first from the ranks of all samples, the others by adding one
        // sample.
        const unsigned word = threadIdx.x % kWords;
        const unsigned first = threadIdx.x / kWords * kRowsOfGroup;
        unsigned set = 0;
        for (unsigned step = 0; step < 32; ++step) {
            const unsigned bit = (step + word) % 32;
            set |= (ranks[32 * word + bit] < first ? 1U : 0U) << bit;
        }
        for (unsigned k = first; k < first + kRowsOfGroup; ++k) {
            prefixes[k * kWords + word] = set;
            const unsigned time = times[k];
            if (time / 32 == word) set |= 1U << time % 32;
        }
        if (first + kRowsOfGroup == length) prefixes[length * kWords + word] = set;
        __syncthreads();
    }
};

/// Match counts of one template.
struct Counts {
    unsigned shortMatches = 0;
    unsigned longMatches = 0;
};

template <class T, unsigned kWords, unsigned length>
__global__ void __launch_bounds__(BlockShape<kWords>::kThreads)
    bitsetKernel(MatchProblem<T> problem, SegmentShape segmentShape, SortedSegments<T> sorted,
                 std::size_t firstUnit, unsigned parts, unsigned segmentsOfPart, unsigned groups) {
    constexpr unsigned kLength = BlockShape<kWords>::kLength;
    constexpr unsigned kThreads = BlockShape<kWords>::kThreads;
    const unsigned m = problem.shape.m;
    const unsigned last = problem.longTemplates();
    const unsigned segments = unsigned(segmentShape.segments());
    const BlockMemory<T, kWords> memory(groups);
    const unsigned word = threadIdx.x % kWords;
    const unsigned firstOfGroup = threadIdx.x / kWords * kRowsOfGroup;

    const std::size_t unit = firstUnit + blockIdx.x;
    const std::size_t partner = unit / parts;
    const std::size_t channels = problem.shape.channels;
    const std::size_t epoch = partner / channels;
    const std::size_t firstSegment = epoch * channels * segments;  // of the epoch's templates
    const std::size_t first = unit % parts * segmentsOfPart;
    const std::size_t end = min(channels * segments, first + segmentsOfPart);
    const auto pairOf = [&](std::size_t templateSegment) {
        return (epoch * channels + templateSegment / segments) * channels + partner % channels;
    };

    // Adds one finished template of a segment of templates.
    const auto add = [&](TemplateTotals& totals, std::size_t templateSegment, unsigned place, Counts counts) {
        const unsigned segment = unsigned(templateSegment % segments);
        if (place >= segmentShape.templates(segment)) return;
        const unsigned i = unsigned(segmentShape.first(segment)) + place;
        const T* x = problem.signal(epoch * channels + templateSegment / segments) + i;
        const T bound = problem.bound(pairOf(templateSegment), epoch);
        totals.add(problem.logs, counts.shortMatches, counts.longMatches, i == last,
                   isMatch(x, problem.signal(partner) + last, m, bound));
    };

    unsigned parity = 0;
    if (segments == 1) memory.load(sorted, partner);
    for (std::size_t group = first; group < end; group += groups) {
        const unsigned held = unsigned(min(std::size_t(groups), end - group));
        for (unsigned partnerSegment = 0; partnerSegment < segments; ++partnerSegment) {
            if (segments > 1) memory.load(sorted, partner * segments + partnerSegment);
            const unsigned partners = unsigned(segmentShape.templates(partnerSegment));
            const unsigned shortPlaces = firstPlaces(word, partners);
            const unsigned longPlaces =
                firstPlaces(word, partners - (segmentShape.isLast(partnerSegment) ? 1 : 0));
            for (unsigned g = 0; g < held; ++g, parity = 1 - parity) {
                const std::size_t templateSegment = group + g;
                const std::size_t source = (firstSegment + templateSegment) * kLength;
                const T bound = problem.bound(pairOf(templateSegment), epoch);
                std::uint32_t* intervals = memory.intervals + parity * kLength;
                for (unsigned k = threadIdx.x; k < kLength; k += kThreads) {
                    const RankInterval found =
                        findInterval(sorted.values[source + k], memory.partners, kLength, bound);
                    intervals[sorted.times[source + k]] = found.begin | found.end << 16;
                }
                __syncthreads();
                // Two buffers for intervals avoid a barrier before the next ones are written.
                const MatchRows<kWords> rows(memory.prefixes, intervals);
                unsigned own[kRowsOfGroup / kWords] = {};  // templates of the lane: word, word + kWords …
                const auto keep = [&](unsigned i, unsigned both) {
#pragma unroll
                    for (unsigned t = 0; t < kRowsOfGroup / kWords; ++t)
                        if (i == word + t * kWords) own[t] = both;
                };
                const GroupCounts<kWords, decltype(keep)> counts{shortPlaces, longPlaces, keep};
                if constexpr (length > 0)
                    countInRegisters<kWords, length>(rows, m, counts);
                else
                    countRowByRow(rows, m, counts);
                TemplateTotals totals;
#pragma unroll
                for (unsigned t = 0; t < kRowsOfGroup / kWords; ++t) {
                    const unsigned place = firstOfGroup + word + t * kWords;
                    const Counts found{own[t] & 0xffff, own[t] >> 16};
                    if (segments == 1) {
                        add(totals, templateSegment, place, found);
                        continue;
                    }
                    const bool isFirst = partnerSegment == 0;
                    std::uint32_t& shortSum = memory.shortMatches[g * kLength + place];
                    std::uint32_t& longSum = memory.longMatches[g * kLength + place];
                    shortSum = found.shortMatches + (isFirst ? 0 : shortSum);
                    longSum = found.longMatches + (isFirst ? 0 : longSum);
                }
                if (segments == 1) totals.addTo(problem.totals[pairOf(templateSegment)]);
            }
        }
        if (segments == 1) continue;
        for (unsigned g = 0; g < held; ++g) {
            TemplateTotals totals;
#pragma unroll
            for (unsigned t = 0; t < kRowsOfGroup / kWords; ++t) {
                const unsigned place = firstOfGroup + word + t * kWords;
                add(totals, group + g, place,
                    {memory.shortMatches[g * kLength + place], memory.longMatches[g * kLength + place]});
            }
            totals.addTo(problem.totals[pairOf(group + g)]);
        }
    }
}

/// Segments of templates, over all channels of an epoch, per unit. Many if the partner's sets are built only
/// once, otherwise as many as the block can hold counts for.
unsigned segmentsOfUnit(const SegmentShape& segments, const BitsetPlan& plan) {
    return segments.segments() == 1 ? 64 : plan.groups;
}
unsigned partsOf(const MatchShape& shape, const SegmentShape& segments, const BitsetPlan& plan) {
    const unsigned size = segmentsOfUnit(segments, plan);
    return unsigned((shape.channels * segments.segments() + size - 1) / size);
}

std::size_t sharedBytes(unsigned words, unsigned groups, std::size_t sampleBytes) {
    const auto bytes = [&](auto sample) {
        using T = decltype(sample);
        if (words == 8) return BlockMemory<T, 8>::bytes(groups);
        if (words == 16) return BlockMemory<T, 16>::bytes(groups);
        return BlockMemory<T, 32>::bytes(groups);
    };
    return sampleBytes == sizeof(float) ? bytes(float()) : bytes(double());
}

template <class T, unsigned kWords, unsigned length>
void launchLength(const Launch& launch, const MatchProblem<T>& problem, const SegmentShape& segments,
                  const BitsetPlan& plan, const SortedSegments<T>& sorted, std::size_t firstUnit,
                  std::size_t units) {
    const auto kernel = bitsetKernel<T, kWords, length>;
    GLYCINE_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(plan.sharedBytes)));
    kernel<<<unsigned(units), BlockShape<kWords>::kThreads, plan.sharedBytes, launch.stream>>>(
        problem, segments, sorted, firstUnit, partsOf(problem.shape, segments, plan),
        segmentsOfUnit(segments, plan), plan.groups);
    checkLaunch("bitset");
}

template <class T, unsigned kWords>
void launchWords(const Launch& launch, const MatchProblem<T>& problem, const SegmentShape& segments,
                 const BitsetPlan& plan, const SortedSegments<T>& sorted, std::size_t firstUnit,
                 std::size_t units) {
    const auto start = [&](auto function) {
        function(launch, problem, segments, plan, sorted, firstUnit, units);
    };
    static_assert(kExactLengths == 3);
    switch (problem.shape.m) {
        case 1:
            return start(launchLength<T, kWords, 1>);
        case 2:
            return start(launchLength<T, kWords, 2>);
        case 3:
            return start(launchLength<T, kWords, 3>);
        default:
            if (problem.shape.m <= kShortTemplates) return start(launchLength<T, kWords, kShortTemplates>);
            return start(launchLength<T, kWords, 0>);
    }
}

}  // namespace

BitsetPlan planBitset(const MatchShape& shape, std::size_t sampleBytes, std::size_t sharedMemory) {
    constexpr unsigned mostGroups = 8;
    BitsetPlan best;
    for (const unsigned words : {8U, 16U, 32U}) {
        const std::size_t length = 32 * words;
        const bool isWhole = shape.samples <= length;
        if (sharedBytes(words, 1, sampleBytes) > sharedMemory) break;
        // Segments overlap by m, which must not be most of a segment.
        if (!isWhole && shape.m > length / 2) continue;
        best.words = words;
        best.groups = 1;
        while (!isWhole && best.groups < mostGroups &&
               sharedBytes(words, best.groups + 1, sampleBytes) <= sharedMemory)
            ++best.groups;
        best.sharedBytes = sharedBytes(words, best.groups, sampleBytes);
        if (isWhole) break;
    }
    return best;
}

std::size_t bitsetUnits(const MatchShape& shape, const SegmentShape& segments, const BitsetPlan& plan) {
    return shape.signals() * partsOf(shape, segments, plan);
}

template <class T>
void launchBitset(const Launch& launch, const MatchProblem<T>& problem, const SegmentShape& segments,
                  const BitsetPlan& plan, const SortedSegments<T>& sorted, std::size_t firstUnit,
                  std::size_t units) {
    const auto start = [&](auto function) {
        function(launch, problem, segments, plan, sorted, firstUnit, units);
    };
    switch (plan.words) {
        case 8:
            return start(launchWords<T, 8>);
        case 16:
            return start(launchWords<T, 16>);
        default:
            return start(launchWords<T, 32>);
    }
}

template void launchBitset(const Launch&, const MatchProblem<float>&, const SegmentShape&, const BitsetPlan&,
                           const SortedSegments<float>&, std::size_t, std::size_t);
template void launchBitset(const Launch&, const MatchProblem<double>&, const SegmentShape&, const BitsetPlan&,
                           const SortedSegments<double>&, std::size_t, std::size_t);

}  // namespace glycine::cuda
