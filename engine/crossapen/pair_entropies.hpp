#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/crossapen/crossapen.hpp"
#include "engine/crossapen/match_statistics.hpp"

/// Statistics of a pair of signals, and the entropies that follow from them.
namespace glycine::crossapen {

// ---- Matches

/// Number of templates of length m, N − m + 1, and of length m + 1, N − m. With a time delay τ they are N −
/// (m − 1)τ and N − mτ, which replace the former in all formulas below.
constexpr std::size_t shortTemplates(std::size_t samples, unsigned m, unsigned delay = 1) {
    return samples - (std::size_t{m} - 1) * delay;
}
constexpr std::size_t longTemplates(std::size_t samples, unsigned m, unsigned delay = 1) {
    return samples - std::size_t{m} * delay;
}

/// Cross-ApEn(m, r, N)(v‖u) from the statistics of (v‖u); ApEn if u and v are the same series. `samples`: N.
double crossApproximateEntropy(const MatchStatistics& statistics, std::size_t samples, unsigned m, Bias bias,
                               unsigned delay = 1);

/// Cross-SampEn, which is the same for (u‖v). NaN without a match at length m, +infinity without one at m +
/// 1. `isSelf`: u and v are the same series, and matches of a template with itself do not count (SampEn).
/// Source: J. S. Richman, J. R. Moorman, "Physiological time-series analysis using approximate entropy and
/// sample entropy", Am. J. Physiol. Heart Circ. Physiol. 278 (2000), H2039–H2049.
double crossSampleEntropy(const MatchStatistics& statistics, std::size_t samples, unsigned m, bool isSelf,
                          unsigned delay = 1);

/// Share of the templates x(i) that have no match at length m + 1, 0 … 1.
double shareWithoutMatch(const MatchStatistics& statistics, std::size_t samples, unsigned m,
                         unsigned delay = 1);

// ---- Matches, template by template

/// ln 1, ln 2 … in units of LogSum. All backends take their logarithms from this table.
class LogTable {
  public:
    /// `largest` ≥ 1: the largest number whose logarithm is needed.
    explicit LogTable(std::size_t largest);
    /// ln `count`, or 0 for 0, which adds nothing to a sum.
    LogSum operator[](std::size_t count) const { return logs_[count]; }
    const std::vector<LogSum>& values() const { return logs_; }

  private:
    std::vector<LogSum> logs_;
};

/// The matches of one ordered pair, template by template.
struct MatchCounts {
    std::span<const std::uint32_t> shortMatches;  ///< of x(1) … x(N − m + 1)
    std::span<const std::uint32_t> longMatches;   ///< of x(1) … x(N − m)
    std::uint64_t matchesOutside = 0;             ///< short matches with i or j = N − m + 1
};

/// Reduces match counts to the statistics that the entropies need.
MatchStatistics summarise(const MatchCounts& counts, const LogTable& logs);

// ---- Memberships

// Cross-Fuzzy entropy, which the paper names as future work, has graded matches. Templates have their own
// mean subtracted, and the membership of a pair at Chebyshev distance d is
//
//     µ(d) = exp(−d^n / r).
//
// With N samples both sums run over i, j ≤ N − m:
//
//     Φ^m = mean over i, j of µ(d[x_m(i), y_m(j)]),   Cross-FuzzyEn(m, n, r, N) = ln Φ^m − ln Φ^{m+1}.
//
// EntropyHub's XFuzzEn with its default membership function is the same; it leaves normalisation to the
// caller and uses r as given.
//
// Sources: W. Chen et al., "Characterization of surface EMG signal based on fuzzy entropy", IEEE Trans.
// Neural Syst. Rehabil. Eng. 15 (2007), 266–272 (memberships, baselines); H.-B. Xie et al., "Cross-fuzzy
// entropy: A new method to test pattern synchrony of bivariate time series", Inf. Sci. 180 (2010),
// 1715–1724.

struct FuzzyRule {
    unsigned m = 2;          ///< template length, ≥ 1
    double tolerance = 0.2;  ///< r > 0, of the normalised signals
    double power = 2;        ///< n > 0
    unsigned delay = 1;      ///< τ ≥ 1, see MatchRule
};

/// The rule of Measure::CrossFuzzyEn.
inline FuzzyRule fuzzyRule(const EntropyOptions& options) {
    return {options.rule.m, options.tolerance, options.fuzzyPower, options.rule.delay};
}

/// Sums over all pairs of templates i, j ≤ N − m. Equal for (v‖u) and (u‖v).
struct MembershipSums {
    double shortSum = 0;  ///< Σ µ at length m
    double longSum = 0;   ///< Σ µ at length m + 1
    bool operator==(const MembershipSums&) const = default;
};

/// ln Φ^m − ln Φ^{m+1}. +infinity if all memberships at m + 1 underflow, NaN if all at m do, too. `samples`:
/// N ≥ m + 2. `isSelf`: u and v are the same series, whose sums leave out pairs of a template with itself.
/// The number of pairs is then (N − m)(N − m − 1) instead of (N − m)² (FuzzyEn). With a time delay τ, N − mτ
/// replaces N − m.
double crossFuzzyEntropy(const MembershipSums& sums, std::size_t samples, unsigned m, bool isSelf,
                         unsigned delay = 1);

// ---- Patterns

// Entropies −Σ p ln p of the frequencies p of patterns among the N − (m − 1)τ templates of length m:
//
// - PermEn: the pattern is the order of a template's samples, with equal ones in order of time; m! patterns.
// - Cross-PermEn: the samples of v are put into the order of u's, G(1) … G(m). The pattern is the number of
//   steps from G(j) to G(j + 1), j > k, that cross the level of a G(k): 0 … (m − 1)(m − 2) / 2.
// - DispEn: the normal distribution function with the signal's mean and standard deviation maps samples to
//   classes 1 … c. The pattern is the template's classes; c^m patterns.
//
// Sources: C. Bandt, B. Pompe, "Permutation entropy: a natural complexity measure for time series", Phys.
// Rev. Lett. 88 (2002), 174102; W. Shi, P. Shang, A. Lin, "The coupling analysis of stock market indices
// based on cross-permutation entropy", Nonlinear Dynamics 79 (2015), 2439–2447; M. Rostaghi, H. Azami,
// "Dispersion entropy: a measure for time-series analysis", IEEE Signal Process. Lett. 23 (2016), 610–614.

struct PatternRule {
    Measure measure = Measure::PermEn;
    unsigned m = 3;
    unsigned delay = 1;
    unsigned classes = 6;  ///< c of DispEn
    Deviation deviation = Deviation::Sample;
};
inline PatternRule patternRule(const EntropyOptions& options) {
    return {options.measure, options.rule.m, options.rule.delay, options.classes, options.deviation};
}

inline constexpr unsigned kLongestPattern = 12;

struct PatternEntropy {
    double nats = 0;  ///< NaN if undefined, as for DispEn of a constant channel
    bool operator==(const PatternEntropy&) const = default;
};
/// The entropy in nats if all possible patterns are equally frequent.
double largestEntropy(const PatternRule& rule);

// ---- EntropyHub

// The numbers of the package EntropyHub 2.0 (its functions XApEn, XSampEn and XFuzzEn, time delay 1). They
// differ from the paper's in these points:
// - signals are not normalised, and r is a fraction of the pooled standard deviation of the two;
// - XApEn(u, v) sums over the templates of v: it corresponds to (u‖v), the other direction;
// - templates without a match are left out of the sums, but not of the divisors;
// - XSampEn counts all matches of length m, including those of the last templates;
// - XFuzzEn of a signal with itself also compares every template with itself.
// Source: M. W. Flood, B. Grimm, "EntropyHub: An open-source toolkit for entropic time series analysis",
// PLoS ONE 16 (2021), e0259448, and the package's documentation.

/// XApEn(u, v), m-th value, from the statistics of (u‖v): templates of v, partners of u. May be negative.
double entropyHubCrossApEn(const MatchStatistics& statistics, std::size_t samples, unsigned m);

/// XSampEn(u, v), m-th value, from the statistics of either direction: NaN without a match at length m,
/// +infinity without one at m + 1.
double entropyHubCrossSampEn(const MatchStatistics& statistics);

/// XFuzzEn(u, v), m-th value, with the default membership function exp(−d^n / r). Equal to crossFuzzyEntropy
/// unless u and v are the same series. The package uses r as given.
double entropyHubCrossFuzzyEn(const MembershipSums& sums, std::size_t samples, unsigned m, bool isSelf);

/// r = fraction · √((N − 1) · (var u + var v) / (2N − 1)) for every pair of rows; the variances have the
/// divisor N. `signals`: channels × N, N ≥ 2. Returns a symmetric channels × channels matrix.
Matrix<double> entropyHubTolerances(MatrixView<const double> signals, double fraction);

}  // namespace glycine::crossapen
