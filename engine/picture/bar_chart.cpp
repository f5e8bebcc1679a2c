#include "engine/picture/bar_chart.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/core/error.hpp"
#include "engine/picture/chart.hpp"

namespace glycine::picture {

namespace {

// Sizes in pixels.
constexpr double kLegendHeight = 34;
constexpr double kPlotWidth = 640;
constexpr double kLabelGap = 12;    ///< between a label and the axis
constexpr double kValueWidth = 90;  ///< right of the axis' end: the text of its longest bars
constexpr double kBarHeight = 14;
constexpr double kBarGap = 3;     ///< between the bars of a group
constexpr double kGroupGap = 15;  ///< between groups
constexpr double kHeadingHeight = 30;
constexpr double kSwatch = 12;
constexpr double kNoteGap = 8;  ///< between the axis and text in a bar's place

/// Whole powers of ten.
LogAxis axisFor(const std::vector<BarGroup>& groups, const BarChartOptions& options) {
    LogAxis axis{kPlotWidth, options.axisLabel};
    for (const BarGroup& group : groups)
        for (const Bar& bar : group.bars)
            if (bar.value) axis.include(*bar.value, group.label);
    if (axis.isEmpty()) throw UsageError("a bar chart without any value");
    // The smallest bar keeps some length.
    const double smallest = axis.lowest;
    axis.lowest = std::floor(smallest);
    if (smallest - axis.lowest < 0.1) --axis.lowest;
    axis.highest = std::max(axis.lowest + 1, std::ceil(axis.highest));
    for (double power = axis.lowest; power <= axis.highest; ++power)
        axis.ticks.push_back(std::pow(10.0, power));
    axis.text = [&options](double tick) {
        return options.tickText(static_cast<int>(std::lround(std::log10(tick))));
    };
    return axis;
}

double groupHeight(const BarGroup& group) {
    const auto bars =
        std::ranges::count_if(group.bars, [](const Bar& bar) { return bar.value || !bar.note.empty(); });
    return static_cast<double>(std::max<std::ptrdiff_t>(bars, 1)) * (kBarHeight + kBarGap) - kBarGap;
}

void drawLegend(Canvas& canvas, Point place, const std::vector<BarSeries>& all) {
    for (const BarSeries& series : all) {
        canvas.fill({place.x, place.y, kSwatch, kSwatch}, series.color);
        place.x += kSwatch + 7;
        canvas.text({place.x, place.y + 10.5}, series.name, kLabelStyle);
        place.x = std::ceil(place.x + textLength(series.name, kLabelStyle)) + 26;
    }
}

/// A line from `low` to `high` with ends, over the middle of a bar, in ink with a white edge: to be seen on
/// any colour.
void drawRange(Canvas& canvas, double low, double high, double barY) {
    const double middle = barY + kBarHeight / 2;
    for (const auto& [color, width] : {std::pair(kBackground, 3.5), std::pair(kInk, 1.5)}) {
        const Point line[] = {{low, middle}, {high, middle}};
        canvas.line(line, color, width);
        for (const double x : {low, high}) {
            const Point end[] = {{x, middle - 4}, {x, middle + 4}};
            canvas.line(end, color, width);
        }
    }
}

/// Text through which the lines of the grid do not run.
void drawOverGrid(Canvas& canvas, Point place, const std::string& text, const TextStyle& style) {
    constexpr double kPadding = 3;
    canvas.fill(
        {place.x - kPadding, std::floor(place.y - style.capitalHeight()) - kPadding,
         std::ceil(textLength(text, style)) + 2 * kPadding, std::ceil(style.capitalHeight()) + 2 * kPadding},
        kBackground);
    canvas.text(place, text, style);
}

}  // namespace

void writeBarChart(const std::filesystem::path& path, const std::vector<BarSeries>& series,
                   const std::vector<BarGroup>& groups, const BarChartOptions& options) {
    const LogAxis axis = axisFor(groups, options);
    ChartPage page(options.title, options.footer);
    double labels = 0;
    double height = std::floor(kGroupGap / 2);
    for (const BarGroup& group : groups) {
        labels = std::max(labels, textLength(group.label, kLabelStyle));
        height += groupHeight(group) + kGroupGap + (group.heading.empty() ? 0 : kHeadingHeight);
    }
    const Box plot{ChartPage::kMargin + std::ceil(labels) + kLabelGap, page.top() + kLegendHeight, kPlotWidth,
                   height};
    for (const BarGroup& group : groups) {
        page.makeRoom(plot.x + kNoteGap, group.heading, kHeadingStyle);
        for (const Bar& bar : group.bars)
            if (!bar.value) page.makeRoom(plot.x + kNoteGap, bar.note, kNoteStyle);
    }
    Canvas& canvas = page.open(path, plot.x + kPlotWidth + kValueWidth, plot.y + plot.height + kAxisHeight);
    drawLegend(canvas, {plot.x, page.top() + 4}, series);
    drawAxisBelow(canvas, plot, axis);
    canvas.fill({plot.x, plot.y, 1, plot.height}, kInk);
    canvas.fill({plot.x, plot.y + plot.height, plot.width + 1, 1}, kInk);

    double y = plot.y;
    for (const BarGroup& group : groups) {
        if (!group.heading.empty()) {
            drawOverGrid(canvas, {plot.x + kNoteGap, y + 18}, group.heading, kHeadingStyle);
            y += kHeadingHeight;
        }
        canvas.text({plot.x - kLabelGap, y + groupHeight(group) / 2 + kLabelStyle.capitalHeight() / 2},
                    group.label, kLabelStyle.anchored(TextAnchor::End));
        double barY = y;
        for (std::size_t b = 0; b < group.bars.size(); ++b) {
            const Bar& bar = group.bars[b];
            if (!bar.value && bar.note.empty()) continue;
            if (bar.value) {
                const double length = std::round(axis.position(*bar.value));
                canvas.fill({plot.x + 1, barY, length, kBarHeight}, series[b].color);
                double end = length;
                if (bar.range) {
                    const double low = axis.position(std::max(bar.range->low, axis.ticks.front()));
                    const double high = axis.position(std::min(bar.range->high, axis.ticks.back()));
                    drawRange(canvas, plot.x + 1 + low, plot.x + 1 + high, barY);
                    end = std::max(end, std::round(high));
                }
                drawOverGrid(canvas, {plot.x + end + 7, barY + 11}, options.valueText(*bar.value),
                             kSmallStyle);
            } else {
                drawOverGrid(canvas, {plot.x + kNoteGap, barY + 11}, bar.note, kNoteStyle);
            }
            barY += kBarHeight + kBarGap;
        }
        y += groupHeight(group) + kGroupGap;
    }
    page.save();
}

}  // namespace glycine::picture
