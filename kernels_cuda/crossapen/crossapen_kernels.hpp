#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/crossapen/crossapen_variant.hpp"
#include "engine/crossapen/match_statistics.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Kernel launches of `crossapen`: the interface between the host code of this folder (*.cpp) and its device
/// code (*.cu). All kernels add to totals that must be zero at first. A launch processes a number of *units*
/// of work, which each method defines.
namespace glycine::cuda {

// ---- The problem

// Matches of templates of signals in device memory, as used by host code and kernels.

struct MatchShape {
    std::size_t epochs = 0;
    std::size_t channels = 0;
    std::size_t samples = 0;  ///< of an epoch, N ≥ m + 2
    unsigned m = 1;           ///< ≥ 1

    constexpr std::size_t signals() const { return epochs * channels; }
    constexpr std::size_t pairs() const { return signals() * channels; }
};

/// Distance between the starts of two signals in device memory, in samples; at least one more than their
/// length. The gap is filled with NaN, which matches nothing.
GLYCINE_HOST_DEVICE constexpr std::size_t signalStride(std::size_t samples) {
    return (samples + 32) / 32 * 32;
}

/// One ordered pair of channels of one epoch.
struct ChannelPair {
    std::size_t epoch;
    std::size_t x;  ///< signal of the templates: epoch · channels + channel
    std::size_t y;  ///< signal of the partners
};

/// Ordered pairs are numbered (epoch · channels + a) · channels + b: templates of a, partners of b.
/// T: float or double.
template <class T>
struct MatchProblem {
    MatchShape shape;
    const T* signals = nullptr;  ///< signalStride(samples) apart
    const T* bounds = nullptr;   ///< matches have |x − y| < bound; one per epoch, or one per pair
    bool hasPairBounds = false;
    const std::int64_t* logs = nullptr;            ///< [count], 0 … samples; 0 for 0
    crossapen::MatchStatistics* totals = nullptr;  ///< one per pair

#ifdef __CUDACC__
    __device__ unsigned samples() const {
        return unsigned(shape.samples);
    }
    /// N − m: the number of long templates, and the index of the last short one.
    __device__ unsigned longTemplates() const {
        return samples() - shape.m;
    }
    __device__ const T* signal(std::size_t index) const {
        return signals + index * signalStride(shape.samples);
    }
    __device__ ChannelPair pair(std::size_t index) const {
        const std::size_t x = index / shape.channels;
        const std::size_t epoch = x / shape.channels;
        return {epoch, x, epoch * shape.channels + index % shape.channels};
    }
    __device__ T bound(std::size_t pairIndex, std::size_t epoch) const {
        return bounds[hasPairBounds ? pairIndex : epoch];
    }
#endif
};

// ---- The published kernels

// Variants here are Registers, Halo and Shifted.
inline constexpr unsigned kPublishedThreads = 256;  ///< as printed (4.1)

/// Shared memory per block.
constexpr std::size_t publishedSharedBytes(crossapen::Variant variant, unsigned m, std::size_t sampleBytes) {
    if (variant == crossapen::Variant::Halo) return 2 * (std::size_t{m} + kPublishedThreads) * sampleBytes;
    if (variant == crossapen::Variant::Shifted)
        return 2 * (std::size_t{m} + 1) * kPublishedThreads * sampleBytes;
    return 0;
}
/// The kernel for m = 1 and float32, for reporting its use of the device.
const void* publishedKernel(crossapen::Variant variant);
/// A unit is a block of templates of a pair.
constexpr std::size_t publishedUnits(const MatchShape& shape) {
    return shape.pairs() * ((shape.samples - shape.m + kPublishedThreads) / kPublishedThreads);
}
/// `shifted`, for the kernel of that name: copies of the signals shifted by 0 … m samples, `copyStride`
/// elements apart.
template <class T>
void launchPublishedMatching(const Launch& launch, crossapen::Variant variant, const MatchProblem<T>& problem,
                             std::size_t firstUnit, std::size_t units, const T* shifted,
                             std::size_t copyStride);
/// Uploads `elements` samples of signals in page-locked memory m + 1 times, each time shifted by one more
/// sample, `elements` apart. The elements at the end of the last signal are undefined after shifting, and
/// never read.
template <class T>
void sendShifted(const Launch& launch, const T* signals, std::size_t elements, unsigned m, T* shifted);

// ---- Along the diagonals

inline constexpr unsigned kLongestDiagonal = 31;  ///< largest m
inline constexpr unsigned kWideRows = 8;          ///< templates per thread
inline constexpr unsigned kNarrowRows = 2;

/// Templates per thread. Wide strips load less; narrow ones leave fewer threads idle.
constexpr unsigned diagonalRows(const MatchShape& shape) {
    const auto covered = [&](std::size_t rows) { return (shape.samples - shape.m + rows) / rows * rows; };
    const std::size_t narrow = covered(32 * kNarrowRows);
    return covered(32 * kWideRows) > narrow + narrow / 4 ? kNarrowRows : kWideRows;
}
constexpr std::size_t diagonalStrips(const MatchShape& shape) {
    const std::size_t rows = 32 * diagonalRows(shape);
    return (shape.samples - shape.m + rows) / rows;
}
/// A unit is a strip of templates of a pair.
constexpr std::size_t diagonalUnits(const MatchShape& shape) {
    return shape.pairs() * diagonalStrips(shape);
}
/// m ≤ kLongestDiagonal.
template <class T>
void launchDiagonal(const Launch& launch, const MatchProblem<T>& problem, std::size_t firstUnit,
                    std::size_t units);

// ---- Sorted segments

/// Signals split into segments of equal length that overlap by m samples, so that each template lies entirely
/// in its segment. The last segment is padded with +infinity, which matches nothing.
struct SegmentShape {
    std::size_t signals = 0;
    std::size_t samples = 0;  ///< of a signal
    unsigned m = 0;           ///< overlap
    std::size_t length = 0;   ///< of a segment: > m, at most 2¹⁶ − 1

    /// Per signal.
    GLYCINE_HOST_DEVICE std::size_t segments() const {
        return samples <= length ? 1 : (samples - m + length - m - 1) / (length - m);
    }
    GLYCINE_HOST_DEVICE std::size_t first(std::size_t segment) const { return segment * (length - m); }
    /// Templates of m samples that begin in a segment.
    GLYCINE_HOST_DEVICE std::size_t templates(std::size_t segment) const {
        return isLast(segment) ? samples - m + 1 - first(segment) : length - m;
    }
    GLYCINE_HOST_DEVICE bool isLast(std::size_t segment) const { return segment + 1 == segments(); }
    std::size_t elements() const { return signals * segments() * length; }
};

/// [segment][k], signal after signal.
template <class T>
struct SortedSegments {
    const T* values = nullptr;             ///< ascending
    const std::uint16_t* times = nullptr;  ///< of the k-th value, relative to the start of the segment
};

/// Device memory that sorting needs in addition to signals and results.
template <class T>
std::size_t bytesForSorting(const SegmentShape& shape);
/// `values` and `times` receive the results, shape.elements() each. `workspace` has bytesForSorting() bytes.
template <class T>
void launchSort(const Launch& launch, const T* signals, const SegmentShape& shape, T* values,
                std::uint16_t* times, void* workspace);

// ---- Bit sets

/// Templates up to this length are counted in registers. Longer ones are counted row by row, which is many
/// times slower.
inline constexpr unsigned kShortTemplates = 8;

/// Dimensions of thread blocks. A segment of 32 · words samples is a bit set of `words` words.
struct BitsetPlan {
    unsigned words = 0;   ///< 8, 16 or 32; 0: not possible on this device
    unsigned groups = 1;  ///< segments of templates whose counts a block holds while iterating over partners
    std::size_t sharedBytes = 0;
    std::size_t length() const { return 32 * std::size_t{words}; }
};
/// `sharedMemory`: maximum per block.
BitsetPlan planBitset(const MatchShape& shape, std::size_t sampleBytes, std::size_t sharedMemory);
/// A unit is a partner with some segments of templates.
std::size_t bitsetUnits(const MatchShape& shape, const SegmentShape& segments, const BitsetPlan& plan);
template <class T>
void launchBitset(const Launch& launch, const MatchProblem<T>& problem, const SegmentShape& segments,
                  const BitsetPlan& plan, const SortedSegments<T>& sorted, std::size_t firstUnit,
                  std::size_t units);

// ---- Dominance

/// The most samples of an epoch: ranks, and a value for "none", have 16 bits.
inline constexpr std::size_t kMaxRankedSamples = 65535;

/// Tables of each signal; crossapen_ranks.hpp describes the grids.
struct RankTables {
    std::uint32_t* grids = nullptr;         ///< dominanceGridWords() per signal
    std::uint16_t* successors = nullptr;    ///< [k]: rank of the sample after the k-th smallest, or "none"
    std::uint16_t* ranks = nullptr;         ///< scratch: [time]
    std::uint16_t* predecessors = nullptr;  ///< scratch: rankCells() · 32 per signal
};
/// Requires m = 1 and samples ≤ kMaxRankedSamples. `times`: from launchSort for whole signals.
void launchRankTables(const Launch& launch, const MatchShape& shape, const std::uint16_t* times,
                      const RankTables& tables);

struct DominancePlan {
    /// Warps per block if a block keeps a partner's grid in shared memory; 0: every thread reads it from
    /// global memory.
    unsigned warps = 0;
    std::size_t sharedBytes = 0;
};
DominancePlan planDominance(const MatchShape& shape, std::size_t sampleBytes, std::size_t sharedMemory);
/// A unit is a partner with some channels, or some templates of a pair.
std::size_t dominanceUnits(const MatchShape& shape, const DominancePlan& plan);
template <class T>
void launchDominance(const Launch& launch, const MatchProblem<T>& problem, const DominancePlan& plan,
                     const T* sorted, const RankTables& tables, std::size_t firstUnit, std::size_t units);

}  // namespace glycine::cuda
