#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/picture/canvas.hpp"

/// Points on two linear axes, coloured by groups.
namespace glycine::picture {

struct ScatterPlot {
    std::string title{};
    std::vector<std::string> footer{};  ///< lines below the plot
    std::string xLabel{};
    std::string yLabel{};
    std::vector<Point> points;         ///< finite
    std::vector<Color> colors{};       ///< one a point; empty: all alike
    std::vector<std::string> names{};  ///< one a point, beside it; empty: none
    std::vector<ColorKey> key{};       ///< what colours mean
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically. Throws UsageError without points; Error with path
/// and cause when the file cannot be written.
void writeScatterPlot(const std::filesystem::path& path, const ScatterPlot& plot);

/// Pixels that a key takes to the right, and draws it with its upper left corner at `place`.
double keyWidth(const std::vector<ColorKey>& key);
void drawKey(Canvas& canvas, Point place, const std::vector<ColorKey>& key);
inline constexpr double kColorKeyPitch = 18;  ///< from one line of a key to the next, in pixels

}  // namespace glycine::picture
