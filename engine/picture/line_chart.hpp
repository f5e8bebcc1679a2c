#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/picture/canvas.hpp"
#include "engine/picture/chart.hpp"

/// Lines through marked points on two logarithmic axes: how a time grows with a size, and where backends
/// cross.
namespace glycine::picture {

/// Each series has a marker and, from seriesColor, a colour of its own.
struct LineSeries {
    std::string name;
    std::vector<Point> points;         ///< in the order in which the line joins them; above 0
    std::vector<ValueRange> ranges{};  ///< of the y values, a bar through each point; empty: none
};

struct LineChartOptions {
    std::string title{};
    std::string xLabel{};
    std::string yLabel{};
    std::vector<std::string> footer{};  ///< lines below the plot
    /// Where the x axis has labels, e.g. the sizes measured; empty: at round numbers.
    std::vector<double> xTicks{};
    std::function<std::string(double)> xText{};  ///< of a tick
    std::function<std::string(double)> yText{};
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically. Series without points have no place in the legend.
/// Throws UsageError when there is no point, or one that is not above 0 and finite; Error with path and cause
/// when the file cannot be written.
void writeLineChart(const std::filesystem::path& path, const std::vector<LineSeries>& series,
                    const LineChartOptions& options);

}  // namespace glycine::picture
