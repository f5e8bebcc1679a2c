#include "engine/crossapen/entropyhub.hpp"

#include <cmath>
#include <vector>

namespace glycine::crossapen {

namespace {

/// Divisor N, the mean taken out first.
double variance(const double* values, std::size_t count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += values[i];
    const double mean = sum / static_cast<double>(count);
    double squares = 0;
    for (std::size_t i = 0; i < count; ++i) squares += (values[i] - mean) * (values[i] - mean);
    return squares / static_cast<double>(count);
}

}  // namespace

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
