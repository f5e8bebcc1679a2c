#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "engine/picture/canvas.hpp"

namespace glycine::picture {

/// A head seen from above.
struct ScalpPanel {
    std::string title;
    std::string subtitle;  ///< small line below; may be empty
    std::vector<Point>
        places;  ///< of the sensors: x to the right, y to the front; the head is a circle of radius 1
    std::vector<double> values;  ///< one a sensor; others than finite ones show no colour around them
    std::vector<std::string> names;
};

struct ScalpPage {
    std::string title{};
    std::string footer{};
    std::string valueLabel{};  ///< below the colour bar
    double minimum = 0;        ///< ends of the scale; values beyond have the colour of the end
    double maximum = 1;
    std::size_t panelsPerRow = 2;
};

/// Draws the panels and their colour bar into one file, PNG, SVG or PDF. Colours between sensors are those of
/// a biharmonic spline through the values, as EEG programs draw them; it is drawn within the head, and
/// beside sensors that lie outside of it. Names stand beside sensors where these are few.
///
/// Throws UsageError without panels, or where one has no finite value; otherwise as writeHeatMaps. Source: D.
/// T. Sandwell, "Biharmonic spline interpolation of GEOS-3 and SEASAT altimeter data", Geophys. Res. Lett. 14
/// (1987), 139–142.
void writeScalpMaps(const std::filesystem::path& path, std::span<const ScalpPanel> panels,
                    const ScalpPage& page);

}  // namespace glycine::picture
