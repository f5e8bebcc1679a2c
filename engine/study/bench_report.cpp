#include "engine/study/bench_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"

namespace glycine {

namespace {

using study::busyLine;
using study::conditionFields;

bool hasTime(const BenchRow& row) {
    return row.skipped.empty() && !row.isWrong && row.total.count > 0;
}

/// "1,024", or "2,000 × 512" where there are dimensions.
std::string sizeText(const BenchRow& row) {
    if (row.dimensions.empty()) return formatCount(row.size);
    std::vector<std::string> extents;
    for (const auto& [name, extent] : row.dimensions) extents.push_back(formatCount(extent));
    return fmt::format("{}", fmt::join(extents, " × "));
}

double perSecond(double work, double seconds) {
    return seconds > 0 ? work / seconds : 0;
}

Json toJson(const BenchReport& report, const BenchRow& row) {
    Json json{{"size", row.size}};
    for (const auto& [name, extent] : row.dimensions) json[name] = extent;
    json["backend"] = row.configuration.backend;
    json["variant"] = row.configuration.variant;
    json["numberFormat"] = row.configuration.numberFormat;
    if (row.configuration.dialect) json["dialect"] = row.configuration.dialectName();
    if (!row.skipped.empty()) {
        json["skipped"] = row.skipped;
        return json;
    }
    json["verified"] = !row.isWrong;
    json["check"] = row.check;
    if (!row.note.empty()) json["note"] = row.note;
    if (!hasTime(row)) return json;
    Json& stages = json["seconds"] = Json::object();
    for (const BenchStage& stage : row.stages) stages[stage.name] = toJson(stage.seconds);
    stages["total"] = toJson(row.total);
    Json& rates = json["rates"] = Json::object();
    for (const BenchStage& stage : row.stages)
        if (stage.work > 0) rates[stage.name] = {{"best", stage.bestRate()}, {"median", stage.medianRate()}};
    if (row.totalWork > 0)
        rates["total"] = {{"best", perSecond(row.totalWork, row.total.minimum)},
                          {"median", perSecond(row.totalWork, row.total.median)}};
    json["ratioToFirst"] = report.ratioToFirst(row);
    if (const auto ratio = report.roundRatio(row)) {
        json["ratioInterval"] = {ratio->interval.low, ratio->interval.high};
        json["ratioUndecided"] = report.isUndecided(row);
    }
    return json;
}

std::string minimumAndMedian(const Statistics& seconds) {
    if (seconds.maximum == 0) return "–";
    return fmt::format("{} ({})", formatSeconds(seconds.minimum), formatSeconds(seconds.median));
}

}  // namespace

void BenchReport::addDevice(const DeviceDescription& device) {
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
}

const BenchRow& BenchReport::firstOf(const BenchRow& row) const {
    const auto first = std::find_if(rows.begin(), rows.end(), [&row](const BenchRow& other) {
        return other.size == row.size && other.dimensions == row.dimensions;
    });
    return first == rows.end() ? row : *first;
}

double BenchReport::ratioToFirst(const BenchRow& row) const {
    const BenchRow& first = firstOf(row);
    if (!hasTime(first) || !hasTime(row) || row.total.minimum <= 0) return 0;
    return first.total.minimum / row.total.minimum;
}

std::optional<Statistics> BenchReport::roundRatio(const BenchRow& row) const {
    const BenchRow& first = firstOf(row);
    if (!hasTime(first) || !hasTime(row)) return {};
    std::vector<double> ratios = quotients(first.total.samples, row.total.samples);
    if (ratios.empty()) return {};
    return summarize(std::move(ratios));
}

bool BenchReport::isUndecided(const BenchRow& row) const {
    const auto ratio = roundRatio(row);
    return ratio && &firstOf(row) != &row && ratio->interval.contains(1);
}

std::vector<double> BenchReport::spreads() const {
    std::vector<double> result;
    for (const BenchRow& row : rows)
        if (hasTime(row)) result.push_back(row.total.spread());
    return result;
}

bool BenchReport::hasWrongRows() const {
    return std::any_of(rows.begin(), rows.end(), [](const BenchRow& row) { return row.isWrong; });
}

void printBenchReport(std::ostream& out, const BenchReport& report, std::size_t width) {
    out << busyLine(report.conditions);
    Fields head = environmentFields(report.environment);
    for (const DeviceDescription& device : report.devices) head.push_back(deviceField(device));
    for (const Fields& fields : {conditionFields(report.conditions), report.settings})
        head.insert(head.end(), fields.begin(), fields.end());
    printFields(out, head, width);
    out << '\n';

    std::vector<std::string> stageNames;
    std::vector<std::string> rateNames;
    for (const BenchRow& row : report.rows) {
        for (const BenchStage& stage : row.stages) {
            const auto addOnce = [&stage](std::vector<std::string>& names) {
                if (std::find(names.begin(), names.end(), stage.name) == names.end())
                    names.push_back(stage.name);
            };
            addOnce(stageNames);
            if (stage.work > 0) addOnce(rateNames);
        }
    }
    std::vector<TextTable::Column> columns{{report.sizeLabel, Align::Right}, {"backend"}, {"variant"}};
    const bool hasDialects = std::any_of(report.rows.begin(), report.rows.end(),
                                         [](const auto& row) { return row.configuration.dialect; });
    if (hasDialects) columns.push_back({"dialect"});
    for (const std::string& name : stageNames) columns.push_back({name, Align::Right});
    columns.push_back({"total", Align::Right});
    for (const std::string& name : rateNames)
        columns.push_back({fmt::format("{} {}", name, report.rateUnit), Align::Right});
    const bool hasTotalRate = std::any_of(report.rows.begin(), report.rows.end(),
                                          [](const auto& row) { return row.totalWork > 0; });
    if (hasTotalRate) columns.push_back({fmt::format("total {}", report.rateUnit), Align::Right});
    columns.push_back({"ratio", Align::Right});
    columns.push_back({"verified"});

    TextTable table(columns);
    for (const BenchRow& row : report.rows) {
        std::vector<std::string> cells{sizeText(row), row.configuration.backend, row.configuration.variant};
        if (hasDialects) cells.push_back(row.configuration.dialectName());
        for (const std::string& name : stageNames) {
            const auto stage =
                std::find_if(row.stages.begin(), row.stages.end(),
                             [&name](const BenchStage& candidate) { return candidate.name == name; });
            cells.push_back(hasTime(row) && stage != row.stages.end() ? minimumAndMedian(stage->seconds)
                                                                      : "–");
        }
        cells.push_back(hasTime(row) ? minimumAndMedian(row.total) : "–");
        for (const std::string& name : rateNames) {
            const auto stage =
                std::find_if(row.stages.begin(), row.stages.end(),
                             [&name](const BenchStage& candidate) { return candidate.name == name; });
            const bool isKnown = hasTime(row) && stage != row.stages.end() && stage->bestRate() > 0;
            cells.push_back(isKnown ? formatNumber(stage->bestRate()) : "–");
        }
        if (hasTotalRate)
            cells.push_back(hasTime(row) && row.totalWork > 0
                                ? formatNumber(perSecond(row.totalWork, row.total.minimum))
                                : "–");
        const double ratio = report.ratioToFirst(row);
        if (ratio > 0)
            cells.push_back(report.isUndecided(row) ? fmt::format("undecided ({:.3g} ×)", ratio)
                                                    : fmt::format("{:.3g} ×", ratio));
        else
            cells.emplace_back("–");
        cells.push_back(!row.skipped.empty() ? "skipped: " + row.skipped
                                             : (row.isWrong ? "WRONG: " : "") + row.check);
        table.addRow(std::move(cells));
    }
    table.print(out, width);
}

Json toJson(const BenchReport& report) {
    Json json{
        {"command", "bench"}, {"algorithm", report.algorithm}, {"environment", toJson(report.environment)}};
    Json& devices = json["devices"] = Json::array();
    for (const DeviceDescription& device : report.devices) devices.push_back(toJson(device));
    Json& settings = json["settings"] = Json::object();
    for (const auto& [label, value] : report.settings) settings[label] = value;
    addToJson(json, report.conditions);
    json["sizeLabel"] = report.sizeLabel;
    json["rateUnit"] = report.rateUnit;
    Json& rows = json["rows"] = Json::array();
    for (const BenchRow& row : report.rows) rows.push_back(toJson(report, row));
    return json;
}

int concludeBench(CommandContext& context, const BenchReport& report, const std::string& output,
                  bool asJson) {
    if (!output.empty()) writeJson(output, toJson(report));
    if (asJson) {
        printJson(context.out(), toJson(report));
    } else {
        printBenchReport(context.out(), report, terminalWidth());
        if (!output.empty()) context.out() << fmt::format("\nWrote {}\n", output);
    }
    const bool isEmpty = std::all_of(report.rows.begin(), report.rows.end(),
                                     [](const auto& row) { return !row.skipped.empty(); });
    if (isEmpty) throw UnavailableError("nothing was timed: no configuration could run");
    return report.hasWrongRows() ? 1 : 0;
}

}  // namespace glycine
