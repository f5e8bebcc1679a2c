#include "engine/study/study_visits.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/study/reports/study_report.hpp"
#include "engine/study/statistics.hpp"

namespace glycine::study {

namespace {

/// The samples of each visit.
std::vector<std::vector<double>> visitsOf(const Statistics& statistics) {
    if (statistics.visits.empty()) return {statistics.samples};
    std::vector<std::vector<double>> visits;
    auto begin = statistics.samples.begin();
    for (const std::size_t count : statistics.visits) {
        const auto end = begin + static_cast<std::ptrdiff_t>(count);
        visits.emplace_back(begin, end);
        begin = end;
    }
    return visits;
}

void loseTimes(Json& row, const Json& later) {
    row["verified"] = false;
    row["check"] = later.value("check", "") + " (in a later visit)";
    for (const char* name : {"seconds", "rates", "ceiling", "otherCeilings", "energy", "energyAbsent",
                             "result", "ratioToFirst", "ratioInterval", "ratioUndecided"})
        row.erase(name);
}

void mergeRow(Json& row, const Json& later) {
    if (!row.contains("seconds")) return;
    if (!later.value("verified", true)) return loseTimes(row, later);
    if (!later.contains("seconds")) return;
    for (auto& [stage, seconds] : row["seconds"].items()) {
        if (!later["seconds"].contains(stage)) continue;
        const Statistics before = statisticsFrom(seconds);
        std::vector<std::vector<double>> visits = visitsOf(before);
        visits.push_back(statisticsFrom(later["seconds"][stage]).samples);
        const Statistics all = summarizeVisits(visits);
        seconds = glycine::toJson(all);
        if (!row.contains("rates") || !row["rates"].contains(stage)) continue;
        Json& rate = row["rates"][stage];
        const double work = rate.at("best").get<double>() * before.minimum;
        rate = {{"best", work / all.minimum}, {"median", work / all.median}};
    }
    const auto shareOf = [](const Json& one) {
        return one.value("ceiling", Json::object()).value("share", 0.0);
    };
    if (shareOf(later) > shareOf(row)) {
        row["ceiling"] = later["ceiling"];
        if (later.contains("otherCeilings")) row["otherCeilings"] = later["otherCeilings"];
    }
}

/// As BenchReport's, from the quotients of rounds, visit by visit.
void compareWithFirst(Json& row, const Json& first) {
    if (!row.contains("seconds") || !row.contains("ratioToFirst")) return;
    if (!first.contains("seconds")) {
        row["ratioToFirst"] = 0.0;
        row.erase("ratioInterval");
        row.erase("ratioUndecided");
        return;
    }
    const Statistics own = statisticsFrom(row["seconds"].at("total"));
    const Statistics other = statisticsFrom(first["seconds"].at("total"));
    if (!(own.minimum > 0)) return;
    row["ratioToFirst"] = other.minimum / own.minimum;
    const auto ownVisits = visitsOf(own), otherVisits = visitsOf(other);
    std::vector<std::vector<double>> ratios;
    for (std::size_t visit = 0; visit < std::min(ownVisits.size(), otherVisits.size()); ++visit)
        ratios.push_back(quotients(otherVisits[visit], ownVisits[visit]));
    const Statistics ratio = summarizeVisits(ratios);
    if (ratio.count == 0) return;
    row["ratioInterval"] = {ratio.interval.low, ratio.interval.high};
    row["ratioUndecided"] = &row != &first && ratio.interval.contains(1);
}

/// Whether the rows are about inputs of the same size.
bool isSameSize(const Json& one, const Json& other) {
    return one.at("dimensions") == other.at("dimensions");
}

}  // namespace

bool isSameRow(const Json& one, const Json& other) {
    const auto isSame = [&](const char* name) { return one.value(name, "") == other.value(name, ""); };
    return isSame("backend") && isSame("variant") && isSame("dialect") && isSame("numberFormat") &&
           isSameSize(one, other);
}

void mergeVisit(Json& first, const Json& later) {
    Json& rows = first.at("rows");
    for (Json& row : rows) {
        const auto same =
            std::ranges::find_if(later.at("rows"), [&row](const Json& one) { return isSameRow(row, one); });
        if (same != later["rows"].end()) mergeRow(row, *same);
    }
    for (Json& row : rows)
        compareWithFirst(
            row, *std::ranges::find_if(rows, [&row](const Json& one) { return isSameSize(row, one); }));
    if (disturbanceOf(later) > disturbanceOf(first))
        for (const char* name : {"load", "noise", "busy"}) first[name] = later.at(name);
}

}  // namespace glycine::study
