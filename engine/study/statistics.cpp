#include "engine/study/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace glycine {

namespace {

constexpr double kConfidence = 0.95;
constexpr std::size_t kFewestForInterval = 3;

Interval medianInterval(const std::vector<double>& ascending, double median) {
    const std::size_t n = ascending.size();
    if (n < kFewestForInterval) return {median / 2, median * 2, 0};
    // P(X < k), one term after the other.
    double term = std::pow(0.5, static_cast<double>(n));
    double below = term;
    std::size_t k = 1;
    while (true) {
        term *= static_cast<double>(n - k + 1) / static_cast<double>(k);
        if (1 - 2 * (below + term) < kConfidence) break;
        below += term;
        ++k;
    }
    return {ascending[k - 1], ascending[n - k], 1 - 2 * below};
}

}  // namespace

Statistics summarize(std::vector<double> samples) {
    if (samples.empty()) return {};
    std::vector<double> ascending = samples;
    std::sort(ascending.begin(), ascending.end());
    const std::size_t middle = ascending.size() / 2;
    const double median =
        ascending.size() % 2 == 1 ? ascending[middle] : (ascending[middle - 1] + ascending[middle]) / 2;
    return {ascending.size(),  ascending.front(), median, ascending.back(), medianInterval(ascending, median),
            std::move(samples)};
}

std::vector<double> quotients(const std::vector<double>& numerators, const std::vector<double>& divisors) {
    std::vector<double> result;
    for (std::size_t i = 0; i < std::min(numerators.size(), divisors.size()); ++i) {
        if (divisors[i] <= 0) return {};
        result.push_back(numerators[i] / divisors[i]);
    }
    return result;
}

Json toJson(const Statistics& statistics) {
    return {{"min", statistics.minimum},
            {"median", statistics.median},
            {"max", statistics.maximum},
            {"count", statistics.count},
            {"interval", {statistics.interval.low, statistics.interval.high}},
            {"confidence", statistics.interval.confidence},
            {"samples", statistics.samples}};
}

}  // namespace glycine
