// Ceilings of a study's report, raised by the results of all its steps.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/study/reports/study_report.hpp"

namespace glycine::study {

namespace {

/// One ceiling of a row, with the time that it is compared with.
struct UseInRow {
    CeilingUse use;
    double seconds = 0;  ///< 0: reports before this version do not say
};

/// Of a row's JSON; none of what lacks a rate.
std::vector<UseInRow> usesIn(const Json& row) {
    std::vector<UseInRow> uses;
    const auto take = [&](const Json& json) {
        if (!json.is_object() || !json.contains("rate") || !json.contains("work")) return;
        UseInRow one{.use = ceilingUseFrom(json)};
        if (one.use.threads == 0) one.use.threads = row.value("threads", 0);
        if (const double share = json.value("share", 0.0); share > 0)
            one.seconds = one.use.leastSeconds() / share;
        uses.push_back(std::move(one));
    };
    if (row.contains("ceiling")) take(row["ceiling"]);
    for (const Json& other : row.value("otherCeilings", Json::array())) take(other);
    return uses;
}

CeilingKey ceilingKeyIn(const Json& row, const CeilingUse& use) {
    return {row.value("backend", ""), row.value("dialect", ""), use.threads, use.name};
}

std::string nameOfResult(const Json& row, const Json& step) {
    const Contender contender{row.value("backend", ""), row.value("variant", ""), row.value("dialect", ""),
                              row.value("numberFormat", "")};
    std::string where = step.value("figure", "");
    if (where.empty()) {
        where = step.value("algorithm", "");
        if (const std::string series = step.value("series", ""); !series.empty()) where += " " + series;
    }
    if (row.contains("problem"))
        return fmt::format("{} on {}, {}", contender.label(), where, row["problem"].get<std::string>());
    std::string extents;
    for (const Json& one : row.value("dimensions", Json::array()))
        extents += fmt::format("{}{} {}", extents.empty() ? "" : " × ", one.value("extent", 0),
                               one.value("name", ""));
    return fmt::format("{} on {}, {}", contender.label(), where, extents);
}

void raiseRow(Json& row, const RaisedCeilings& raised) {
    std::vector<UseInRow> uses = usesIn(row);
    if (uses.empty() || std::ranges::none_of(uses, [&](const UseInRow& one) {
            return raised.find(ceilingKeyIn(row, one.use)) != nullptr;
        }))
        return;
    for (UseInRow& one : uses) raised.apply(ceilingKeyIn(row, one.use), one.use);
    std::ranges::stable_sort(uses, std::greater(),
                             [](const UseInRow& one) { return one.use.leastSeconds(); });
    // What a share can be told of comes first.
    std::stable_partition(uses.begin(), uses.end(), [](const UseInRow& one) { return one.seconds > 0; });
    const auto toJson = [](const UseInRow& one) {
        Json json = ceilingUseToJson(one.use);
        if (one.seconds > 0) json["share"] = one.use.shareOf(one.seconds);
        return json;
    };
    row["ceiling"] = toJson(uses.front());
    row.erase("otherCeilings");
    for (std::size_t other = 1; other < uses.size(); ++other)
        row["otherCeilings"].push_back(toJson(uses[other]));
}

/// A ceiling that was measured on a device.
void raiseMeasured(Json& device, const RaisedCeilings& raised) {
    const Json about = device.value("device", Json::object());
    for (Json& ceiling : device["ceilings"]) {
        if (!ceiling.contains("best")) continue;
        // Rows of reports before this version do not say of how many threads their ceilings are.
        const RaisedCeilings::Raise* raise = nullptr;
        for (const int threads : {device.value("threads", 0), 0})
            if (raise == nullptr)
                raise = raised.find({about.value("backend", ""), about.value("dialect", ""), threads,
                                     ceiling.value("name", "")});
        if (raise == nullptr) continue;
        if (!ceiling.contains("raisedBy")) ceiling["probed"] = ceiling["best"];
        ceiling["best"] = raise->rate;
        ceiling["raisedBy"] = raise->by;
    }
}

}  // namespace

RaisedCeilings raiseCeilings(Json& steps) {
    const auto withResult = [&](const auto& kinds, const auto& work) {
        for (Json& step : steps)
            if (step.value("status", "") == "done" &&
                std::ranges::find(kinds, step.value("kind", "")) != kinds.end())
                work(step);
    };
    const std::vector<std::string> timed{"times", "figures"};
    RaisedCeilings raised;
    withResult(timed, [&](const Json& step) {
        for (const Json& row : step.at("result").at("rows"))
            for (const UseInRow& one : usesIn(row))
                raised.note(ceilingKeyIn(row, one.use), one.use, one.seconds, nameOfResult(row, step));
    });
    if (raised.all().empty()) return raised;
    withResult(timed, [&](Json& step) {
        for (Json& row : step["result"]["rows"]) raiseRow(row, raised);
    });
    withResult(std::vector<std::string>{"ceilings"}, [&](Json& step) {
        if (step["result"].contains("measured"))
            for (Json& device : step["result"]["measured"]) raiseMeasured(device, raised);
    });
    return raised;
}

}  // namespace glycine::study
