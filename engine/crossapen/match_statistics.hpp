#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/crossapen/crossapen.hpp"

/// What is counted for a pair of signals, and the entropies that follow from it.
namespace glycine::crossapen {

/// A sum of natural logarithms of whole numbers in units of 2⁻⁴⁰. Every logarithm is rounded once to that
/// unit (LogTable); the sum is exact then and the same in whatever order a backend takes it. The mean over
/// the templates is off by less than 5e-13.
using LogSum = std::int64_t;
inline constexpr double kLogUnit = 0x1p-40;

/// Everything about the matches of one ordered pair (templates x of u, partners y of v) that the entropies
/// need. The row sums of the match matrix give it for (v‖u), its column sums for (u‖v). "Short" templates
/// have m samples, and there are N − m + 1 of them; "long" ones m + 1 samples, N − m.
struct MatchStatistics {
    LogSum logShort = 0;              ///< Σ over x(i) with a short match of ln(number of its short matches)
    LogSum logLong = 0;               ///< Σ over x(i) with a long match of ln(number of its long matches)
    std::uint32_t noShort = 0;        ///< x(i), i ≤ N − m + 1, without a short match
    std::uint32_t noLong = 0;         ///< x(i), i ≤ N − m, without a long match
    std::uint32_t noLongOnly = 0;     ///< of these, those that have a short match
    std::uint64_t matchesShort = 0;   ///< all short matches
    std::uint64_t matchesWithin = 0;  ///< short matches with i, j ≤ N − m
    std::uint64_t matchesLong = 0;    ///< all long matches
    bool operator==(const MatchStatistics&) const = default;
};

/// Number of templates of length m, N − m + 1, and of length m + 1, N − m; with a delay τ of their samples
/// N − (m − 1)τ and N − mτ, which take the places of the two in all that follows.
constexpr std::size_t shortTemplates(std::size_t samples, unsigned m, unsigned delay = 1) {
    return samples - (std::size_t{m} - 1) * delay;
}
constexpr std::size_t longTemplates(std::size_t samples, unsigned m, unsigned delay = 1) {
    return samples - std::size_t{m} * delay;
}

/// Cross-ApEn(m, r, N)(v‖u) from the statistics of (v‖u). ApEn when u and v are the same series. `samples`:
/// N.
double crossApproximateEntropy(const MatchStatistics& statistics, std::size_t samples, unsigned m, Bias bias,
                               unsigned delay = 1);

/// Cross-SampEn, which is the same for (u‖v): NaN without a match at length m, +infinity without one at m
/// + 1. `isSelf`: u and v are the same series, whose matches of a template with itself do not count (SampEn).
/// Source: J. S. Richman, J. R. Moorman, "Physiological time-series analysis using approximate entropy and
/// sample entropy", Am. J. Physiol. Heart Circ. Physiol. 278 (2000), H2039–H2049.
double crossSampleEntropy(const MatchStatistics& statistics, std::size_t samples, unsigned m, bool isSelf,
                          unsigned delay = 1);

/// Share of the templates x(i) that have no match at length m + 1, 0 … 1.
double shareWithoutMatch(const MatchStatistics& statistics, std::size_t samples, unsigned m,
                         unsigned delay = 1);

}  // namespace glycine::crossapen
