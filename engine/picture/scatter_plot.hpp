#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/picture/canvas.hpp"

/// Points on two linear axes, coloured by group.
namespace glycine::picture {

struct ScatterPlot {
    std::string title{};
    std::vector<std::string> footer{};  ///< lines below the plot
    std::string xLabel{};
    std::string yLabel{};
    std::vector<Point> points;         ///< finite
    std::vector<GroupSign> signs{};    ///< one per point; empty: all alike
    std::vector<std::string> names{};  ///< one per point, shown next to it; empty: none
    std::vector<ColorKey> key{};       ///< meanings of the signs
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically. Throws UsageError without points. Throws Error with
/// path and cause if the file cannot be written.
void writeScatterPlot(const std::filesystem::path& path, const ScatterPlot& plot);

/// keyWidth returns the width of a key in pixels; drawKey draws it with its upper left corner at `place`,
/// with markers instead of squares if colours repeat.
double keyWidth(const std::vector<ColorKey>& key);
void drawKey(Canvas& canvas, Point place, const std::vector<ColorKey>& key);
inline constexpr double kColorKeyPitch = 18;  ///< between lines of a key, in pixels

}  // namespace glycine::picture
