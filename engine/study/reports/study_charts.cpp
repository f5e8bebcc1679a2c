#include "engine/study/reports/study_charts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/quantity.hpp"
#include "engine/picture/chart.hpp"
#include "engine/study/report.hpp"
#include "engine/study/reports/answer.hpp"
#include "engine/study/reports/comparison.hpp"
#include "engine/study/reports/document.hpp"
#include "engine/study/reports/portability.hpp"
#include "engine/study/reports/study_report.hpp"

namespace glycine::study {

namespace {

// Code shared by the charts of one study and of several.

using TimedRows = std::vector<const TimedRow*>;

using TimedGroups = std::vector<std::pair<std::string, TimedRows>>;

/// The x axis of a curve: the dimension that varies most, or the product of all dimensions if others vary
/// considerably, too.
struct SizeAxis {
    std::string label;
    std::optional<std::size_t> index{};

    explicit SizeAxis(const TimedRows& rows);
    double of(const TimedRow& row) const;
};

/// Smallest and largest extent of dimension `d`.
std::pair<std::size_t, std::size_t> extentRange(const TimedRows& rows, std::size_t d) {
    std::pair<std::size_t, std::size_t> extent{rows.front()->dimensions[d].second, 0};
    for (const TimedRow* row : rows)
        extent = {std::min(extent.first, row->dimensions.at(d).second),
                  std::max(extent.second, row->dimensions.at(d).second)};
    return extent;
}

/// Draws into the folder and reads the picture back for the page.
DocumentChart drawnChart(const std::filesystem::path& folder, const std::string& name,
                         const std::string& title, const std::string& caption, DocumentTable data,
                         const std::function<void(const std::filesystem::path&)>& draw) {
    const std::filesystem::path path = folder / (plainName(name) + ".svg");
    draw(path);
    std::stringstream svg;
    svg << std::ifstream(path).rdbuf();
    return {plainName(name), title, caption, svg.str(), std::move(data)};
}

/// Six significant digits, for data tables.
std::string chartNumber(double value) {
    return fmt::format("{:.6g}", value);
}

/// Groups rows by `key`, in the order of first occurrence.
TimedGroups grouped(const TimedRows& rows, const std::function<std::string(const TimedRow*)>& key) {
    TimedGroups groups;
    for (const TimedRow* row : rows) {
        const std::string name = key(row);
        auto found = std::ranges::find(groups, name, [](const auto& group) { return group.first; });
        if (found == groups.end()) found = groups.insert(groups.end(), {name, {}});
        found->second.push_back(row);
    }
    return groups;
}

/// Groups the algorithm's rows by curve. `rows` must outlive the result.
TimedGroups curvesOf(const std::string& algorithm, std::span<const TimedRow> rows) {
    TimedRows own;
    for (const TimedRow& row : rows)
        if (row.algorithm == algorithm) own.push_back(&row);
    return grouped(own, [](const TimedRow* row) { return row->curve(); });
}

SizeAxis::SizeAxis(const TimedRows& rows) {
    const Dimensions& first = rows.front()->dimensions;
    constexpr double kLittle = 1.5;  // for example, the lengths of the longest sequences
    double most = 0, next = 0;
    std::string others;
    for (std::size_t d = 0; d < first.size(); ++d) {
        const auto [low, high] = extentRange(rows, d);
        const double ratio = static_cast<double>(high) / static_cast<double>(std::max<std::size_t>(low, 1));
        if (ratio > most) {
            next = std::exchange(most, ratio);
            index = d;
        } else {
            next = std::max(next, ratio);
        }
    }
    if (first.size() > 1 && next > kLittle) index.reset();
    for (std::size_t d = 0; d < first.size(); ++d) {
        label += (d == 0 ? "" : " × ") + first[d].first;
        if (d == index) continue;
        const auto [low, high] = extentRange(rows, d);
        others += fmt::format("{}{}{} {}", others.empty() ? "" : ", ", formatCount(low),
                              low == high ? "" : " … " + formatCount(high), first[d].first);
    }
    if (index) label = first[*index].first + (others.empty() ? "" : "  (" + others + ")");
}

double SizeAxis::of(const TimedRow& row) const {
    if (index) return static_cast<double>(row.dimensions[*index].second);
    double product = 1;
    for (const auto& [name, extent] : row.dimensions) product *= static_cast<double>(extent);
    return product;
}

DocumentTable timesTable() {
    return {{"configuration", "size", "median s", "low s", "high s", "minimum s", "runs"},
            {},
            {false, false, true, true, true, true, true}};
}

void addTime(DocumentTable& table, const TimedRow& row) {
    table.rows.push_back({row.contender.label(), row.size(), chartNumber(row.seconds.median),
                          chartNumber(row.seconds.interval.low), chartNumber(row.seconds.interval.high),
                          chartNumber(row.seconds.minimum), fmt::format("{}", row.seconds.count)});
}

std::string tickOfSeconds(double seconds) {
    return formatSeconds(seconds);
}

picture::Color colorOf(const std::string& backend) {
    // A backend has the same colour in all charts; the labels next to the bars repeat its name.
    const std::vector<std::string> kBackends{"cpu", "gl", "cuda", "reference"};
    return picture::seriesColor(
        static_cast<std::size_t>(std::ranges::find(kBackends, backend) - kBackends.begin()));
}

/// Rows of the largest problem among those that most configurations of the curve have a time for.
TimedRows mostTimed(const TimedRows& rows) {
    const SizeAxis axis(rows);
    TimedRows best;
    long most = 0;
    double largest = 0;
    for (const auto& [problem, group] : grouped(rows, [](const TimedRow* row) { return row->problem(); })) {
        const long timed = std::ranges::count_if(group, [](const TimedRow* row) { return row->hasTime(); });
        const double size = axis.of(*group.front());
        if (timed == 0 || timed < most || (timed == most && size < largest)) continue;
        best = {group.begin(), group.end()};
        most = timed;
        largest = size;
    }
    return best;
}

std::string shortReason(const TimedRow& row) {
    if (row.isWrong) return "WRONG: not timed";
    std::string reason = row.skipped;
    constexpr std::size_t kLongest = 90;
    if (reason.size() > kLongest) {
        reason.resize(reason.rfind(' ', kLongest) == std::string::npos ? kLongest
                                                                       : reason.rfind(' ', kLongest));
        reason += " …";
    }
    return "not run: " + reason;
}

/// Draws one bar per row, in the colour of its backend. `nameOf` returns a heading (empty: none) and a label.
void drawBars(const std::filesystem::path& path, const TimedRows& rows, const std::string& title,
              const std::string& axis, const std::vector<std::string>& footer,
              const std::function<std::pair<std::string, std::string>(const TimedRow&)>& nameOf,
              const std::function<picture::Bar(const TimedRow&)>& barOf,
              const std::function<std::string(double)>& valueText,
              const std::function<std::string(int)>& tickText) {
    const auto seriesOf = [](const TimedRow& row) {
        return row.contender.backend + (row.software.empty() ? "" : " (software renderer)");
    };
    std::vector<picture::BarSeries> series;
    for (const TimedRow* row : rows)
        if (std::ranges::find(series, seriesOf(*row), &picture::BarSeries::name) == series.end() &&
            barOf(*row).value)
            series.push_back({seriesOf(*row), colorOf(row->contender.backend)});
    std::vector<picture::BarGroup> groups;
    std::string lastHeading;
    for (const TimedRow* row : rows) {
        picture::BarGroup& group = groups.emplace_back();
        const auto [heading, label] = nameOf(*row);
        group.label = label;
        if (heading != lastHeading) group.heading = lastHeading = heading;
        group.bars.resize(series.size());
        const auto own =
            std::ranges::find(series, seriesOf(*row), &picture::BarSeries::name) - series.begin();
        // A backend without any bar gets a note in the place of its first one.
        group.bars[static_cast<std::size_t>(own) % series.size()] = barOf(*row);
    }
    picture::BarChartOptions options;
    options.title = title;
    options.axisLabel = axis;
    options.footer = footer;
    options.valueText = valueText;
    options.tickText = tickText;
    picture::writeBarChart(path, series, groups, options);
}

/// Footnotes on software renderers, which are not GPUs, and on busy machines; usually none.
std::vector<std::string> footersOf(const TimedRows& rows) {
    std::vector<std::string> lines;
    double most = 0;
    for (const TimedRow* row : rows) {
        if (!row->hasTime()) continue;
        most = std::max(most, row->disturbance);
        if (row->software.empty()) continue;
        std::string line =
            fmt::format("{}: {}, a software renderer: no GPU", row->contender.backend, row->software);
        if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
    if (most > 0)
        lines.push_back(fmt::format("BUSY MACHINE: times may be too long by up to {:.0f} %", 100 * most));
    return lines;
}

/// The distinct names, in the order of first occurrence.
std::vector<std::string> distinct(const std::vector<std::string>& names) {
    std::vector<std::string> result;
    for (const std::string& name : names)
        if (std::ranges::find(result, name) == result.end()) result.push_back(name);
    return result;
}

picture::ChartCell cellOf(Agreement agreement) {
    using enum Agreement;
    switch (agreement) {
        case Equal:
            return {picture::CellKind::Equal, "="};
        case Within:
            return {picture::CellKind::Near, "≈"};
        case Wrong:
            return {picture::CellKind::Wrong, "×"};
        case Declined:
            return {picture::CellKind::Absent, "○"};
        case Skipped:
            break;
    }
    return {picture::CellKind::Absent, "–"};
}

}  // namespace

std::vector<DocumentChart> scalingCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                         std::span<const TimedRow> all) {
    std::vector<DocumentChart> charts;
    for (const auto& [curve, curveRows] : curvesOf(algorithm, all)) {
        TimedRows rows;
        for (const TimedRow* row : curveRows)
            if (row->hasTime()) rows.push_back(row);
        if (rows.empty()) continue;
        const SizeAxis axis(rows);
        std::vector<picture::LineSeries> series;
        std::set<double> sizes;
        DocumentTable data = timesTable();
        data.head.emplace_back("slope of the configuration");
        data.isNumber.push_back(true);
        for (const auto& [name, group] :
             grouped(rows, [](const TimedRow* row) { return contenderName(row->contender); })) {
            picture::LineSeries line;
            std::vector<std::pair<double, double>> logarithms;
            TimedRows sorted(group.begin(), group.end());
            std::ranges::stable_sort(sorted, {}, [&](const TimedRow* row) { return axis.of(*row); });
            for (const TimedRow* row : sorted) {
                const double size = axis.of(*row);
                line.points.push_back({size, row->seconds.median});
                line.ranges.push_back({row->seconds.interval.low, row->seconds.interval.high});
                logarithms.emplace_back(std::log(size), std::log(row->seconds.median));
                sizes.insert(size);
            }
            std::string slope;
            if (logarithms.front().first < logarithms.back().first)
                slope = fmt::format("{:.2f}", slopeOf(logarithms));
            line.name = slope.empty() ? name : name + ", slope " + slope;
            for (const TimedRow* row : sorted) {
                addTime(data, *row);
                data.rows.back().push_back(slope);
            }
            series.push_back(std::move(line));
        }
        if (sizes.size() < 2) continue;
        picture::LineChartOptions options;
        options.title = fmt::format("{} {}: time over size", algorithm, curve);
        options.xLabel = axis.label;
        options.yLabel = "median time";
        options.xTicks = {sizes.begin(), sizes.end()};
        options.xText = [](double size) { return formatCount(static_cast<std::uint64_t>(size)); };
        options.yText = tickOfSeconds;
        options.footer = {
            "bars: interval of the median; slope: exponent fitted to all points (small sizes flatten it)"};
        for (std::string& line : footersOf(rows)) options.footer.push_back(std::move(line));
        charts.push_back(
            drawnChart(folder, fmt::format("scaling-{}-{}", algorithm, curve), options.title,
                       "Both axes are logarithmic: a straight line is a power law, its slope the exponent.",
                       std::move(data), [&, &lines = series](const std::filesystem::path& path) {
                           picture::writeLineChart(path, lines, options);
                       }));
    }
    return charts;
}

std::vector<DocumentChart> variantCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                         std::span<const TimedRow> all) {
    std::vector<DocumentChart> charts;
    for (const auto& [curve, curveRows] : curvesOf(algorithm, all)) {
        TimedRows rows = mostTimed(curveRows);
        // A single configuration has nothing to be compared with.
        if (std::ranges::count_if(rows, [](const TimedRow* row) { return row->hasTime(); }) < 2) continue;
        std::ranges::stable_sort(
            rows, {}, [](const TimedRow* row) { return row->hasTime() ? row->seconds.median : HUGE_VAL; });
        DocumentTable data = timesTable();
        for (const TimedRow* row : rows)
            if (row->hasTime()) addTime(data, *row);
        const std::string title = fmt::format("{} {}: {}", algorithm, curve, rows.front()->size());
        const auto barOf = [](const TimedRow& row) {
            picture::Bar bar;
            if (row.hasTime()) {
                bar.value = row.seconds.median;
                bar.range = picture::ValueRange{row.seconds.interval.low, row.seconds.interval.high};
            } else {
                bar.note = shortReason(row);
            }
            return bar;
        };
        charts.push_back(
            drawnChart(folder, fmt::format("variants-{}-{}", algorithm, curve), title,
                       "Median times of verified runs that took turns, the fastest first, with the interval "
                       "of the median. The axis is logarithmic.",
                       std::move(data), [&, &bars = rows](const std::filesystem::path& path) {
                           drawBars(
                               path, bars, title, "median time", footersOf(bars),
                               [](const TimedRow& row) {
                                   return std::pair(std::string(), contenderName(row.contender));
                               },
                               barOf, formatSeconds, formatPowerOfSeconds);
                       }));
    }
    return charts;
}

std::vector<DocumentChart> ceilingCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                         std::span<const TimedRow> all) {
    TimedRows rows;
    TimedRows own;
    for (const TimedRow& row : all)
        if (row.algorithm == algorithm) own.push_back(&row);
    for (const auto& [name, group] :
         grouped(own, [](const TimedRow* row) { return row->curve() + row->contender.label(); })) {
        const TimedRow* last = nullptr;
        for (const TimedRow* row : group)
            if (row->hasTime() && row->ceilingShare > 0) last = row;
        if (last != nullptr) rows.push_back(last);
    }
    if (rows.empty()) return {};
    std::ranges::stable_sort(rows, [](const TimedRow* one, const TimedRow* other) {
        return std::pair(one->ceiling, -one->ceilingShare) < std::pair(other->ceiling, -other->ceilingShare);
    });
    DocumentTable data{{"configuration", "problem", "share of the ceiling", "ceiling", "raised by"},
                       {},
                       {false, false, true}};
    for (const TimedRow* row : rows)
        data.rows.push_back({row->contender.label(), row->problem(), chartNumber(row->ceilingShare),
                             row->ceiling, row->raisedBy});
    const std::string title = algorithm + ": share of the ceiling that bounds it";
    return {drawnChart(
        folder, "ceilings-" + algorithm, title,
        "The best time's share of the measured ceiling that bounds it, on "
        "the largest input that was timed.",
        std::move(data), [&](const std::filesystem::path& path) {
            drawBars(
                path, rows, title, "share of the ceiling", footersOf(rows),
                [](const TimedRow& row) {
                    const std::string raised = row.raisedBy.empty() ? "" : ", raised by " + row.raisedBy;
                    return std::pair(row.ceiling + raised,
                                     fmt::format("{}, {}", contenderName(row.contender), row.curve()));
                },
                [](const TimedRow& row) {
                    picture::Bar bar;
                    bar.value = row.ceilingShare;
                    return bar;
                },
                [](double share) { return formatShare(share, 1); },
                [](int power) { return formatShare(std::pow(10.0, power), 1); });
        })};
}

std::vector<DocumentChart> endToEndCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                          const StudyReport& report) {
    constexpr picture::Color kEndingColor{160, 160, 165};  // the palette has seven colours
    std::vector<picture::BarSeries> series;
    DocumentTable data{{"command", "backend", "whole s", "plain copy s"}, {}, {false, false, true, true}};
    for (const std::string_view group : kEndToEndGroups) {
        series.push_back({std::string(group), group == kEndToEndGroups.back()
                                                  ? kEndingColor
                                                  : picture::seriesColor(series.size())});
        data.head.push_back(fmt::format("{} s", group));
        data.isNumber.push_back(true);
    }
    std::vector<picture::ShareBar> bars;
    for (const EndToEndTimes& row : report.endToEndRuns()) {
        if (row.algorithm != algorithm) continue;
        picture::ShareBar& bar = bars.emplace_back();
        bar.label =
            fmt::format("{}, {}{}", row.name, row.backend, row.isSoftware ? " (software renderer)" : "");
        if (!row.skipped.empty()) {
            bar.note = "not run: " + row.skipped;
            continue;
        }
        data.rows.push_back({row.name, row.backend, chartNumber(row.wall()), chartNumber(row.copySeconds)});
        for (const double seconds : row.seconds) {
            bar.parts.push_back(row.wall() > 0 ? seconds / row.wall() : 0);
            data.rows.back().push_back(chartNumber(seconds));
        }
        bar.text = formatSeconds(row.wall());
    }
    if (data.rows.empty()) return {};
    picture::BarChartOptions options;
    options.title = algorithm + ": whole commands";
    options.axisLabel = "share of the time from the start of the program to its end";
    for (const StudyStepReport& step : report.steps)
        if (step.kind == "commands" && step.algorithm == algorithm && !step.busy.empty())
            options.footer.push_back("BUSY MACHINE: " + step.busy);
    return {drawnChart(folder, "commands-" + algorithm, options.title,
                       "From an input file to an output file, each a process of its own; the run with the "
                       "median time.",
                       std::move(data), [&](const std::filesystem::path& path) {
                           picture::writeShareChart(path, series, bars, options);
                       })};
}

std::vector<DocumentChart> agreementCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                           std::span<const ComparedRow> all) {
    // An unavailable backend has no variants; it is listed among those that did not run.
    std::vector<const ComparedRow*> rows;
    for (const ComparedRow& row : all)
        if (row.algorithm == algorithm && !row.contender.variant.empty()) rows.push_back(&row);
    if (rows.empty()) return {};
    const auto columnOf = [](const ComparedRow& row) {
        std::string name = row.contender.dialect;
        if (!row.contender.numberFormat.empty())
            name += (name.empty() ? "" : " ") + row.contender.numberFormat;
        if (name.empty()) name = "any";
        return row.inputs.empty() ? name : name + ", " + row.inputs;
    };
    std::vector<std::string> lines, columns;
    DocumentTable data{{"configuration", "inputs", "agreement", "equal to the bit", "compared",
                        "largest difference", "allowed", "why"},
                       {},
                       {false, false, false, true, true, true, true}};
    for (const ComparedRow* row : rows) {
        lines.push_back(row->contender.application());
        columns.push_back(columnOf(*row));
        data.rows.push_back({row->contender.label(), row->inputs.empty() ? "generated" : row->inputs,
                             std::string(toString(row->agreement)), fmt::format("{}", row->equal),
                             fmt::format("{}", row->count), chartNumber(row->difference),
                             chartNumber(row->allowed), row->reason});
    }
    lines = distinct(lines);
    columns = distinct(columns);
    std::ranges::sort(columns);
    std::vector<std::vector<picture::ChartCell>> cells(lines.size(),
                                                       std::vector<picture::ChartCell>(columns.size()));
    std::set<Agreement> agreements;
    for (const ComparedRow* row : rows) {
        const auto line = std::ranges::find(lines, row->contender.application()) - lines.begin();
        const auto column = std::ranges::find(columns, columnOf(*row)) - columns.begin();
        picture::ChartCell& cell = cells[static_cast<std::size_t>(line)][static_cast<std::size_t>(column)];
        cell = cellOf(row->agreement);
        cell.value = std::string(toString(row->agreement));
        if (row->agreement == Agreement::Within)
            cell.value += fmt::format(", {:.2g} of {:.2g} allowed{}{}", row->difference, row->allowed,
                                      row->unit.empty() ? "" : " ", row->unit);
        agreements.insert(row->agreement);
    }
    picture::CellChartOptions options;
    options.title = algorithm + ": agreement with the reference";
    for (const Agreement agreement : agreements)
        options.key.emplace_back(cellOf(agreement), std::string(toString(agreement)));
    if (lines.size() * columns.size() > rows.size())
        options.key.emplace_back(picture::ChartCell{}, "no such configuration");
    return {drawnChart(folder, "agreement-" + algorithm, options.title,
                       "Whole results on inputs of awkward sizes, each compared with the serial reference.",
                       std::move(data), [&](const std::filesystem::path& path) {
                           picture::writeCellChart(path, lines, columns, cells, options);
                       })};
}

std::vector<DocumentChart> equalityCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                          std::span<const StudyReport> reports) {
    const std::vector<std::string> platforms = platformNames(reports);
    /// Digests by problem, one map for each line of the chart.
    std::vector<std::pair<std::string, std::map<std::string, std::string>>> lines;
    for (std::size_t machine = 0; machine < reports.size(); ++machine)
        for (const TimedRow& row : reports[machine].times()) {
            if (row.algorithm != algorithm || row.digest.empty() || !row.hasTime()) continue;
            std::string name = contenderName(row.contender);
            if (reports.size() > 1) name = fmt::format("{}: {}", reportLetter(machine), name);
            auto found = std::ranges::find(lines, name, [](const auto& line) { return line.first; });
            if (found == lines.end()) found = lines.insert(lines.end(), {name, {}});
            found->second.emplace(row.problem(), row.digest);
        }
    if (lines.size() < 2) return {};
    DocumentTable data{
        {"result", "other result", "problems of both", "equal to the bit"}, {}, {false, false, true, true}};
    std::vector<std::string> names;
    std::vector<std::vector<picture::ChartCell>> cells(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        names.push_back(lines[i].first);
        for (std::size_t j = 0; j < lines.size(); ++j) {
            std::size_t common = 0, equal = 0;
            for (const auto& [problem, digest] : lines[i].second) {
                const auto other = lines[j].second.find(problem);
                if (other == lines[j].second.end()) continue;
                ++common;
                if (other->second == digest) ++equal;
            }
            picture::ChartCell& cell = cells[i].emplace_back();
            cell.sign = common == 0 ? "–" : fmt::format("{}/{}", equal, common);
            if (common > 0) cell.kind = equal == common ? picture::CellKind::Equal : picture::CellKind::Near;
            cell.value =
                common == 0 ? "no problem of both"
                            : fmt::format("{} of {} equal to the bit", equal, formatCount(common, "problem"));
            if (j < i)
                data.rows.push_back(
                    {lines[i].first, lines[j].first, fmt::format("{}", common), fmt::format("{}", equal)});
        }
    }
    picture::CellChartOptions options;
    options.title = algorithm + ": results that are equal to the bit";
    const std::pair<picture::ChartCell, std::string> key[] = {
        {{picture::CellKind::Equal, "3/3"}, "all problems of both are equal to the bit"},
        {{picture::CellKind::Near, "1/3"}, "so many are; all were verified, within their tolerance"},
        {{picture::CellKind::Absent, "–"}, "no problem of both"}};
    for (const auto& entry : key)
        if (std::ranges::any_of(cells, [kind = entry.first.kind](const auto& line) {
                return std::ranges::find(line, kind, &picture::ChartCell::kind) != line.end();
            }))
            options.key.push_back(entry);
    if (reports.size() > 1)
        for (std::size_t machine = 0; machine < reports.size(); ++machine)
            options.footer.push_back(fmt::format("{}: {}", reportLetter(machine), platforms[machine]));
    return {
        drawnChart(folder, "equality-" + algorithm, options.title,
                   "Digests of whole results of the same problems, of all configurations that were timed.",
                   std::move(data), [&](const std::filesystem::path& path) {
                       picture::writeCellChart(path, names, names, cells, options);
                   })};
}

std::vector<DocumentChart> cascadeCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                         std::span<const StudyReport> reports,
                                         std::span<const Portability> portabilities) {
    // The largest problem of each curve.
    std::map<std::string, std::pair<std::string, double>> largest;  // curve → problem and its size
    for (const StudyReport& report : reports) {
        const std::vector<TimedRow> times = report.times();
        for (const auto& [curve, rows] : curvesOf(algorithm, times)) {
            const SizeAxis axis(rows);
            for (const TimedRow* row : rows) {
                const auto isOfProblem = [&](const Portability& one) {
                    return one.problem == row->problem() && one.byApplication().value_or(0) > 0;
                };
                if (std::ranges::none_of(portabilities, isOfProblem)) continue;
                auto& [problem, size] = largest[curve];
                if (axis.of(*row) > size) {
                    problem = row->problem();
                    size = axis.of(*row);
                }
            }
        }
    }
    std::vector<DocumentChart> charts;
    for (const auto& [curve, place] : largest) {
        std::vector<picture::CascadeSeries> series;
        DocumentTable data{{"application", "portability"}, {}, {false, true}};
        for (const std::string& platform : platformNames(reports)) {
            data.head.push_back(platform);
            data.isNumber.push_back(true);
        }
        for (const Portability& one : portabilities) {
            const auto metric = one.byApplication();
            if (one.problem != place.first || !metric) continue;
            // Skips "gl (best variant)" if it is the same variant on all platforms.
            if (std::ranges::any_of(portabilities, [&](const Portability& other) {
                    return other.problem == one.problem && &other < &one &&
                           other.applicationEfficiency == one.applicationEfficiency && *metric > 0;
                }))
                continue;
            picture::CascadeSeries& line = series.emplace_back();
            line.name = one.application;
            line.portability = *metric;
            data.rows.push_back({one.application, chartNumber(*metric)});
            for (const auto& efficiency : one.applicationEfficiency) {
                line.efficiencies.push_back(*efficiency);
                data.rows.back().push_back(chartNumber(*efficiency));
            }
        }
        if (series.empty()) continue;
        picture::CascadeOptions options;
        options.title = "Performance portability, " + place.first;
        options.yLabel = "application efficiency";
        options.footer = {"solid: efficiency on the k-th best platform",
                          "dashed: harmonic mean of the best k; number: of all"};
        for (const std::string& platform : platformNames(reports))
            options.footer.push_back("platform: " + platform);
        charts.push_back(
            drawnChart(folder, fmt::format("cascade-{}-{}", algorithm, curve), options.title,
                       "Efficiency: the best time that was observed on a platform over the application's "
                       "own; 0 where it does not run.",
                       std::move(data), [&, &lines = series](const std::filesystem::path& path) {
                           picture::writeCascadeChart(path, lines, options);
                       }));
    }
    return charts;
}

}  // namespace glycine::study
