#pragma once

#include <cstdint>
#include <span>

/// The sequential programs that the paper times in its Fig. 4, one thread and one pair of signals. They are
/// here to be timed; the specification is the `reference` backend.
/// Source: Martínez-Zarzuela et al. 2013, sections 2.1 and 3.1.
namespace glycine::crossapen {

/// Numbers of matches of each x(i): N − m + 1 short ones, N − m long ones.
struct LoopCounts {
    std::span<std::uint32_t> shortMatches;
    std::span<std::uint32_t> longMatches;
};

/// C(1): the steps of the definition, one sweep over all pairs of templates for each of the two lengths.
/// `u`, `v`: N samples each, N ≥ m + 2.
void countInTwoSweeps(std::span<const float> u, std::span<const float> v, unsigned m, float r,
                      const LoopCounts& counts);

/// C(2): both lengths in one sweep, where a long match is a short one whose next samples match, too.
void countInOneSweep(std::span<const float> u, std::span<const float> v, unsigned m, float r,
                     const LoopCounts& counts);

}  // namespace glycine::crossapen
