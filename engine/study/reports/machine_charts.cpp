#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "engine/picture/cascade_chart.hpp"
#include "engine/picture/cell_chart.hpp"
#include "engine/study/reports/chart_parts.hpp"
#include "engine/study/reports/portability.hpp"
#include "engine/study/reports/study_charts.hpp"

namespace glycine::study {

std::vector<DocumentChart> equalityCharts(const std::filesystem::path& folder, const std::string& algorithm,
                                          std::span<const StudyReport> reports) {
    const std::vector<std::string> platforms = platformNames(reports);
    /// Digests by the problem, of everything that is one line.
    std::vector<std::pair<std::string, std::map<std::string, std::string>>> lines;
    for (std::size_t machine = 0; machine < reports.size(); ++machine)
        for (const TimedRow& row : reports[machine].times()) {
            if (row.algorithm != algorithm || row.digest.empty() || !row.hasTime()) continue;
            std::string name = contenderName(row.contender);
            if (reports.size() > 1) name = fmt::format("{}: {}", static_cast<char>('A' + machine % 26), name);
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
            options.footer.push_back(
                fmt::format("{}: {}", static_cast<char>('A' + machine % 26), platforms[machine]));
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
    // Problems by curve, with their sizes.
    std::map<std::string, std::pair<std::string, double>> largest;  // by curve: problem and size
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
            // "gl (best variant)" where that is the same variant everywhere.
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
        options.footer = {
            "solid: efficiency on the k-th best platform; dashed: harmonic mean of the best k; number: of "
            "all",
            fmt::format("platforms: {}", fmt::join(platformNames(reports), "; "))};
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
