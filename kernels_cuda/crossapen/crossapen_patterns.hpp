#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/device/launch.hpp"

/// Patterns of templates, for entropies of patterns. A pattern is a number whose order is that of its digits.
namespace glycine::cuda {

/// Bits of the index of a sample in a template.
inline constexpr unsigned kOrderBits = 4;
/// Room for the counts of a pair's crossings: at most 56 are possible.
inline constexpr unsigned kCrossingCounts = 64;

/// Templates of some channels: sample k of template i of channel c is c · samples + i + k · delay.
struct PatternShape {
    std::size_t channels;
    std::size_t samples;
    unsigned m;  ///< 2 … 12
    unsigned delay;
    std::size_t templates() const { return samples - std::size_t{m - 1} * delay; }
};

/// The indices of the samples in ascending order, equal samples in order of time: kOrderBits each, the first
/// one highest. `orders`: channels × templates.
void launchOrders(const Launch& launch, const PatternShape& shape, const double* signals,
                  std::uint64_t* orders);

/// Classes of the samples as digits to the base `classes`. classes^m ≤ 2⁶³. `codes`: channels × templates.
void launchDispersions(const Launch& launch, const PatternShape& shape, const std::uint32_t* ofSamples,
                       std::uint64_t classes, std::uint64_t* codes);

/// How often each number of crossings occurs for `pairs` pairs of channels from `firstPair` on: pair u ·
/// channels + v puts the samples of v into the orders of u (Shi et al. 2015). `counts`: pairs ×
/// kCrossingCounts, which are overwritten. m ≥ 3.
void launchCrossings(const Launch& launch, const PatternShape& shape, const std::uint64_t* orders,
                     const double* signals, std::size_t firstPair, std::size_t pairs, std::uint32_t* counts);

/// Bytes of the workspace that launchKeySort needs.
std::size_t bytesForKeySort(std::size_t segments, std::size_t length);
/// Sorts each of `segments` segments of `length` keys below 2^bits in ascending order. segments · length <
/// 2³¹.
void launchKeySort(const Launch& launch, std::size_t segments, std::size_t length, int bits,
                   const std::uint64_t* keys, std::uint64_t* sorted, void* workspace);

/// For the first of equal keys in a sorted segment, their number; for the others 0.
void launchRunLengths(const Launch& launch, std::size_t segments, std::size_t length,
                      const std::uint64_t* sorted, std::uint32_t* lengths);

}  // namespace glycine::cuda
