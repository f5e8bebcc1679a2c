#pragma once

#include <cstdint>

// Also included by kernels, which nvcc compiles as C++17.
namespace glycine::crossapen {

/// A sum of natural logarithms of whole numbers, in units of 2⁻⁴⁰. Every logarithm is rounded to that unit
/// once (LogTable). The sum is then exact, and the same in every order of summation. The mean over the
/// templates is off by less than 5e-13.
using LogSum = std::int64_t;
inline constexpr double kLogUnit = 0x1p-40;

/// All that the entropies need to know about the matches of one ordered pair (templates x of u, partners y of
/// v). The row sums of the match matrix give it for (v‖u), the column sums for (u‖v). "Short" templates have
/// m samples, and there are N − m + 1 of them; "long" ones have m + 1 samples, and there are N − m.
struct MatchStatistics {
    LogSum logShort = 0;              ///< Σ over x(i) with a short match of ln(number of its short matches)
    LogSum logLong = 0;               ///< Σ over x(i) with a long match of ln(number of its long matches)
    std::uint32_t noShort = 0;        ///< x(i), i ≤ N − m + 1, without a short match
    std::uint32_t noLong = 0;         ///< x(i), i ≤ N − m, without a long match
    std::uint32_t noLongOnly = 0;     ///< templates of noLong that have a short match
    std::uint64_t matchesShort = 0;   ///< all short matches
    std::uint64_t matchesWithin = 0;  ///< short matches with i, j ≤ N − m
    std::uint64_t matchesLong = 0;    ///< all long matches
#ifndef __CUDACC__
    bool operator==(const MatchStatistics&) const = default;
#endif
};

}  // namespace glycine::crossapen
