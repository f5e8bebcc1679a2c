#include "engine/algorithms/distance/study/figure_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <stdexcept>

#include "engine/core/quantity.hpp"

namespace glycine::distance {

namespace {

// Sinnott-Armstrong et al. 2010, "Empirical runtime analysis" and figure 4.
constexpr double kPaperComparisons = 112.0 * 112 * 512;
constexpr double kPaperClock = 2.66e9;  ///< of its Core 2 Duo, in Hz
constexpr const char* kLoop = "CPU loop";
constexpr const char* kNaive = "naive";
struct PublishedTime {
    const char* method;
    double milliseconds;
};
constexpr PublishedTime kPublishedTimes[] = {{kLoop, 44865},  {kNaive, 2140},    {"coalesced", 1766},
                                             {"char4", 1784}, {"register", 683}, {"shared", 26}};

/// How many times faster than `base` a row is, in the paper; 0 when one of them has no time.
double paperRatio(const FigureRow& row, const FigureRow& base) {
    return row.paperSeconds > 0 && base.paperSeconds > 0 ? base.paperSeconds / row.paperSeconds : 0;
}
double measuredRatio(const FigureRow& row, const FigureRow& base) {
    return row.hasTime() && base.hasTime() && row.kernel.mean() > 0 ? base.kernel.mean() / row.kernel.mean()
                                                                    : 0;
}

std::string formatRatio(double ratio) {
    return ratio > 0 ? formatNumber(ratio) + " ×" : "–";
}

std::string formatMilliseconds(double seconds) {
    return seconds > 0 ? formatCount(static_cast<std::uint64_t>(seconds * 1e3 + 0.5)) + " ms" : "–";
}

/// Published kernels from the fastest to the slowest.
template <class Seconds>
std::string kernelOrder(const FigureReport& report, Seconds&& seconds) {
    std::vector<const FigureRow*> kernels;
    for (const FigureRow& row : report.rows)
        if (row.paperSeconds > 0 && row.method != kLoop) kernels.push_back(&row);
    std::stable_sort(kernels.begin(), kernels.end(),
                     [&](const FigureRow* a, const FigureRow* b) { return seconds(*a) < seconds(*b); });
    std::vector<std::string> names;
    for (const FigureRow* row : kernels) names.push_back(row->method);
    return fmt::format("{}", fmt::join(names, ", "));
}

/// What the figures mean, a sentence each.
std::vector<std::string> conclusions(const FigureReport& report) {
    std::vector<std::string> lines;
    const FigureRow& loop = report.row(kLoop);
    const double paper = loop.paperSeconds / kPaperComparisons;
    std::string text = fmt::format(
        "The paper's CPU time is not credible as a baseline: {} for 112 · 112 · 512 comparisons are {} for "
        "each, "
        "some {} cycles of its 2.66 GHz processor.",
        formatMilliseconds(loop.paperSeconds), formatSeconds(paper),
        formatCount(static_cast<std::uint64_t>(paper * kPaperClock / 100 + 0.5) * 100));
    if (loop.hasTime()) {
        const auto n = static_cast<double>(report.size.instances);
        const double here = loop.kernel.mean() / (n * n * static_cast<double>(report.size.attributes));
        text += fmt::format(" The same loop takes {:.2g} ns for each here ({} in all), {} of that.",
                            here * 1e9, formatSeconds(loop.kernel.mean()), formatShare(here, paper));
    }
    text += fmt::format(
        " Factors against the CPU ({} for `shared`) follow from it; the order of the kernels does not.",
        formatRatio(paperRatio(report.row("shared"), loop)));
    lines.push_back(std::move(text));
    const bool areMeasured = std::all_of(report.rows.begin(), report.rows.end(), [](const FigureRow& row) {
        return row.paperSeconds == 0 || row.hasTime();
    });
    if (areMeasured)
        lines.push_back(
            fmt::format("Kernels, the fastest first: {} in the paper; {} here.",
                        kernelOrder(report, [](const FigureRow& row) { return row.paperSeconds; }),
                        kernelOrder(report, [](const FigureRow& row) { return row.kernel.mean(); })));
    return lines;
}

Json toJson(const MethodTimes& times) {
    return {{"mean", times.mean()}, {"min", times.best()}, {"count", times.seconds.size()}};
}

Json ratiosToJson(const FigureRow& row, const FigureRow& base) {
    Json json = Json::object();
    if (const double ratio = paperRatio(row, base); ratio > 0) json["paper"] = ratio;
    if (const double ratio = measuredRatio(row, base); ratio > 0) json["here"] = ratio;
    return json;
}

}  // namespace

double MethodTimes::mean() const {
    return seconds.empty()
               ? 0
               : std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
}

double MethodTimes::best() const {
    return seconds.empty() ? 0 : *std::min_element(seconds.begin(), seconds.end());
}

void FigureReport::addDevice(const DeviceDescription& device) {
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
}

const FigureRow& FigureReport::row(const std::string& method) const {
    const auto found = std::find_if(rows.begin(), rows.end(),
                                    [&method](const FigureRow& row) { return row.method == method; });
    if (found == rows.end()) throw std::logic_error("a figure without the method " + method);
    return *found;
}

bool FigureReport::hasWrongRows() const {
    return std::any_of(rows.begin(), rows.end(), [](const FigureRow& row) { return row.isWrong; });
}

std::vector<FigureRow> publishedRows() {
    std::vector<FigureRow> rows;
    for (const PublishedTime& published : kPublishedTimes) {
        FigureRow row;
        row.method = published.method;
        row.paperSeconds = published.milliseconds / 1e3;
        if (row.method != kLoop)
            row.configuration = {.backend = "cuda",
                                 .variant = row.method,
                                 .dialect = {},
                                 .numberFormat = "counts",
                                 .isDefaultVariant = false};
        rows.push_back(std::move(row));
    }
    return rows;
}

void printFigureReport(std::ostream& out, const FigureReport& report, std::size_t width) {
    Fields head = environmentFields(report.environment);
    for (const DeviceDescription& device : report.devices) head.push_back(deviceField(device));
    head.insert(head.end(), report.settings.begin(), report.settings.end());
    printFields(out, head, width);
    out << '\n';

    TextTable table({{"method"},
                     {"paper", Align::Right},
                     {"here", Align::Right},
                     {"best", Align::Right},
                     {"whole", Align::Right},
                     {"vs naive: paper", Align::Right},
                     {"here", Align::Right},
                     {"vs CPU loop: paper", Align::Right},
                     {"here", Align::Right},
                     {"verified"}});
    const FigureRow& loop = report.row(kLoop);
    const FigureRow& naive = report.row(kNaive);
    for (const FigureRow& row : report.rows) {
        const auto time = [&row](const MethodTimes& times, double seconds) {
            return row.hasTime() && !times.empty() ? formatSeconds(seconds) : std::string("–");
        };
        table.addRow({row.method, formatMilliseconds(row.paperSeconds), time(row.kernel, row.kernel.mean()),
                      time(row.kernel, row.kernel.best()), time(row.whole, row.whole.mean()),
                      formatRatio(paperRatio(row, naive)), formatRatio(measuredRatio(row, naive)),
                      formatRatio(paperRatio(row, loop)), formatRatio(measuredRatio(row, loop)),
                      !row.skipped.empty() ? "not measured: " + row.skipped
                                           : (row.isWrong ? "WRONG: " : "") + row.check});
    }
    table.print(out, width);
    for (const std::string& line : conclusions(report)) {
        out << '\n';
        for (const std::string& piece : wrapText(line, width > 0 ? width : 110)) out << piece << '\n';
    }
}

Json toJson(const FigureReport& report) {
    Json json{
        {"command", "reproduce"}, {"algorithm", "distance"}, {"environment", toJson(report.environment)}};
    Json& devices = json["devices"] = Json::array();
    for (const DeviceDescription& device : report.devices) devices.push_back(toJson(device));
    Json& settings = json["settings"] = Json::object();
    for (const auto& [label, value] : report.settings) settings[label] = value;
    json["instances"] = report.size.instances;
    json["attributes"] = report.size.attributes;
    json["dataSets"] = report.sets;
    const FigureRow& loop = report.row(kLoop);
    const FigureRow& naive = report.row(kNaive);
    Json& rows = json["rows"] = Json::array();
    for (const FigureRow& row : report.rows) {
        Json entry{{"method", row.method}};
        if (!row.configuration.backend.empty()) {
            entry["backend"] = row.configuration.backend;
            entry["variant"] = row.configuration.variant;
        }
        if (row.configuration.dialect) entry["dialect"] = row.configuration.dialectName();
        if (row.paperSeconds > 0) entry["paperSeconds"] = row.paperSeconds;
        if (!row.skipped.empty()) {
            entry["skipped"] = row.skipped;
        } else {
            entry["verified"] = !row.isWrong;
            entry["check"] = row.check;
        }
        if (!row.note.empty()) entry["note"] = row.note;
        if (row.hasTime()) {
            entry["kernelSeconds"] = toJson(row.kernel);
            if (!row.whole.empty()) entry["wholeSeconds"] = toJson(row.whole);
        }
        entry["timesFasterThanNaive"] = ratiosToJson(row, naive);
        entry["timesFasterThanLoop"] = ratiosToJson(row, loop);
        rows.push_back(std::move(entry));
    }
    json["conclusions"] = conclusions(report);
    return json;
}

}  // namespace glycine::distance
