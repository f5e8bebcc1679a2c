#include "engine/study/reports/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/core/quantity.hpp"

namespace glycine::study {

std::string TimeRatio::text() const {
    if (isUndecided) return fmt::format("undecided ({:.3g} ×)", value);
    return fmt::format("{:.3g} × ({:.3g} … {:.3g})", value, interval.low, interval.high);
}

std::optional<TimeRatio> timeRatio(const TimedRow& slow, const TimedRow& fast) {
    if (!slow.hasTime() || !fast.hasTime()) return {};
    const auto quotient = quotientOf(slow.seconds, fast.seconds);
    if (!quotient) return {};
    TimeRatio ratio{quotient->median, quotient->interval};
    ratio.isDisturbed = slow.disturbance > 0 || fast.disturbance > 0;
    const Interval one = slow.certainty(), other = fast.certainty();
    ratio.isUndecided = one.low <= other.high && other.low <= one.high;
    return ratio;
}

std::optional<ResultAgreement> agreementOf(const TimedRow& one, const TimedRow& other) {
    if (one.digest.empty() || other.digest.empty()) return {};
    ResultAgreement agreement{.isEqual = one.digest == other.digest};
    agreement.isMeasured = !one.samples.empty() && one.samples.size() == other.samples.size();
    if (!agreement.isMeasured) return agreement;
    for (std::size_t i = 0; i < one.samples.size(); ++i) {
        const double larger = std::max(std::abs(one.samples[i]), std::abs(other.samples[i]));
        if (larger > 0)
            agreement.largestDifference =
                std::max(agreement.largestDifference, std::abs(one.samples[i] - other.samples[i]) / larger);
    }
    return agreement;
}

std::vector<MachineTimes> machineTimes(std::span<const StudyReport> reports) {
    std::vector<MachineTimes> all;
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    for (std::size_t machine = 0; machine < reports.size(); ++machine)
        for (const TimedRow& row : reports[machine].times()) {
            if (!row.hasTime()) continue;
            const std::pair key(row.problem(), row.contender.application());
            const auto [place, isNew] = places.try_emplace(key, all.size());
            if (isNew) {
                all.push_back({key.first, key.second, {}});
                all.back().rows.resize(reports.size());
            }
            std::optional<TimedRow>& kept = all[place->second].rows[machine];
            if (!kept || row.seconds.minimum < kept->seconds.minimum) kept = row;
        }
    return all;
}

std::vector<MachinePair> machinePairs(std::span<const StudyReport> reports) {
    std::vector<MachinePair> pairs;
    for (const MachineTimes& times : machineTimes(reports))
        for (std::size_t first = 0; first < reports.size(); ++first)
            for (std::size_t second = first + 1; second < reports.size(); ++second) {
                if (!times.rows[first] || !times.rows[second]) continue;
                const TimedRow& row = *times.rows[first];
                const auto agreement = agreementOf(row, *times.rows[second]);
                if (!agreement) continue;
                const auto isSame = [&](const MachinePair& pair) {
                    return pair.algorithm == row.algorithm && pair.application == times.application &&
                           pair.numberFormat == row.contender.numberFormat && pair.first == first &&
                           pair.second == second;
                };
                auto place = std::ranges::find_if(pairs, isSame);
                if (place == pairs.end())
                    place = pairs.insert(pairs.end(), {row.algorithm, times.application,
                                                       row.contender.numberFormat, first, second});
                ++place->problems;
                if (agreement->isEqual) ++place->equal;
                place->largestDifference = std::max(place->largestDifference, agreement->largestDifference);
            }
    return pairs;
}

}  // namespace glycine::study
