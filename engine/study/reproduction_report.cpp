#include "engine/study/reproduction_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <span>

#include "engine/core/quantity.hpp"
#include "engine/picture/bar_chart.hpp"

namespace glycine::study {

namespace {

constexpr picture::Color kPaperColor{172, 178, 190};
constexpr picture::Color kMeasuredColor{24, 124, 140};

/// The rows of one method on one problem, each with the time of another stage: a line of the table.
using Line = std::span<const MeasuredRow>;

std::vector<Line> linesOf(const std::vector<MeasuredRow>& rows) {
    std::vector<Line> lines;
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
        const PublishedRow& first = rows[begin].published;
        while (end < rows.size() && rows[end].published.problem == first.problem &&
               rows[end].published.method == first.method)
            ++end;
        lines.emplace_back(rows.data() + begin, end - begin);
    }
    return lines;
}

const MeasuredRow* findStage(Line line, const std::string& stage) {
    const auto found = std::find_if(
        line.begin(), line.end(), [&stage](const MeasuredRow& row) { return row.published.stage == stage; });
    return found == line.end() ? nullptr : &*found;
}

std::string sizeText(const Dimensions& dimensions) {
    std::vector<std::string> extents;
    for (const auto& [name, extent] : dimensions) extents.push_back(formatCount(extent));
    return fmt::format("{}", fmt::join(extents, " × "));
}

/// "cpu/dense, 1 thread"; empty for a time of the publication alone.
std::string standIn(const MeasuredRow& row) {
    if (row.isPaperAlone()) return {};
    const Configuration& c = row.configuration;
    std::string text = c.variant.empty() ? c.backend : fmt::format("{}/{}", c.backend, c.variant);
    if (c.dialect) text += " " + c.dialectName();
    if (row.published.threads > 0) text += ", " + formatCount(row.published.threads, "thread");
    return text;
}

std::string outcomeText(const MeasuredRow& row) {
    if (row.isPaperAlone()) return "the publication's alone";
    if (!row.skipped.empty()) return "not measured: " + row.skipped;
    return (row.isWrong ? "WRONG: " : "") + row.check;
}

void printRows(std::ostream& out, const ReproductionReport& report, std::size_t width) {
    std::vector<std::string> stages;
    bool hasRates = false;
    for (const MeasuredRow& row : report.rows) {
        if (std::find(stages.begin(), stages.end(), row.published.stage) == stages.end())
            stages.push_back(row.published.stage);
        hasRates = hasRates || row.work > 0;
    }
    std::vector<TextTable::Column> columns{{report.figure.sizeLabel, Align::Right}, {"method"}, {"here"}};
    for (const std::string& stage : stages) {
        columns.push_back({stage.empty() ? "published" : stage + " published", Align::Right});
        columns.push_back({stage.empty() ? "measured" : "measured", Align::Right});
    }
    if (hasRates) columns.push_back({report.figure.rateUnit, Align::Right});
    columns.push_back({"verified"});
    TextTable table(columns);
    for (const Line line : linesOf(report.rows)) {
        const MeasuredRow& last = line.back();
        std::vector<std::string> cells{sizeText(last.dimensions), last.published.method, standIn(last)};
        for (const std::string& stage : stages) {
            const MeasuredRow* row = findStage(line, stage);
            const bool isPublished = row != nullptr && row->published.paperSeconds > 0;
            cells.push_back(isPublished ? formatSeconds(row->published.paperSeconds) : "–");
            const bool isMeasured = row != nullptr && row->hasTime();
            cells.push_back(isMeasured ? fmt::format("{} ({})", formatSeconds(row->seconds.minimum),
                                                     formatSeconds(row->seconds.median))
                                       : "–");
        }
        const bool hasRate = last.hasTime() && last.work > 0 && last.seconds.minimum > 0;
        if (hasRates) cells.push_back(hasRate ? formatNumber(last.work / last.seconds.minimum) : "–");
        cells.push_back(outcomeText(last));
        table.addRow(std::move(cells));
    }
    table.print(out, width);
}

std::string claimText(const JudgedClaim& judged) {
    std::string text = fmt::format("{} ({})", judged.claim.text, judged.claim.place);
    if (!judged.claim.paper.empty()) text += fmt::format(": {} published", judged.claim.paper);
    if (judged.value.count > 0) text += fmt::format(", {} here", valueText(judged));
    if (!judged.reason.empty()) text += "; " + judged.reason;
    return text;
}

Json toJson(const MeasuredRow& row, const std::string& rateUnit) {
    Json json{{"problem", row.problem}, {"method", row.published.method}, {"stage", row.published.stage}};
    for (const auto& [name, extent] : row.dimensions) json[name] = extent;
    if (row.published.paperSeconds > 0)
        json["published"] = {{"seconds", row.published.paperSeconds}, {"work", row.published.paperWork}};
    if (row.isPaperAlone()) return json;
    json["backend"] = row.configuration.backend;
    json["variant"] = row.configuration.variant;
    json["numberFormat"] = row.configuration.numberFormat;
    if (row.configuration.dialect) json["dialect"] = row.configuration.dialectName();
    if (row.published.threads > 0) json["threads"] = row.published.threads;
    if (!row.skipped.empty()) {
        json["skipped"] = row.skipped;
        return json;
    }
    json["verified"] = !row.isWrong;
    json["check"] = row.check;
    if (!row.note.empty()) json["note"] = row.note;
    if (!row.hasTime()) return json;
    json["seconds"] = toJson(row.seconds);
    if (row.work > 0 && row.seconds.minimum > 0)
        json["rate"] = {{"unit", rateUnit},
                        {"best", row.work / row.seconds.minimum},
                        {"median", row.work / row.seconds.median}};
    return json;
}

Json toJson(const JudgedClaim& judged) {
    Json json{{"claim", judged.claim.text},
              {"place", judged.claim.place},
              {"published", judged.claim.paper},
              {"verdict", toString(judged.verdict)}};
    if (!judged.reason.empty()) json["reason"] = judged.reason;
    if (judged.claim.low) json["low"] = *judged.claim.low;
    if (judged.claim.high) json["high"] = *judged.claim.high;
    if (judged.value.count == 0) return json;
    json["value"] = judged.value.median;
    json["interval"] = {judged.value.interval.low, judged.value.interval.high};
    json["confidence"] = judged.value.interval.confidence;
    return json;
}

}  // namespace

bool ReproductionReport::hasWrongRows() const {
    return std::any_of(rows.begin(), rows.end(), [](const MeasuredRow& row) { return row.isWrong; });
}

std::string ReproductionReport::scaleText() const {
    return scale == Scale::Published ? "as published" : "QUICK, for a small machine: " + figure.quick;
}

void printReproduction(std::ostream& out, const ReproductionReport& report, std::size_t width) {
    out << busyLine(report.conditions);
    Fields head{{"figure", fmt::format("{}: {}", report.figure.id, report.figure.title)},
                {"source", report.figure.source},
                {"scale", report.scaleText()},
                {"about", report.figure.about}};
    for (const Fields& fields :
         {environmentFields(report.environment), conditionFields(report.conditions), report.settings})
        head.insert(head.end(), fields.begin(), fields.end());
    for (const DeviceDescription& device : report.devices) head.push_back(deviceField(device));
    printFields(out, head, width);
    out << '\n';
    printRows(out, report, width);
    Fields claims;
    for (const JudgedClaim& judged : report.claims)
        claims.emplace_back(toString(judged.verdict), claimText(judged));
    for (const auto& [text, reason] : report.figure.untested)
        claims.emplace_back(toString(Verdict::Untested), fmt::format("{}: {}", text, reason));
    if (claims.empty()) return;
    out << "\nWhat the publication says, and what became of it here\n";
    printFields(out, claims, width, "  ");
}

Json toJson(const ReproductionReport& report) {
    Json json{
        {"command", "reproduce"},       {"figure", report.figure.id},
        {"title", report.figure.title}, {"source", report.figure.source},
        {"about", report.figure.about}, {"scale", report.scale == Scale::Published ? "published" : "quick"},
        {"scaled", report.scaleText()}, {"environment", glycine::toJson(report.environment)}};
    Json& devices = json["devices"] = Json::array();
    for (const DeviceDescription& device : report.devices) devices.push_back(glycine::toJson(device));
    Json& settings = json["settings"] = Json::object();
    for (const auto& [label, value] : report.settings) settings[label] = value;
    addToJson(json, report.conditions);
    json["sizeLabel"] = report.figure.sizeLabel;
    Json& rows = json["rows"] = Json::array();
    for (const MeasuredRow& row : report.rows) rows.push_back(toJson(row, report.figure.rateUnit));
    Json& claims = json["claims"] = Json::array();
    for (const JudgedClaim& judged : report.claims) claims.push_back(toJson(judged));
    for (const auto& [text, reason] : report.figure.untested)
        claims.push_back({{"claim", text}, {"verdict", toString(Verdict::Untested)}, {"reason", reason}});
    return json;
}

void drawReproduction(const std::filesystem::path& path, const ReproductionReport& report) {
    std::vector<picture::BarGroup> groups;
    std::size_t problem = 0;
    for (const Line line : linesOf(report.rows)) {
        const MeasuredRow& row = line.back();
        picture::BarGroup& group = groups.emplace_back();
        group.label = row.published.method;
        if (groups.size() == 1 || row.published.problem != problem) group.heading = row.problem;
        problem = row.published.problem;
        picture::Bar paper, measured;
        if (row.published.paperSeconds > 0) paper.value = row.published.paperSeconds;
        if (row.hasTime() && row.seconds.minimum > 0)
            measured.value = row.seconds.minimum;
        else if (!row.isPaperAlone())
            measured.note = row.isWrong ? "wrong result: not timed" : "not measured: " + row.skipped;
        group.bars = {paper, measured};
    }
    picture::BarChartOptions options;
    options.title = report.figure.title;
    options.axisLabel = "time, best run";
    options.valueText = formatSeconds;
    options.tickText = formatPowerOfSeconds;
    options.footer = {"Published: " + report.figure.source, "Here: " + report.scaleText(),
                      report.environment.build + "; " + report.environment.processor};
    for (const DeviceDescription& device : report.devices)
        options.footer.push_back(fmt::format("{}: {}", deviceField(device).first, device.device));
    if (const std::string busy = report.conditions.disturbance(); !busy.empty())
        options.footer.push_back("Busy machine: " + busy);
    picture::writeBarChart(path, {{"published", kPaperColor}, {"measured here", kMeasuredColor}}, groups,
                           options);
}

}  // namespace glycine::study
