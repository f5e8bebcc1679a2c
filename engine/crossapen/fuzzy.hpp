#pragma once

#include <cstddef>

#include "engine/crossapen/crossapen.hpp"

/// Cross-Fuzzy entropy, which the paper names as future work: a match is no longer yes or no. The templates
/// have their own mean taken out, and the membership of a pair at Chebyshev distance d is
///
///     µ(d) = exp(−d^n / r).
///
/// With N samples both sums run over i, j ≤ N − m:
///
///     Φ^m = mean over i, j of µ(d[x_m(i), y_m(j)]),   Cross-FuzzyEn(m, n, r, N) = ln Φ^m − ln Φ^{m+1}.
///
/// EntropyHub's XFuzzEn with its default membership function is the same; it leaves the normalisation to the
/// caller, and takes r as it is.
///
/// Sources: W. Chen et al., "Characterization of surface EMG signal based on fuzzy entropy", IEEE Trans.
/// Neural Syst. Rehabil. Eng. 15 (2007), 266–272 (memberships, baselines); H.-B. Xie et al., "Cross-fuzzy
/// entropy: A new method to test pattern synchrony of bivariate time series", Inf. Sci. 180 (2010),
/// 1715–1724.
namespace glycine::crossapen {

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

/// Sums over all pairs of templates i, j ≤ N − m; the same for (v‖u) and (u‖v).
struct MembershipSums {
    double shortSum = 0;  ///< Σ µ at length m
    double longSum = 0;   ///< Σ µ at length m + 1
    bool operator==(const MembershipSums&) const = default;
};

/// ln Φ^m − ln Φ^{m+1}; +infinity when all memberships at m + 1 are below the smallest number, NaN when those
/// at m are, too. `samples`: N ≥ m + 2. `isSelf`: u and v are the same series, whose sums leave out the pairs
/// of a template with itself; so does the number of pairs, (N − m)(N − m − 1) in place of (N − m)² (FuzzyEn).
/// With a delay τ, N − mτ takes the place of N − m.
double crossFuzzyEntropy(const MembershipSums& sums, std::size_t samples, unsigned m, bool isSelf,
                         unsigned delay = 1);

}  // namespace glycine::crossapen
