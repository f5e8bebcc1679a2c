#include "engine/study/figure_charts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/core/quantity.hpp"
#include "engine/io/text/byte_source.hpp"
#include "engine/io/text/json.hpp"
#include "engine/picture/chart.hpp"
#include "engine/study/occupancy.hpp"

namespace glycine::study {

namespace {

constexpr picture::Color kPaperColor{172, 178, 190};
constexpr picture::Color kMeasuredColor{24, 124, 140};

/// A time, or a quotient of two.
struct ChartValue {
    std::optional<double> published{};
    std::optional<double> here{};
    bool isFitted = false;    ///< `here` is extrapolated
    bool isSoftware = false;  ///< `here` comes from a software renderer
    std::string note{};       ///< why there is nothing here
};

/// The rows of a report, by the keys of the figure's rows.
class ReportedRows {
  public:
    ReportedRows(const PublishedFigure& figure, const Json& report) {
        // A report has no keys. Rows with the same method and stage have the same order in all versions.
        std::map<std::string, std::vector<const Json*>> reported;
        for (const Json& row : report.at("rows"))
            reported[row.value("method", "") + '\n' + row.value("stage", "")].push_back(&row);
        std::map<std::string, std::size_t> used;
        for (PublishedRow& row : figure.rows(fromString<Scale>(report.at("scale").get<std::string>()))) {
            const std::string name = row.method + '\n' + row.stage;
            const std::vector<const Json*>& same = reported[name];
            const std::size_t place = used[name]++;
            std::string key = row.key;
            rows_.emplace(std::move(key),
                          std::pair(std::move(row), place < same.size() ? same[place] : nullptr));
        }
    }

    /// `spec`: the key of a row for its time, or two keys for the quotient of their times; of times per unit
    /// of work if `perWork`. Null: no row.
    ChartValue value(const Json& spec, bool perWork) const {
        if (spec.is_null()) return {};
        if (spec.is_string()) return time(spec.get<std::string>(), perWork);
        const auto over = spec.at(0).get<std::string>(), under = spec.at(1).get<std::string>();
        const ChartValue slow = time(over, perWork), fast = time(under, perWork);
        ChartValue value;
        if (const PublishedRow& row = find(under).first; row.paperFactor > 0 && row.over == over)
            value.published = row.paperFactor;
        else if (slow.published && fast.published)
            value.published = *slow.published / *fast.published;
        if (slow.here && fast.here) value.here = *slow.here / *fast.here;
        value.isFitted = slow.isFitted || fast.isFitted;
        value.isSoftware = slow.isSoftware || fast.isSoftware;
        value.note = fast.note.empty() ? slow.note : fast.note;
        return value;
    }

  private:
    const std::pair<PublishedRow, const Json*>& find(const std::string& key) const {
        const auto found = rows_.find(key);
        if (found == rows_.end())
            throw std::logic_error(fmt::format("a chart names '{}', which is no row of its figure", key));
        return found->second;
    }

    ChartValue time(const std::string& key, bool perWork) const {
        const auto& [published, row] = find(key);
        ChartValue value;
        if (published.paperSeconds > 0 && (!perWork || published.paperWork > 0))
            value.published = published.paperSeconds / (perWork ? published.paperWork : 1);
        value.note = "not measured";
        if (row == nullptr) return value;
        value.isSoftware = row->contains("softwareRenderer");
        if (!row->value("verified", true)) value.note = "wrong result: not timed";
        const double seconds = row->contains("seconds") ? row->at("seconds").at("median").get<double>() : 0;
        if (!(seconds > 0) || (perWork && !row->contains("rate"))) return value;
        value.here = perWork ? 1 / row->at("rate").at("median").get<double>() : seconds;
        value.isFitted = row->contains("extrapolated");
        value.note.clear();
        return value;
    }

    std::map<std::string, std::pair<PublishedRow, const Json*>> rows_;
};

/// Draws one chart of a figure.
class FigureChart {
  public:
    FigureChart(const Json& chart, const PublishedFigure& figure, const Json& report)
        : chart_(chart), report_(report), rows_(figure, report), perWork_(chart.value("perWork", false)) {
        document_.name = chart.value("name", figure.id);
        document_.title = chart.value("title", figure.title);
        document_.data.head = {"panel",     "series", chart.value("x", "what"),
                               "published", "here",   "extrapolated"};
        document_.data.isNumber = {false, false, false, true, true, false};
        isSpeedUp_ = chart.value("y", "") == "speed-up";
    }

    /// Draws into the file, and returns the chart without its SVG; nothing if it has no value.
    std::optional<DocumentChart> draw(const std::filesystem::path& path) {
        const auto kind = chart_.at("kind").get<std::string>();
        if (kind == "lines")
            drawLines(path, linesOf());
        else if (kind == "bars")
            drawBars(path);
        else if (kind == "shares")
            drawShares(path);
        else if (kind == "occupancy")
            drawLines(path, occupancies());
        else
            throw std::logic_error(fmt::format("no chart is of the kind '{}'", kind));
        return isEmpty() ? std::nullopt : std::optional(document_);
    }

  private:
    bool isEmpty() const { return document_.data.rows.empty(); }

    std::string text(double value) const {
        return isSpeedUp_ ? formatNumber(value) + " ×" : formatSeconds(value);
    }

    /// The lines below the chart: source, scale, build and devices.
    std::vector<std::string> footer() const {
        std::vector<std::string> lines;
        const bool isOccupancy = chart_["kind"] == "occupancy", isShare = chart_["kind"] == "shares";
        std::vector<std::string> legend{isOccupancy  ? "By the formulas of NVIDIA's occupancy calculator."
                                        : isSpeedUp_ ? "Quotients of median times."
                                                     : "Median times."};
        if (isDashed_) legend.emplace_back("Dashed: published.");
        if (isFitted_)
            legend.push_back((isShare ? "≈" : "Hollow") + std::string(": extrapolated from smaller sizes."));
        const Json environment = report_.value("environment", Json::object());
        lines = {fmt::format("{}", fmt::join(legend, " ")), "Published: " + report_.value("source", ""),
                 fmt::format("Here: {}; {}; {}", report_.value("scaled", ""), environment.value("build", ""),
                             environment.value("processor", ""))};
        for (const Json& device : report_.value("devices", Json::array()))
            if (const auto backend = device.value("backend", ""); backend == "gl" || backend == "cuda")
                lines.push_back(fmt::format("{}: {}", backend, device.value("device", "")));
        if (const auto busy = report_.value("busy", ""); !busy.empty())
            lines.push_back("Busy machine: " + busy);
        return lines;
    }

    ChartValue valueOf(const Json& point, const std::string& panel, const std::string& series) {
        ChartValue value = rows_.value(point.at(1), perWork_);
        if (point.size() > 2) value.published = point[2].get<double>();
        isFitted_ = isFitted_ || (value.here && value.isFitted);
        addData(panel, series, point.at(0), value);
        return value;
    }

    void addData(const std::string& panel, const std::string& series, const Json& x,
                 const ChartValue& value) {
        const auto number = [](const std::optional<double>& one) {
            return one ? fmt::format("{:.6g}", *one) : std::string();
        };
        if (!value.published && !value.here) return;
        document_.data.rows.push_back({panel, series, x.is_string() ? x.get<std::string>() : x.dump(),
                                       number(value.published), number(value.here),
                                       value.here && value.isFitted ? "yes" : ""});
    }

    std::vector<picture::LinePanel> linesOf() {
        std::vector<picture::LinePanel> panels;
        for (const Json& panel : chart_.at("panels")) {
            picture::LinePanel& own = panels.emplace_back();
            own.heading = panel.value("heading", "");
            own.xLabel = panel.value("x", chart_.value("x", ""));
            std::size_t look = 0;
            for (const Json& one : panel.at("series")) {
                const auto name = one.at("name").get<std::string>(), only = one.value("only", "");
                picture::LineSeries published{.name = name + ", published", .look = look, .isDashed = true};
                picture::LineSeries here{.name = name, .look = look};
                bool isSoftware = false;
                for (const Json& point : one.at("points")) {
                    const auto x = point.at(0).get<double>();
                    const ChartValue value = valueOf(point, own.heading, name);
                    const bool isPrinted = value.published && only != "here";
                    const bool isMeasured = value.here && only != "published";
                    if (isPrinted) published.points.push_back({x, *value.published});
                    if (isMeasured) {
                        here.points.push_back({x, *value.here});
                        here.isHollow.push_back(value.isFitted);
                        isSoftware = isSoftware || value.isSoftware;
                    }
                    if (isPrinted || isMeasured) own.xTicks.push_back(x);
                }
                if (!published.points.empty() || only == "here") here.name += ", here";
                if (isSoftware) here.name += " (software renderer)";
                isDashed_ = isDashed_ || !published.points.empty();
                own.series.push_back(std::move(published));
                own.series.push_back(std::move(here));
                ++look;
            }
            std::ranges::sort(own.xTicks);
            own.xTicks.erase(std::unique(own.xTicks.begin(), own.xTicks.end()), own.xTicks.end());
        }
        return panels;
    }

    void drawLines(const std::filesystem::path& path, const std::vector<picture::LinePanel>& panels) {
        if (isEmpty()) return;
        picture::LineChartOptions options;
        options.title = document_.title;
        options.yLabel = chart_.value("yLabel", isSpeedUp_ ? "speed-up" : "time");
        options.footer = footer();
        options.xText = [](double x) { return formatCount(static_cast<std::size_t>(x)); };
        options.yText = [this](double y) {
            return chart_["kind"] == "occupancy" ? fmt::format("{:.0f} %", 100 * y)
                   : y == 0                      ? std::string("0")
                                                 : text(y);
        };
        options.isLinear = chart_.value("linear", false);
        picture::writeLinePanels(path, panels, options);
    }

    /// The curves of NVIDIA's calculator: of threads, registers and shared memory one varies, and the other
    /// two are the kernel's.
    std::vector<picture::LinePanel> occupancies() {
        struct Panel {
            const char* heading;
            const char* label;
            int KernelShape::*varies;
            int step;
        };
        const Panel kPanels[] = {{"(a)", "threads a block", &KernelShape::threads, 16},
                                 {"(b)", "registers a thread", &KernelShape::registers, 4},
                                 {"(c)", "bytes of shared memory a block", &KernelShape::sharedBytes, 512}};
        std::vector<picture::LinePanel> panels;
        for (const Panel& panel : kPanels) {
            picture::LinePanel& own = panels.emplace_back();
            own.heading = panel.heading;
            own.xLabel = panel.label;
            int most = 0;  // the calculator's axis ends at the limit of the publication's device
            for (const Json& device : chart_.at("devices")) {
                const MultiprocessorLimits limits = limitsOf(device);
                const KernelShape kernel = kernelOf(device);
                const auto name = device.at("name").get<std::string>();
                if (most == 0)
                    most = panel.varies == &KernelShape::threads     ? limits.threads
                           : panel.varies == &KernelShape::registers ? limits.registersPerThread
                                                                     : limits.sharedBlockBytes;
                picture::LineSeries& curve = own.series.emplace_back();
                curve.name = name;
                const auto add = [&](int x) {
                    KernelShape other = kernel;
                    other.*panel.varies = x;
                    ChartValue value;
                    value.published = occupancyOf(limits, other);
                    addData(own.xLabel, name, x, value);
                    return picture::Point{static_cast<double>(x), *value.published};
                };
                for (int x = panel.step; x <= most; x += panel.step) curve.points.push_back(add(x));
            }
        }
        return panels;
    }

    static MultiprocessorLimits limitsOf(const Json& device) {
        const auto number = [&device](const char* name) { return device.at(name).get<int>(); };
        return {.warps = number("warps"),
                .blocks = number("blocks"),
                .threads = number("threads"),
                .registers = number("registers"),
                .registersPerThread = number("registersPerThread"),
                .registerUnit = number("registerUnit"),
                .givesRegistersToBlocks = device.value("givesRegistersToBlocks", false),
                .warpUnit = number("warpUnit"),
                .sharedBytes = number("sharedBytes"),
                .sharedBlockBytes = number("sharedBlockBytes"),
                .sharedUnit = number("sharedUnit"),
                .sharedReserved = device.value("sharedReserved", 0)};
    }

    /// A number of the kernel, or the claim that counts it here; then as printed if it was not counted.
    KernelShape kernelOf(const Json& device) const {
        const auto number = [&](const char* name) {
            const Json& given = device.at("kernel").at(name);
            if (given.is_number()) return given.get<int>();
            for (const Json& claim : report_.value("claims", Json::array()))
                if (claim.value("claim", Json()) == given.at(0) && claim.contains("value"))
                    return static_cast<int>(claim["value"].get<double>());
            return given.at(1).get<int>();
        };
        return {number("threads"), number("registers"), number("sharedBytes")};
    }

    void drawBars(const std::filesystem::path& path) {
        std::vector<picture::BarGroup> groups;
        for (const Json& panel : chart_.at("panels")) {
            std::string heading = panel.value("heading", "");
            for (const Json& point : panel.at("points")) {
                const auto label = point.at(0).get<std::string>();
                const ChartValue value = valueOf(point, panel.value("heading", ""), "");
                if (!value.published && !value.here && value.note != "wrong result: not timed") continue;
                const picture::Bar published{.value = value.published};
                const picture::Bar here{.value = value.here, .note = value.note, .isHollow = value.isFitted};
                // What the publication measured on a GPU is not put next to the time of a software renderer.
                if (value.isSoftware && value.published)
                    groups.push_back({label + ", published", {published, {}}, std::exchange(heading, "")});
                groups.push_back({label + (value.isSoftware ? " (software renderer)" : ""),
                                  {value.isSoftware ? picture::Bar{} : published, here},
                                  std::exchange(heading, "")});
            }
        }
        if (isEmpty()) return;
        picture::BarChartOptions options;
        options.title = document_.title;
        options.axisLabel = isSpeedUp_ ? "speed-up" : "time";
        options.footer = footer();
        options.valueText = [this](double value) { return text(value); };
        options.tickText = [this](int power) {
            return isSpeedUp_ ? formatNumber(std::pow(10.0, power)) + " ×" : formatPowerOfSeconds(power);
        };
        std::vector<picture::BarSeries> series{{"published", kPaperColor}, {"measured here", kMeasuredColor}};
        const auto isPrinted = [](const picture::BarGroup& group) {
            return group.bars.front().value.has_value();
        };
        if (std::ranges::none_of(groups, isPrinted)) {
            series.erase(series.begin());
            for (picture::BarGroup& group : groups) group.bars.erase(group.bars.begin());
        }
        picture::writeBarChart(path, series, groups, options);
    }

    /// Bars of whole runs, divided into their stages. A point is [label, [keys of the stages], key of the
    /// whole, [printed shares]]: the last part is what the whole has beyond the stages, if there is a whole.
    void drawShares(const std::filesystem::path& path) {
        std::vector<picture::BarSeries> parts;
        for (const Json& name : chart_.at("parts"))
            parts.push_back({name.get<std::string>(), picture::seriesColor(parts.size())});
        std::vector<picture::ShareBar> bars;
        for (const Json& point : chart_.at("points")) {
            const auto label = point.at(0).get<std::string>();
            bool isAlone = true;
            for (const bool isHere : {false, true}) {
                std::vector<double> seconds;
                bool isFitted = false;
                const auto add = [&](const Json& key) {
                    const ChartValue value = rows_.value(key, false);
                    isFitted = isFitted || (isHere && value.isFitted);
                    seconds.push_back((isHere ? value.here : value.published).value_or(0));
                    return seconds.back();
                };
                double sum = 0;
                for (const Json& key : point.at(1)) sum += add(key);
                if (point.size() > 2 && sum > 0) {
                    const double whole = std::max(add(point[2]), sum);
                    seconds.back() = whole - sum;
                    sum = whole;
                }
                picture::ShareBar bar{.label = label, .parts = {}};
                if (!isHere && point.size() > 3)
                    bar.parts = point[3].get<std::vector<double>>();
                else if (sum > 0 && std::ranges::count(seconds, 0.0) < std::ssize(seconds) - 1)
                    for (const double part : seconds) bar.parts.push_back(part / sum);
                if (bar.parts.empty()) continue;
                isAlone = isAlone && isHere;
                if (!isAlone) bar.label += isHere ? ", here" : ", published";
                isFitted_ = isFitted_ || isFitted;
                if (sum > 0) bar.text = (isFitted ? "≈ " : "") + formatSeconds(sum);
                for (std::size_t k = 0; k < bar.parts.size(); ++k) {
                    ChartValue value;
                    (isHere ? value.here : value.published) = bar.parts[k];
                    value.isFitted = isFitted;
                    addData("", parts.at(k).name, label, value);
                }
                bars.push_back(std::move(bar));
            }
        }
        if (isEmpty()) return;
        picture::BarChartOptions options;
        options.title = document_.title;
        options.axisLabel = "share of the time";
        options.footer = footer();
        picture::writeShareChart(path, parts, bars, options);
    }

    const Json& chart_;
    const Json& report_;
    ReportedRows rows_;
    bool perWork_;
    bool isSpeedUp_ = false;
    bool isDashed_ = false;  ///< whether a line is dashed
    bool isFitted_ = false;  ///< whether a value is extrapolated
    DocumentChart document_;
};

Json chartsOf(const PublishedFigure& figure, const Json& report) {
    return figure.charts ? figure.charts(fromString<Scale>(report.at("scale").get<std::string>()))
                         : Json::array();
}

}  // namespace

std::vector<DocumentChart> figureCharts(const PublishedFigure& figure, const Json& report,
                                        const std::filesystem::path& folder) {
    std::vector<DocumentChart> all;
    const Json charts = chartsOf(figure, report);
    for (const Json& chart : charts) {
        const std::filesystem::path path = folder / (chart.value("name", figure.id) + ".svg");
        std::optional<DocumentChart> drawn = FigureChart(chart, figure, report).draw(path);
        if (!drawn) continue;
        drawn->svg = io::readText(path);
        all.push_back(std::move(*drawn));
    }
    return all;
}

std::string drawFirstChart(const PublishedFigure& figure, const Json& report,
                           const std::filesystem::path& path) {
    const Json charts = chartsOf(figure, report);
    if (charts.empty()) return fmt::format("{} has no picture", figure.id);
    if (FigureChart(charts.at(0), figure, report).draw(path)) return {};
    return fmt::format("{} was not measured, and the publication prints no time for it", figure.id);
}

}  // namespace glycine::study
