#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/device/launch.hpp"

/// Matches of templates of signals in device memory, as host code and kernels see them.
namespace glycine::cuda {

/// What the matches of one ordered pair add up to: templates x of u, partners y of v. "Short" templates have
/// m samples, "long" ones m + 1.
struct MatchTotals {
    std::int64_t logShort;  ///< Σ of the logarithms of the numbers of short matches, those of 0 left out
    std::int64_t logLong;
    std::uint64_t matchesShort;
    std::uint64_t matchesWithin;  ///< short matches with neither the last x nor the last y
    std::uint64_t matchesLong;
    std::uint32_t noShort;  ///< templates without a short match
    std::uint32_t noLong;
    std::uint32_t noLongOnly;  ///< without a long match, but with a short one
    std::uint32_t unused;
};

struct MatchShape {
    std::size_t epochs = 0;
    std::size_t channels = 0;
    std::size_t samples = 0;  ///< of an epoch, N ≥ m + 2
    unsigned m = 1;           ///< ≥ 1

    constexpr std::size_t signals() const { return epochs * channels; }
    constexpr std::size_t pairs() const { return signals() * channels; }
};

/// Distance of the beginnings of two signals in device memory, in samples: at least one more than they have.
/// What follows a signal is NaN, which matches nothing.
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
    const T* bounds = nullptr;   ///< |x − y| < bound is a match; one an epoch, or one a pair
    bool hasPairBounds = false;
    const std::int64_t* logs = nullptr;  ///< [count], 0 … samples; 0 for 0
    MatchTotals* totals = nullptr;       ///< one a pair

#ifdef __CUDACC__
    __device__ unsigned samples() const {
        return unsigned(shape.samples);
    }
    /// N − m: how many long templates there are, and the place of the last short one.
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

}  // namespace glycine::cuda
