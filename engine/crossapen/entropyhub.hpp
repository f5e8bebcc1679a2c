#pragma once

#include "engine/core/matrix.hpp"
#include "engine/crossapen/fuzzy.hpp"
#include "engine/crossapen/match_statistics.hpp"

/// The numbers of the package EntropyHub 2.0 (its functions XApEn, XSampEn and XFuzzEn, time delay 1), which
/// differ from the paper's in these points:
/// - the signals stay as they are, and r is a fraction of a pooled standard deviation of the two;
/// - XApEn(u, v) sums over the templates of v: it is built like (u‖v), the other direction;
/// - templates without a match are left out of the sums, but not of the divisors;
/// - XSampEn counts all matches of length m, those of the last templates included;
/// - XFuzzEn of a signal with itself compares every template with itself, too.
/// Source: M. W. Flood, B. Grimm, "EntropyHub: An open-source toolkit for entropic time series analysis",
/// PLoS ONE 16 (2021), e0259448, and the package's documentation.
namespace glycine::crossapen {

/// XApEn(u, v), m-th value, from the statistics of (u‖v): templates of v, partners of u. It may be negative.
double entropyHubCrossApEn(const MatchStatistics& statistics, std::size_t samples, unsigned m);

/// XSampEn(u, v), m-th value, from the statistics of either direction: NaN without a match at length m,
/// +infinity without one at m + 1.
double entropyHubCrossSampEn(const MatchStatistics& statistics);

/// XFuzzEn(u, v), m-th value, with the default membership function exp(−d^n / r): the same as
/// crossFuzzyEntropy unless u and v are the same series. The package takes r as it is.
double entropyHubCrossFuzzyEn(const MembershipSums& sums, std::size_t samples, unsigned m, bool isSelf);

/// r = fraction · √((N − 1) · (var u + var v) / (2N − 1)) for every pair of rows, the variances with the
/// divisor N. `signals`: channels × N, N ≥ 2. Returns channels × channels numbers, symmetric.
Matrix<double> entropyHubTolerances(MatrixView<const double> signals, double fraction);

}  // namespace glycine::crossapen
