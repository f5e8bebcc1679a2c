#pragma once

#include <string>

#include "engine/picture/heat_map.hpp"
#include "engine/picture/style.hpp"

/// Rows and columns of a plot, named or counted.
namespace glycine::picture::heat_map {

/// Room beside plots in pixels.
struct AxisRoom {
    double left = 0;
    double below = 0;
};

/// What the axes of a plot of this size need.
AxisRoom roomForAxes(const HeatMapPanel& panel, const Box& plot);

/// Ticks with names where all of them fit, else with some of the numbers, and the name of the axis, `room`
/// away from the plot.
void drawRowAxis(Canvas& canvas, const Box& plot, const HeatMapPanel& panel, const std::string& label,
                 const AxisRoom& room);
void drawColumnAxis(Canvas& canvas, const Box& plot, const HeatMapPanel& panel, const std::string& label,
                    const AxisRoom& room);

}  // namespace glycine::picture::heat_map
