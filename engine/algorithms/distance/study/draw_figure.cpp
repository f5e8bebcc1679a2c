#include <fmt/format.h>

#include "engine/algorithms/distance/study/figure_report.hpp"
#include "engine/core/quantity.hpp"
#include "engine/picture/bar_chart.hpp"

namespace glycine::distance {

namespace {

constexpr picture::Color kPaperColor{172, 178, 190};
constexpr picture::Color kMeasuredColor{24, 124, 140};

}  // namespace

void drawFigure(const std::filesystem::path& path, const FigureReport& report) {
    std::vector<picture::BarGroup> groups;
    bool areOwn = false;
    for (const FigureRow& row : report.rows) {
        picture::BarGroup group;
        group.label = row.method;
        if (groups.empty()) group.heading = "As published";
        if (row.paperSeconds == 0 && !areOwn) group.heading = "Glycine's own variants";
        areOwn = row.paperSeconds == 0;
        picture::Bar paper;
        if (row.paperSeconds > 0) paper.value = row.paperSeconds;
        picture::Bar measured;
        if (row.hasTime() && row.kernel.mean() > 0)
            measured.value = row.kernel.mean();
        else if (!row.hasTime())
            measured.note = row.isWrong ? "wrong result: not timed" : "not measured: " + row.skipped;
        group.bars = {paper, measured};
        groups.push_back(std::move(group));
    }

    picture::BarChartOptions options;
    options.title = fmt::format("Mismatches of all pairs: {} instances, {} ternary attributes",
                                formatCount(report.size.instances), formatCount(report.size.attributes));
    options.axisLabel = fmt::format("time, mean of {}", formatCount(report.sets, "data set"));
    options.valueText = formatSeconds;
    options.tickText = formatPowerOfSeconds;
    options.footer.push_back(
        "Paper: Sinnott-Armstrong et al. 2010, figure 4; 112 instances, 512 attributes, GeForce 9600M GT and "
        "Core 2 Duo 2.66 GHz.");
    options.footer.push_back("Here: the counting alone, operands on the device. " + report.environment.build);
    options.footer.push_back("CPU loop: one thread of " + report.environment.processor);
    for (const DeviceDescription& device : report.devices)
        options.footer.push_back(fmt::format("{}: {}", deviceField(device).first, device.device));
    picture::writeBarChart(path, {{"paper", kPaperColor}, {"measured here", kMeasuredColor}}, groups, options);
}

}  // namespace glycine::distance
