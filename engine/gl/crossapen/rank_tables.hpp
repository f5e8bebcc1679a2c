#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/crossapen/prepared_signals.hpp"

/// What is made once of a channel, on the host, and looked up by fragments for all channels that search it.
/// Sizes are in texels.
namespace glycine::crossapen::gl {

/// Intervals of ranks are looked up in bins of equal width over the range of the sorted samples. Four floats
/// a texel. Texel 0: smallest sample, bins per unit, rank of the last sample in time. Then a texel a bin:
/// how many samples are surely within reach of everything that falls into the bin, and the next three.
///
/// "Within reach": let a fragment look up x − r (x + r), rounded. Every sample y that the bin counts has
/// x − y > r (x − y ≥ −r), rounded, as the fragment compares it. That holds because samples are counted only
/// up to the bin's lower edge, less what rounding may have added to the place of x ∓ r, less an eighth of a
/// bin for the rounding of the bin's number. What is counted too few, the fragment finds by comparing.
///
/// Four bins a sample: few hold more than three samples. More bins hardly speed a fragment up, and take
/// longer to upload.
constexpr std::size_t intervalBins(std::size_t samples) {
    return 4 * samples;
}
constexpr std::size_t binTexels(std::size_t samples) {
    return intervalBins(samples) + 1;
}
/// `largestTolerance`: the largest |r| that will be looked up.
void fillBins(const SortedSignal<float>& signal, float largestTolerance, std::span<float> target);

/// m = 1: prefix counts of points (rank of sample j, rank of sample j + 1). Texel [p / 16][q], for p = 0 …
/// N and q = 0 … N: in the upper half the points with a first rank below 16 ⌊p / 16⌋ and a second rank below
/// q; in the lower half a bit for each of the next 16 first ranks, set where the second rank is below q.
inline constexpr std::size_t kRanksPerTexel = 16;
constexpr std::size_t prefixCountTexels(std::size_t samples) {
    return (samples / kRanksPerTexel + 1) * (samples + 1);
}
void fillPrefixCounts(const SortedSignal<float>& signal, std::span<std::int32_t> target);

/// Any m: the positions of the k smallest samples, k = 0 … N, as sets of bits. A set has T = ⌈N / 128⌉ texels
/// and m more. Position t + T · (c + 4 b) is bit b of component c of texel t, and the bits of texel t + T are
/// those of texel t one place further, so that texel t + s holds the positions s later.
constexpr std::size_t setTexels(std::size_t samples) {
    return (samples + 127) / 128;
}
constexpr std::size_t prefixSetTexels(std::size_t samples, std::size_t m) {
    return (samples + 1) * (setTexels(samples) + m);
}
void fillPrefixSets(const SortedSignal<float>& signal, std::size_t m, std::span<std::uint32_t> target);

}  // namespace glycine::crossapen::gl
