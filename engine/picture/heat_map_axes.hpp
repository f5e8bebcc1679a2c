#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/picture/heat_map.hpp"
#include "engine/picture/heat_map_style.hpp"
#include "engine/picture/image.hpp"

/// Rows and columns of a plot, named or counted.
namespace glycine::io::heat_map {

/// Room beside plots in pixels.
struct AxisRoom {
    std::size_t left = 0;
    std::size_t below = 0;
};

/// What the axes of a plot of this size need.
AxisRoom roomForAxes(const HeatMapPanel& panel, const Plot& plot);

/// Ticks with names where all of them fit, else with some of the numbers, and the name of the axis, `room`
/// away from the plot.
void drawRowAxis(Image& image, const Plot& plot, const HeatMapPanel& panel, const std::string& label,
                 const AxisRoom& room);
void drawColumnAxis(Image& image, const Plot& plot, const HeatMapPanel& panel, const std::string& label,
                    const AxisRoom& room);

}  // namespace glycine::io::heat_map
