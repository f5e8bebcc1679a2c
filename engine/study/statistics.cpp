#include "engine/study/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"

namespace glycine {

namespace {

constexpr double kConfidence = 0.95;
constexpr std::size_t kFewestForInterval = 3;

Interval medianInterval(const std::vector<double>& ascending, double median) {
    const std::size_t n = ascending.size();
    if (n < kFewestForInterval) return {median / 2, median * 2, 0};
    // P(X < k), term by term.
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

Statistics summarizeVisits(const std::vector<std::vector<double>>& visits) {
    std::vector<double> all, medians;
    std::vector<std::size_t> counts;
    for (const std::vector<double>& visit : visits) {
        if (visit.empty()) continue;
        all.insert(all.end(), visit.begin(), visit.end());
        medians.push_back(summarize(visit).median);
        counts.push_back(visit.size());
    }
    Statistics statistics = summarize(std::move(all));
    if (medians.size() < 2) return statistics;
    statistics.visits = std::move(counts);
    const Statistics ofVisits = summarize(std::move(medians));
    if (ofVisits.count < kFewestForInterval) {
        statistics.interval.low = std::min(statistics.interval.low, ofVisits.minimum);
        statistics.interval.high = std::max(statistics.interval.high, ofVisits.maximum);
    } else {
        statistics.median = ofVisits.median;
        statistics.interval = ofVisits.interval;
    }
    return statistics;
}

std::vector<double> quotients(const std::vector<double>& numerators, const std::vector<double>& divisors) {
    std::vector<double> result;
    for (std::size_t i = 0; i < std::min(numerators.size(), divisors.size()); ++i) {
        if (divisors[i] <= 0) return {};
        result.push_back(numerators[i] / divisors[i]);
    }
    return result;
}

std::optional<Statistics> quotientOf(const Statistics& numerator, const Statistics& divisor) {
    if (numerator.count == 0 || divisor.count == 0) return {};
    if (!(divisor.interval.low > 0) || !(numerator.interval.low > 0)) return {};
    Statistics quotient;
    quotient.count = std::min(numerator.count, divisor.count);
    quotient.minimum = quotient.maximum = quotient.median = numerator.median / divisor.median;
    quotient.interval = {numerator.interval.low / divisor.interval.high,
                         numerator.interval.high / divisor.interval.low,
                         std::min(numerator.interval.confidence, divisor.interval.confidence)};
    return quotient;
}

double slopeOf(const std::vector<std::pair<double, double>>& points) {
    const auto count = static_cast<double>(points.size());
    double x = 0, y = 0, xx = 0, xy = 0;
    for (const auto& [px, py] : points) {
        x += px;
        y += py;
        xx += px * px;
        xy += px * py;
    }
    return (count * xy - x * y) / (count * xx - x * x);
}

Statistics statisticsFrom(const Json& json) {
    Statistics statistics;
    statistics.count = json.at("count").get<std::size_t>();
    statistics.minimum = json.at("min").get<double>();
    statistics.median = json.at("median").get<double>();
    statistics.maximum = json.at("max").get<double>();
    statistics.interval = {json.at("interval").at(0).get<double>(), json.at("interval").at(1).get<double>(),
                           json.at("confidence").get<double>()};
    statistics.samples = json.at("samples").get<std::vector<double>>();
    if (json.contains("visits")) statistics.visits = json["visits"].get<std::vector<std::size_t>>();
    const std::size_t visited =
        std::accumulate(statistics.visits.begin(), statistics.visits.end(), std::size_t{0});
    if (!statistics.visits.empty() && visited != statistics.samples.size())
        throw InputError(fmt::format("the report says {} of measured times in all visits, but lists {}",
                                     formatCount(visited, "sample"), statistics.samples.size()));
    return statistics;
}

Json toJson(const Statistics& statistics) {
    Json json{{"min", statistics.minimum},
              {"median", statistics.median},
              {"max", statistics.maximum},
              {"count", statistics.count},
              {"interval", {statistics.interval.low, statistics.interval.high}},
              {"confidence", statistics.interval.confidence},
              {"samples", statistics.samples}};
    if (!statistics.visits.empty()) json["visits"] = statistics.visits;
    return json;
}

}  // namespace glycine
