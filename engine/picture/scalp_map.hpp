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
        places;  ///< sensor positions: x to the right, y to the front; the head is a circle of radius 1
    std::vector<double>
        values;  ///< one per sensor; sensors with non-finite values are ignored by the colours
    std::vector<std::string> names;
};

struct ScalpPage {
    std::string title{};
    std::vector<std::string> footer{};  ///< small lines below everything
    std::string valueLabel{};           ///< next to the colour bar
    double minimum = 0;                 ///< ends of the scale; values beyond take the colour of the end
    double maximum = 1;
    std::size_t panelsPerRow = 2;
};

/// Draws the panels and their colour bar into one PNG, SVG or PDF file. A biharmonic spline through the
/// values gives the colours between sensors, as in EEG programs. It covers the head, and the surroundings of
/// sensors outside it. Sensor names are shown if they are few.
///
/// Throws UsageError if there are no panels, or one has no finite value; otherwise as writeHeatMaps. Source:
/// D. T. Sandwell, "Biharmonic spline interpolation of GEOS-3 and SEASAT altimeter data", Geophys. Res. Lett.
/// 14 (1987), 139–142.
void writeScalpMaps(const std::filesystem::path& path, std::span<const ScalpPanel> panels,
                    const ScalpPage& page);

}  // namespace glycine::picture
