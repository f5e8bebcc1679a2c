#include "engine/picture/heat_map_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace glycine::picture::heat_map {

namespace {

// Sizes in pixels.
constexpr double kNumbersLeft = 76;
constexpr double kNumbersBelow = 50;
constexpr double kLongestRowName = 220;
constexpr double kLongestColumnName = 130;
constexpr double kLeastPitch = 8;  ///< from one name to the next
constexpr double kNameGap = 4;
constexpr double kLabelRoom = 34;  ///< for the name of the axis, with some air

/// One axis: `cells` of the picture, `items` of the matrix over `pixels`.
struct Axis {
    const std::vector<std::string>& names;
    std::size_t cells;
    std::size_t items;
    double pixels;
    double longestName;  ///< pixels that a name may take

    double pitch() const { return pixels / static_cast<double>(items); }
    bool hasNames() const { return names.size() == items && cells == items && pitch() >= kLeastPitch; }
    /// The pixel in the middle of an item, from the beginning of the axis; items count from 0.
    double middle(std::size_t item) const {
        return std::floor((static_cast<double>(item) + 0.5) / static_cast<double>(items) * pixels);
    }
    TextStyle nameStyle(TextDirection direction) const {
        TextStyle style = kLabelStyle.anchored(TextAnchor::End, direction);
        constexpr double kSmallest = 7.5;
        style.size = std::clamp(pitch() - 0.5, kSmallest, kLabelStyle.size);
        return style;
    }
    std::string shownName(std::size_t item, const TextStyle& style) const {
        return shortenText(names[item], longestName, style);
    }
    double namesLength() const {
        const TextStyle style = nameStyle(TextDirection::Right);
        double longest = 0;
        for (std::size_t k = 0; k < items; ++k)
            longest = std::max(longest, textLength(shownName(k, style), style));
        return std::ceil(longest);
    }
};

Axis rowAxis(const HeatMapPanel& panel, const Box& plot) {
    return {panel.rowNames, panel.values.rows(), panel.rows, plot.height, kLongestRowName};
}
Axis columnAxis(const HeatMapPanel& panel, const Box& plot) {
    return {panel.columnNames, panel.values.columns(), panel.columns, plot.width, kLongestColumnName};
}

double roomFor(const Axis& axis, double withNumbers) {
    return axis.hasNames() ? kTick + kNameGap + axis.namesLength() + kLabelRoom : withNumbers;
}

/// Items counted from 1 at which an axis has a tick: five or so where there is room.
std::vector<std::size_t> numberTicks(const Axis& axis) {
    std::vector<std::size_t> ticks{1};
    if (axis.items == 1) return ticks;
    constexpr double kPixelsPerTick = 40;
    const int count = std::clamp(static_cast<int>(axis.pixels / kPixelsPerTick), 1, 5);
    const auto step =
        static_cast<std::size_t>(std::max(1.0, niceStep(static_cast<double>(axis.items), count)));
    for (std::size_t tick = step; tick <= axis.items; tick += step)
        if (tick > step / 2 && tick != 1) ticks.push_back(tick);
    return ticks;
}

}  // namespace

AxisRoom roomForAxes(const HeatMapPanel& panel, const Box& plot) {
    return {roomFor(rowAxis(panel, plot), kNumbersLeft), roomFor(columnAxis(panel, plot), kNumbersBelow)};
}

void drawRowAxis(Canvas& canvas, const Box& plot, const HeatMapPanel& panel, const std::string& label,
                 const AxisRoom& room) {
    const Axis axis = rowAxis(panel, plot);
    const auto drawTick = [&](std::size_t item, const std::string& text, const TextStyle& style) {
        const double y = plot.y + axis.middle(item);
        canvas.fill({plot.x - 1 - kTick, y, kTick, 1}, kInk);
        canvas.text({plot.x - 1 - kTick - kNameGap, y + 0.5 + style.capitalHeight() / 2}, text, style);
    };
    if (axis.hasNames()) {
        const TextStyle style = axis.nameStyle(TextDirection::Right);
        for (std::size_t k = 0; k < axis.items; ++k) drawTick(k, axis.shownName(k, style), style);
    } else {
        for (const std::size_t tick : numberTicks(axis))
            drawTick(tick - 1, fmt::format("{}", tick), kLabelStyle.anchored(TextAnchor::End));
    }
    canvas.text({plot.x - room.left + 22, plot.y + plot.height / 2}, label,
                kLabelStyle.anchored(TextAnchor::Middle, TextDirection::Up));
}

void drawColumnAxis(Canvas& canvas, const Box& plot, const HeatMapPanel& panel, const std::string& label,
                    const AxisRoom& room) {
    const Axis axis = columnAxis(panel, plot);
    const double bottom = plot.y + plot.height + 1;
    const auto drawTick = [&](std::size_t item) {
        const double x = plot.x + axis.middle(item);
        canvas.fill({x, bottom, 1, kTick}, kInk);
        return x + 0.5;
    };
    if (axis.hasNames()) {
        const TextStyle style = axis.nameStyle(TextDirection::Up);
        for (std::size_t k = 0; k < axis.items; ++k)
            canvas.text({drawTick(k) + style.capitalHeight() / 2, bottom + kTick + kNameGap},
                        axis.shownName(k, style), style);
    } else {
        for (const std::size_t tick : numberTicks(axis))
            canvas.text({drawTick(tick - 1), bottom + kTick + 13}, fmt::format("{}", tick),
                        kLabelStyle.anchored(TextAnchor::Middle));
    }
    canvas.text({plot.x + plot.width / 2, bottom - 1 + room.below - 14}, label,
                kLabelStyle.anchored(TextAnchor::Middle));
}

}  // namespace glycine::picture::heat_map
