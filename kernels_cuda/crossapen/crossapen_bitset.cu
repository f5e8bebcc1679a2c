#include <algorithm>

#include "kernels_cuda/crossapen/crossapen_bit_rows.cuh"
#include "kernels_cuda/crossapen/crossapen_kernels.hpp"
#include "kernels_cuda/crossapen/crossapen_ranks.hpp"
#include "kernels_cuda/crossapen/crossapen_template.cuh"
#include "kernels_cuda/device/cuda_check.hpp"

/// Any m without comparing all pairs. Of a segment of a partner, the times of its k smallest samples are a
/// bit set, prefix[k], in shared memory. The samples within r of x are an interval of ranks, and so
/// prefix[begin] xor prefix[end] is a row of the match matrix, 32 partners a word. Rows ANDed with the
/// following ones, each shifted by one more bit, are the matches of whole templates.
namespace glycine::cuda {

namespace {

extern __shared__ __align__(16) unsigned char sharedSets[];

/// What lies in a block's shared memory.
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

    /// Loads a segment of a partner and makes its prefix sets. All threads of the block.
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
        // 32 prefixes a group: the first from the ranks of all samples, then one sample after another.
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

/// Numbers of matches of one template.
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

    // Finishes one template of a segment of templates.
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
                // With two sets of intervals, nobody waits before the next ones are written.
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

/// Segments of templates, over all channels of an epoch, that a unit takes: many where the partner's sets are
/// made once, else as many as it holds counts of.
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
        // Segments overlap by m: most of each shall be its own.
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
