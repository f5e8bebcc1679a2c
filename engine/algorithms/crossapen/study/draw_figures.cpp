#include <fmt/format.h>

#include "engine/algorithms/crossapen/study/figure_report.hpp"
#include "engine/core/quantity.hpp"
#include "engine/picture/bar_chart.hpp"

namespace glycine::crossapen {

namespace {

constexpr picture::Color kPaperColor{172, 178, 190};
constexpr picture::Color kMeasuredColor{24, 124, 140};

picture::BarGroup barsOf(const FigureRow& row) {
    picture::BarGroup group;
    group.label = row.size.empty() ? row.method : fmt::format("{}, {}", row.method, row.size);
    picture::Bar paper;
    if (row.paperSeconds > 0) paper.value = row.paperSeconds;
    picture::Bar measured;
    if (row.hasTime() && row.seconds.minimum > 0)
        measured.value = row.seconds.minimum;
    else if (row.isWrong)
        measured.note = "wrong result: not timed";
    else if (!row.isPaperAlone())
        measured.note = "not measured: " + row.skipped;
    group.bars = {paper, measured};
    return group;
}

}  // namespace

void drawFigures(const std::filesystem::path& path, const FigureReport& report) {
    std::vector<picture::BarGroup> groups;
    for (const Figure& figure : report.figures)
        for (const FigureRow& row : figure.rows) {
            groups.push_back(barsOf(row));
            if (&row == &figure.rows.front())
                groups.back().heading = fmt::format("{}: {}", figure.name, figure.title);
        }
    picture::BarChartOptions options;
    options.title = "Cross-approximate entropy: match counts, m = 1, r = 0.2";
    options.axisLabel = "time, best run; trials × samples as given";
    options.valueText = formatSeconds;
    options.tickText = formatPowerOfSeconds;
    options.footer.push_back(
        "Paper: Comput. Methods Programs Biomed. 112 (2013), 189–199; GeForce GTX 580, Xeon X5660 2.66 GHz.");
    options.footer.push_back(
        "Here: signals in memory to match statistics in memory, transfers included; four "
        "ordered pairs a trial, where the paper counts one.");
    options.footer.push_back(report.environment.build + "; " + report.environment.processor);
    for (const DeviceDescription& device : report.devices)
        options.footer.push_back(fmt::format("{}: {}", deviceField(device).first, device.device));
    picture::writeBarChart(path, {{"paper", kPaperColor}, {"measured here", kMeasuredColor}}, groups,
                           options);
}

}  // namespace glycine::crossapen
