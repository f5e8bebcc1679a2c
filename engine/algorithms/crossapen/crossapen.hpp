#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// Cross-approximate entropy of pairs of signals, and its relatives.
///
/// Two series u, v of N samples have N − m + 1 templates of length m each: x(i) = u(i … i + m − 1),
/// y(j) = v(j … j + m − 1). Two templates match when their Chebyshev distance is at most r. With C_i^m the
/// share of the y(j) that match x(i),
///
///     Φ^m = mean over i of ln C_i^m,      Cross-ApEn(m, r, N)(v‖u) = Φ^m − Φ^{m+1}.
///
/// Source: M. Martínez-Zarzuela et al., "Cross-Approximate Entropy parallel computation on GPUs for
/// biomedical signal analysis. Application to MEG recordings", Computer Methods and Programs in Biomedicine
/// 112 (2013), 189–199, equations 1 to 6.
namespace glycine::crossapen {

/// What becomes of templates without a match, whose logarithm does not exist (section 2.1 of the paper).
enum class Bias {
    Zero,      ///< no match at either length: both shares 1; none at m + 1 alone: C^{m+1} = 1 / (N − m)
    Max,       ///< no match at m: C^m = 1; none at m + 1: C^{m+1} = 1 / (N − m + 1), as the paper prints it
    MaxShort,  ///< Max with 1 / (N − m), the share that a single match would have
    None,      ///< the entropy is NaN as soon as a template has no match
};
/// "zero", "max", "max-short", "none".
std::string_view toString(Bias bias);
/// Takes "0" for "zero", too, as the paper writes it; throws UsageError that lists the names.
Bias parseBias(std::string_view name);

enum class Measure {
    CrossApEn,    ///< Φ^m − Φ^{m+1}
    ApEn,         ///< the same for a channel with itself
    CrossSampEn,  ///< −ln(A / B): A matches at m + 1, B at m, both over i, j ≤ N − m
    SampEn,       ///< the same for a channel with itself, matches of a template with itself left out
    CrossFuzzyEn  ///< ln Φ^m − ln Φ^{m+1} of memberships in place of matches, see fuzzy.hpp
};
/// "crossapen", "apen", "crosssampen", "sampen", "crossfuzzyen".
std::string_view toString(Measure measure);
/// Throws UsageError that lists the names.
Measure parseMeasure(std::string_view name);

/// When two templates match.
struct MatchRule {
    unsigned m = 1;         ///< template length, ≥ 1; the paper's study takes 1
    bool isStrict = false;  ///< distance < r in place of ≤ r
};

/// A sum of natural logarithms of whole numbers in units of 2⁻⁴⁰. Every logarithm is rounded once to that
/// unit (LogTable); the sum is exact then and the same in whatever order a backend takes it. The mean over
/// the templates is off by less than 5e-13.
using LogSum = std::int64_t;
inline constexpr double kLogUnit = 0x1p-40;

/// Samples of an epoch, at most: the logarithms of 2¹⁹ counts up to 2¹⁹ are the most that a LogSum can hold.
inline constexpr std::size_t kMaximumSamples = std::size_t{1} << 19;

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

/// Number of templates of length m, N − m + 1, and of length m + 1, N − m.
constexpr std::size_t shortTemplates(std::size_t samples, unsigned m) {
    return samples - m + 1;
}
constexpr std::size_t longTemplates(std::size_t samples, unsigned m) {
    return samples - m;
}
/// Whether an epoch is long enough: two templates of length m + 1, as each of them is no more than itself.
constexpr bool isLongEnough(std::size_t samples, unsigned m) {
    return samples >= std::size_t{m} + 2;
}

/// Cross-ApEn(m, r, N)(v‖u) from the statistics of (v‖u). ApEn when u and v are the same series. `samples`:
/// N.
double crossApproximateEntropy(const MatchStatistics& statistics, std::size_t samples, unsigned m, Bias bias);

/// Cross-SampEn, which is the same for (u‖v): NaN without a match at length m, +infinity without one at m
/// + 1. `isSelf`: u and v are the same series, whose matches of a template with itself do not count (SampEn).
/// Source: J. S. Richman, J. R. Moorman, "Physiological time-series analysis using approximate entropy and
/// sample entropy", Am. J. Physiol. Heart Circ. Physiol. 278 (2000), H2039–H2049.
double crossSampleEntropy(const MatchStatistics& statistics, std::size_t samples, unsigned m, bool isSelf);

/// Share of the templates x(i) that have no match at length m + 1, 0 … 1.
double shareWithoutMatch(const MatchStatistics& statistics, std::size_t samples, unsigned m);

}  // namespace glycine::crossapen
