#include "engine/crossapen/pair_entropies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace glycine::crossapen {

namespace {

/// Population variance (divisor N), computed in two passes.
double variance(const double* values, std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += values[i];
    const double mean = sum / static_cast<double>(count);
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) squares += (values[i] - mean) * (values[i] - mean);
    return squares / static_cast<double>(count);
}

}  // namespace

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

    // Φ^{m+1}: the logarithms of the counts, then of the corrected shares, and the common divisor N − m.
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

LogTable::LogTable(std::size_t largest) : logs_(largest + 1, 0) {
    for (std::size_t count = 1; count <= largest; ++count)
        logs_[count] = std::llround(std::log(static_cast<double>(count)) / kLogUnit);
}

MatchStatistics summarise(const MatchCounts& counts, const LogTable& logs) {
    MatchStatistics statistics;
    const std::size_t longTotal = counts.longMatches.size();
    for (std::size_t i = 0; i < longTotal; ++i) {
        const std::uint32_t shortMatches = counts.shortMatches[i];
        const std::uint32_t longMatches = counts.longMatches[i];
        statistics.logShort += logs[shortMatches];
        statistics.logLong += logs[longMatches];
        statistics.noShort += shortMatches == 0;
        statistics.noLong += longMatches == 0;
        statistics.matchesShort += shortMatches;
        statistics.matchesLong += longMatches;
    }
    // A template without a short match has no long one either.
    statistics.noLongOnly = statistics.noLong - statistics.noShort;
    const std::uint32_t last = counts.shortMatches[longTotal];
    statistics.logShort += logs[last];
    statistics.noShort += last == 0;
    statistics.matchesShort += last;
    statistics.matchesWithin = statistics.matchesShort - counts.matchesOutside;
    return statistics;
}

double crossFuzzyEntropy(const MembershipSums& sums, std::size_t samples, unsigned m, bool isSelf,
                         unsigned delay) {
    const auto templates = static_cast<double>(longTemplates(samples, m, delay));
    const double pairs = templates * (isSelf ? templates - 1 : templates);
    return std::log(sums.shortSum / pairs) - std::log(sums.longSum / pairs);
}

double largestEntropy(const PatternRule& rule) {
    const double m = rule.m;
    if (rule.measure == Measure::PermEn) return std::lgamma(m + 1);
    if (rule.measure == Measure::CrossPermEn) return std::log((m - 1) * (m - 2) / 2 + 1);
    return m * std::log(static_cast<double>(rule.classes));
}

double entropyHubCrossApEn(const MatchStatistics& statistics, std::size_t samples, unsigned m) {
    const auto phi = [](LogSum logs, double templates, double withoutMatch) {
        return (static_cast<double>(logs) * kLogUnit - (templates - withoutMatch) * std::log(templates)) /
               templates;
    };
    return phi(statistics.logShort, static_cast<double>(shortTemplates(samples, m)), statistics.noShort) -
           phi(statistics.logLong, static_cast<double>(longTemplates(samples, m)), statistics.noLong);
}

double entropyHubCrossSampEn(const MatchStatistics& statistics) {
    return -std::log(static_cast<double>(statistics.matchesLong) /
                     static_cast<double>(statistics.matchesShort));
}

double entropyHubCrossFuzzyEn(const MembershipSums& sums, std::size_t samples, unsigned m, bool isSelf) {
    if (!isSelf) return crossFuzzyEntropy(sums, samples, m, false);
    const auto withThemselves = static_cast<double>(longTemplates(samples, m));
    return crossFuzzyEntropy({sums.shortSum + withThemselves, sums.longSum + withThemselves}, samples, m,
                             false);
}

Matrix<double> entropyHubTolerances(MatrixView<const double> signals, double fraction) {
    const std::size_t channels = signals.rows();
    const double samples = static_cast<double>(signals.columns());
    std::vector<double> variances(channels);
    for (std::size_t a = 0; a < channels; ++a) variances[a] = variance(signals.row(a), signals.columns());
    Matrix<double> tolerances(channels, channels);
    for (std::size_t a = 0; a < channels; ++a)
        for (std::size_t b = 0; b < channels; ++b)
            tolerances(a, b) =
                fraction *
                std::sqrt((variances[a] * (samples - 1) + variances[b] * (samples - 1)) / (2 * samples - 1));
    return tolerances;
}

}  // namespace glycine::crossapen
