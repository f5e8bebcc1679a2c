#include "engine/algorithms/crossapen/study/figure_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "engine/core/quantity.hpp"

namespace glycine::crossapen {

namespace {

std::string formatTime(double seconds) {
    return seconds > 0 ? formatSeconds(seconds) : "–";
}

std::string formatRate(double rate) {
    return rate > 0 ? formatNumber(rate) : "–";
}

double paperRate(const Figure& figure, const FigureRow& row) {
    return row.paperSeconds > 0 ? figure.paperComparisons / row.paperSeconds / 1e9 : 0;
}

std::string verdict(const FigureRow& row) {
    if (row.isPaperAlone()) return "–";
    if (!row.skipped.empty()) return "not measured: " + row.skipped;
    return (row.isWrong ? "WRONG: " : "") + row.check;
}

void printFigure(std::ostream& out, const Figure& figure, std::size_t width) {
    out << fmt::format("\n{}: {}\n", figure.name, figure.title);
    const std::size_t textWidth = width > 0 ? width : 110;
    for (const std::string& line : wrapText(figure.about, textWidth)) out << line << '\n';
    out << '\n';
    std::vector<TextTable::Column> columns{{"method"},
                                           {"trials × samples", Align::Right},
                                           {"paper", Align::Right},
                                           {"G/s", Align::Right},
                                           {"here", Align::Right},
                                           {"(median)", Align::Right},
                                           {"compute", Align::Right},
                                           {"G/s", Align::Right}};
    if (!figure.base.empty()) columns.push_back({"vs " + figure.base, Align::Right});
    columns.push_back({"verified"});
    TextTable table(std::move(columns));
    for (const FigureRow& row : figure.rows) {
        const auto time = [&row](double seconds) {
            return row.hasTime() ? formatTime(seconds) : std::string("–");
        };
        std::vector<std::string> cells{row.method,
                                       row.size,
                                       formatTime(row.paperSeconds),
                                       formatRate(paperRate(figure, row)),
                                       time(row.seconds.minimum),
                                       time(row.seconds.median),
                                       time(row.compute.minimum),
                                       formatRate(row.rate())};
        if (!figure.base.empty()) {
            const double ratio = figure.ratioToBase(row);
            cells.push_back(ratio > 0 ? formatNumber(ratio) + " ×" : "–");
        }
        cells.push_back(verdict(row));
        table.addRow(std::move(cells));
    }
    table.print(out, width);
    for (const std::string& conclusion : figure.conclusions) {
        out << '\n';
        for (const std::string& line : wrapText(conclusion, textWidth)) out << line << '\n';
    }
}

Json toJson(const Figure& figure, const FigureRow& row) {
    Json json{{"method", row.method}, {"size", row.size}};
    if (!row.configuration.backend.empty()) {
        json["backend"] = row.configuration.backend;
        json["variant"] = row.configuration.variant;
    }
    if (row.configuration.dialect) json["dialect"] = row.configuration.dialectName();
    if (row.paperSeconds > 0) {
        json["paperSeconds"] = row.paperSeconds;
        json["paperRate"] = paperRate(figure, row);
    }
    if (row.isPaperAlone()) return json;
    if (!row.skipped.empty()) {
        json["skipped"] = row.skipped;
        return json;
    }
    json["verified"] = !row.isWrong;
    json["check"] = row.check;
    if (!row.note.empty()) json["note"] = row.note;
    if (!row.hasTime()) return json;
    json["seconds"] = toJson(row.seconds);
    if (row.compute.count > 0) json["computeSeconds"] = toJson(row.compute);
    json["comparisons"] = row.comparisons;
    json["rate"] = row.rate();
    if (const double ratio = figure.ratioToBase(row); ratio > 0) json["timesFasterThanBase"] = ratio;
    return json;
}

}  // namespace

const FigureRow* Figure::find(const std::string& method, const std::string& size) const {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const FigureRow& row) {
        return row.method == method && row.size == size;
    });
    return found == rows.end() ? nullptr : &*found;
}

double Figure::ratioToBase(const FigureRow& row) const {
    const FigureRow* reference = find(base, row.size);
    if (row.configuration.backend.empty() || reference == nullptr || reference->rate() == 0) return 0;
    return row.rate() / reference->rate();
}

void FigureReport::addDevice(const DeviceDescription& device) {
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
}

bool FigureReport::hasWrongRows() const {
    return std::any_of(figures.begin(), figures.end(), [](const Figure& figure) {
        return std::any_of(figure.rows.begin(), figure.rows.end(),
                           [](const FigureRow& row) { return row.isWrong; });
    });
}

void printFigureReport(std::ostream& out, const FigureReport& report, std::size_t width) {
    Fields head = environmentFields(report.environment);
    for (const DeviceDescription& device : report.devices) head.push_back(deviceField(device));
    head.insert(head.end(), report.settings.begin(), report.settings.end());
    printFields(out, head, width);
    for (const Figure& figure : report.figures) printFigure(out, figure, width);
}

Json toJson(const FigureReport& report) {
    Json json{
        {"command", "reproduce"}, {"algorithm", "crossapen"}, {"environment", toJson(report.environment)}};
    Json& devices = json["devices"] = Json::array();
    for (const DeviceDescription& device : report.devices) devices.push_back(toJson(device));
    Json& settings = json["settings"] = Json::object();
    for (const auto& [label, value] : report.settings) settings[label] = value;
    Json& figures = json["figures"] = Json::array();
    for (const Figure& figure : report.figures) {
        Json entry{{"name", figure.name}, {"title", figure.title}, {"about", figure.about}};
        if (!figure.base.empty()) entry["base"] = figure.base;
        Json& rows = entry["rows"] = Json::array();
        for (const FigureRow& row : figure.rows) rows.push_back(toJson(figure, row));
        entry["conclusions"] = figure.conclusions;
        figures.push_back(std::move(entry));
    }
    return json;
}

}  // namespace glycine::crossapen
