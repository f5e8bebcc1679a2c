#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/picture/chart.hpp"
#include "engine/picture/color_map.hpp"

/// Horizontal bars in groups on a logarithmic axis, for quantities that span many orders of magnitude.
namespace glycine::picture {

/// What one bar of every group stands for.
struct BarSeries {
    std::string name;
    Color color;
};

struct Bar {
    std::optional<double> value{};      ///< above 0
    std::string note{};                 ///< stands in the bar's place when there is no value
    std::optional<ValueRange> range{};  ///< drawn across the bar's end
};

struct BarGroup {
    std::string label;
    std::vector<Bar> bars;  ///< one a series; those with neither value nor note take no room
    std::string heading{};  ///< a line above the group, that begins a section; empty: none
};

struct BarChartOptions {
    std::string title{};
    std::string axisLabel{};
    std::vector<std::string> footer{};               ///< lines below the axis
    std::function<std::string(double)> valueText{};  ///< beside a bar
    std::function<std::string(int)> tickText{};      ///< on the axis, for a power of ten
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically. The axis runs over whole powers of ten that hold
/// all values; bars begin at its lower end. Throws UsageError when there is no value, or one that is not
/// above 0 and finite; Error with path and cause when the file cannot be written.
void writeBarChart(const std::filesystem::path& path, const std::vector<BarSeries>& series,
                   const std::vector<BarGroup>& groups, const BarChartOptions& options);

}  // namespace glycine::picture
