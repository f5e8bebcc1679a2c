#include "engine/crossapen/match_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glycine::crossapen {

double crossApproximateEntropy(const MatchStatistics& statistics, std::size_t samples, unsigned m, Bias bias,
                               unsigned delay) {
    if (bias == Bias::None && statistics.noShort + statistics.noLong > 0)
        return std::numeric_limits<double>::quiet_NaN();
    const double shortCount = static_cast<double>(shortTemplates(samples, m, delay));
    const double longCount = static_cast<double>(longTemplates(samples, m, delay));

    // Φ^m: templates without a match have C = 1 under either correction, and ln 1 = 0.
    const double withShort = shortCount - statistics.noShort;
    const double phiShort =
        (static_cast<double>(statistics.logShort) * kLogUnit - withShort * std::log(shortCount)) / shortCount;

    // Φ^{m+1}: the logarithms of the counts, those of the corrected shares, and the common divisor N − m.
    const double withLong = longCount - statistics.noLong;
    double corrected = 0;
    if (bias == Bias::Zero) corrected = -std::log(longCount) * statistics.noLongOnly;
    if (bias == Bias::Max) corrected = -std::log(shortCount) * statistics.noLong;
    if (bias == Bias::MaxShort) corrected = -std::log(longCount) * statistics.noLong;
    const double phiLong =
        (static_cast<double>(statistics.logLong) * kLogUnit - withLong * std::log(longCount) + corrected) /
        longCount;
    return phiShort - phiLong;
}

double crossSampleEntropy(const MatchStatistics& statistics, std::size_t samples, unsigned m, bool isSelf,
                          unsigned delay) {
    // Every template matches itself at either length, except when r excludes even the distance 0.
    const std::uint64_t own =
        isSelf ? std::min<std::uint64_t>(longTemplates(samples, m, delay), statistics.matchesLong) : 0;
    const double matchesShort = static_cast<double>(statistics.matchesWithin - own);
    const double matchesLong = static_cast<double>(statistics.matchesLong - own);
    return -std::log(matchesLong / matchesShort);
}

double shareWithoutMatch(const MatchStatistics& statistics, std::size_t samples, unsigned m, unsigned delay) {
    return statistics.noLong / static_cast<double>(longTemplates(samples, m, delay));
}

}  // namespace glycine::crossapen
