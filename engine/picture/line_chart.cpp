#include "engine/picture/line_chart.hpp"

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/picture/chart.hpp"

namespace glycine::picture {

namespace {

// Sizes in pixels.
constexpr double kLinePlotWidth = 620;
constexpr double kPlotHeight = 460;
constexpr double kAxisLabelRoom = 26;  ///< for the name of the y axis
constexpr double kLegendGap = 24;
constexpr double kLegendPitch = 22;
constexpr double kKeyWidth = 34;
constexpr double kMarker = 9;
constexpr double kLineWidth = 2;
constexpr double kAir = 0.03;  ///< around the points, as a share of the axis

/// Puts some air around the values, also around a single one, and ticks at powers of ten where the axis holds
/// three or more of them, else at 1, 2 and 5 times such powers.
void finish(LogAxis& axis) {
    const double air = std::max(kAir * (axis.highest - axis.lowest), 0.1);
    axis.lowest -= air;
    axis.highest += air;
    if (!axis.ticks.empty()) return;
    const bool areDense = std::floor(axis.highest) - std::ceil(axis.lowest) < 2;
    for (double power = std::floor(axis.lowest); power <= axis.highest; ++power)
        for (const double mantissa : {1.0, 2.0, 5.0}) {
            if (mantissa > 1 && !areDense) continue;
            const double value = mantissa * std::pow(10, power);
            const double logarithm = std::log10(value);
            if (logarithm >= axis.lowest && logarithm <= axis.highest) axis.ticks.push_back(value);
        }
}

}  // namespace

void writeLineChart(const std::filesystem::path& path, const std::vector<LineSeries>& series,
                    const LineChartOptions& options) {
    LogAxis x{kLinePlotWidth, options.xLabel, options.xText};
    LogAxis y{kPlotHeight, options.yLabel, options.yText};
    for (const LineSeries& line : series)
        for (const Point& point : line.points) {
            x.include(point.x, line.name);
            y.include(point.y, line.name);
        }
    for (const LineSeries& line : series)
        for (const ValueRange& range : line.ranges) {
            y.include(range.low, line.name);
            y.include(range.high, line.name);
        }
    if (x.isEmpty()) throw UsageError("a line chart without any point");
    x.ticks = options.xTicks;
    finish(x);
    finish(y);

    ChartPage page(options.title, options.footer);
    double yTexts = 0;
    for (const double tick : y.ticks) yTexts = std::max(yTexts, textLength(y.text(tick), kSmallStyle));
    const Box plot{ChartPage::kMargin + kAxisLabelRoom + std::ceil(yTexts) + kTick + kTextGap, page.top(),
                   kLinePlotWidth, kPlotHeight};
    const double legendX = plot.x + plot.width + kLegendGap;
    for (const LineSeries& line : series)
        if (!line.points.empty()) page.makeRoom(legendX + kKeyWidth, line.name, kLabelStyle);
    Canvas& canvas = page.open(
        path, legendX,
        plot.y + std::max(plot.height + kAxisHeight, static_cast<double>(series.size()) * kLegendPitch));
    drawAxisBelow(canvas, plot, x);
    drawAxisLeft(canvas, plot, y, ChartPage::kMargin + 10);
    canvas.frame(plot, kInk);

    Point key{legendX, plot.y + 10};
    for (std::size_t k = 0; k < series.size(); ++k) {
        std::vector<Point> places;
        for (const Point& point : series[k].points)
            places.push_back({plot.x + x.position(point.x), plot.y + plot.height - y.position(point.y)});
        if (places.empty()) continue;
        if (places.size() > 1) canvas.line(places, seriesColor(k), kLineWidth, seriesDash(k));
        for (std::size_t p = 0; p < std::min(places.size(), series[k].ranges.size()); ++p) {
            const auto heightOf = [&](double value) { return plot.y + plot.height - y.position(value); };
            const Point bar[] = {{places[p].x, heightOf(series[k].ranges[p].low)},
                                 {places[p].x, heightOf(series[k].ranges[p].high)}};
            canvas.line(bar, seriesColor(k), kLineWidth);
        }
        for (const Point& place : places) canvas.marker(seriesMarker(k), place, kMarker, seriesColor(k));

        const Point line[] = {key, {key.x + kKeyWidth - 8, key.y}};
        canvas.line(line, seriesColor(k), kLineWidth, seriesDash(k));
        canvas.marker(seriesMarker(k), {(line[0].x + line[1].x) / 2, key.y}, kMarker, seriesColor(k));
        canvas.text({key.x + kKeyWidth, key.y + kLabelStyle.capitalHeight() / 2}, series[k].name,
                    kLabelStyle);
        key.y += kLegendPitch;
    }
    page.save();
}

}  // namespace glycine::picture
