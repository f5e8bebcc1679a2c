#include "engine/study/bench_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "engine/core/quantity.hpp"

namespace glycine::study {

namespace {

std::string rateText(const MeasuredTime* time) {
    return time != nullptr && time->bestRate() > 0 ? formatNumber(time->bestRate()) : "–";
}

/// "12.3 J NVIDIA H200 + 4.5 J package-0".
std::string energyText(const MeasuredRow& row) {
    std::vector<std::string> parts;
    for (const EnergyUse& use : row.energy)
        parts.push_back(fmt::format("{} J {}", formatNumber(use.joules), use.of));
    return parts.empty() ? "–" : fmt::format("{}", fmt::join(parts, " + "));
}

Json toJson(const EnergyUse& use) {
    return {{"of", use.of}, {"joules", use.joules}, {"how", use.how}};
}

}  // namespace

const MeasuredRow& BenchReport::firstOf(const MeasuredRow& row) const {
    const auto first = std::ranges::find(rows, row.dimensions, &MeasuredRow::dimensions);
    return first == rows.end() ? row : *first;
}

double BenchReport::ratioToFirst(const MeasuredRow& row) const {
    const MeasuredRow& first = firstOf(row);
    if (!first.hasTime() || !row.hasTime() || row.total.seconds.minimum <= 0) return 0;
    return first.total.seconds.minimum / row.total.seconds.minimum;
}

std::optional<Statistics> BenchReport::roundRatio(const MeasuredRow& row) const {
    const MeasuredRow& first = firstOf(row);
    if (!first.hasTime() || !row.hasTime()) return {};
    std::vector<double> ratios = quotients(first.total.seconds.samples, row.total.seconds.samples);
    if (ratios.empty()) return {};
    return summarize(std::move(ratios));
}

bool BenchReport::isUndecided(const MeasuredRow& row) const {
    const auto ratio = roundRatio(row);
    return ratio && &firstOf(row) != &row && ratio->interval.contains(1);
}

void BenchReport::print(std::ostream& out, std::size_t width) const {
    out << busyLine(conditions);
    printHead(out, {environmentFields(environment), deviceFields(), conditionFields(conditions), settings},
              width);

    std::vector<std::string> timeNames;
    std::vector<std::string> rateNames;
    const auto addOnce = [](std::vector<std::string>& names, const std::string& name) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const MeasuredRow& row : rows) {
        if (!row.hasTime()) continue;
        for (const MeasuredTime& stage : row.stages) {
            addOnce(timeNames, stage.name);
            if (stage.work > 0) addOnce(rateNames, stage.name);
        }
    }
    timeNames.emplace_back("total");
    if (std::ranges::any_of(rows, [](const auto& row) { return row.hasTime() && row.total.work > 0; }))
        rateNames.emplace_back("total");

    TableOf<MeasuredRow> table;
    table.add({sizeLabel, Align::Right}, sizeText);
    table.add({"backend"}, [](const auto& row) { return row.configuration.backend; });
    table.add({"variant"}, [](const auto& row) { return row.configuration.variant; });
    if (std::ranges::any_of(rows, [](const auto& row) { return row.configuration.dialect.has_value(); }))
        table.add({"dialect"}, [](const auto& row) { return row.configuration.dialectName(); });
    for (const std::string& name : timeNames)
        table.add({name, Align::Right}, [name](const auto& row) { return timeText(row.time(name)); });
    for (const std::string& name : rateNames)
        table.add({fmt::format("{} {}", name, rateUnit), Align::Right},
                  [name](const auto& row) { return rateText(row.time(name)); });
    if (std::ranges::any_of(rows, [](const auto& row) { return row.ceilingShare() > 0; }))
        table.add({"of ceiling", Align::Right}, shareText);
    if (std::ranges::any_of(rows, [](const auto& row) { return !row.energy.empty(); }))
        table.add({"energy", Align::Right}, energyText);
    table.add({"ratio", Align::Right}, [this](const auto& row) -> std::string {
        const double ratio = ratioToFirst(row);
        if (ratio <= 0) return "–";
        return fmt::format(fmt::runtime(isUndecided(row) ? "undecided ({:.3g} ×)" : "{:.3g} ×"), ratio);
    });
    table.add({"verified"}, [](const auto& row) { return outcomeText(row, "skipped"); });
    table.print(out, rows, width);
    if (!cutShort.empty()) out << "\nNot finished: " << cutShort << '\n';
}

Json BenchReport::toJson(const MeasuredRow& row) const {
    Json json = Json::object();
    addDimensions(json, row);
    addToJson(json, row);
    if (!row.hasTime()) return json;
    Json seconds = Json::object();
    Json rates = Json::object();
    const auto add = [&](const MeasuredTime& time) {
        seconds[time.name] = glycine::toJson(time.seconds);
        if (time.work > 0) rates[time.name] = {{"best", time.bestRate()}, {"median", time.medianRate()}};
    };
    for (const MeasuredTime& stage : row.stages) add(stage);
    add(row.total);
    json["seconds"] = std::move(seconds);
    json["rates"] = std::move(rates);
    addCeilings(json, row);
    if (!row.energy.empty())
        json["energy"] = jsonArray(row.energy, [](const EnergyUse& use) { return study::toJson(use); });
    if (!row.energyAbsent.empty()) json["energyAbsent"] = row.energyAbsent;
    json["ratioToFirst"] = ratioToFirst(row);
    if (const auto ratio = roundRatio(row)) {
        json["ratioInterval"] = {ratio->interval.low, ratio->interval.high};
        json["ratioUndecided"] = isUndecided(row);
    }
    return json;
}

Json BenchReport::toJson() const {
    Json json{{"command", "bench"}, {"algorithm", algorithm}};
    addTo(json);
    addToJson(json, conditions);
    json["sizeLabel"] = sizeLabel;
    json["rateUnit"] = rateUnit;
    json["rows"] = jsonArray(rows, [this](const auto& row) { return toJson(row); });
    return json;
}

}  // namespace glycine::study
