#include "engine/picture/heat_map_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/picture/short_text.hpp"

namespace glycine::io::heat_map {

namespace {

// Sizes in pixels.
constexpr std::size_t kNumbersLeft = 76;
constexpr std::size_t kNumbersBelow = 50;
constexpr double kLongestRowName = 220;
constexpr double kLongestColumnName = 130;
constexpr double kLeastPitch = 8;  ///< from one name to the next
constexpr std::size_t kNameGap = 4;
constexpr std::size_t kLabelRoom = 34;  ///< for the name of the axis, with some air

/// One axis: `cells` of the picture, `items` of the matrix over `pixels`.
struct Axis {
    const std::vector<std::string>& names;
    std::size_t cells;
    std::size_t items;
    std::size_t pixels;
    double longestName;  ///< pixels that a name may take

    double pitch() const { return static_cast<double>(pixels) / static_cast<double>(items); }
    bool hasNames() const { return names.size() == items && cells == items && pitch() >= kLeastPitch; }
    /// The middle of an item, from the beginning of the axis; items count from 0.
    double middle(std::size_t item) const {
        return (static_cast<double>(item) + 0.5) / static_cast<double>(items) * static_cast<double>(pixels);
    }
    TextStyle nameStyle(TextDirection direction) const {
        TextStyle style = withAnchor(kLabelStyle, TextAnchor::End, direction);
        // Small text is legible with thin strokes only.
        style.height = std::clamp(pitch() - 3, 5.5, kLabelStyle.height);
        style.weight = style.height < 7 ? 1.0 : style.height < kLabelStyle.height ? 1.1 : kLabelStyle.weight;
        return style;
    }
    std::string shownName(std::size_t item, const TextStyle& style) const {
        return shortenText(names[item], longestName, style);
    }
    std::size_t namesLength() const {
        const TextStyle style = nameStyle(TextDirection::Right);
        double longest = 0;
        for (std::size_t k = 0; k < items; ++k)
            longest = std::max(longest, textLength(shownName(k, style), style));
        return static_cast<std::size_t>(std::ceil(longest));
    }
};

Axis rowAxis(const HeatMapPanel& panel, const Plot& plot) {
    return {panel.rowNames, panel.values.rows(), panel.rows, plot.height, kLongestRowName};
}
Axis columnAxis(const HeatMapPanel& panel, const Plot& plot) {
    return {panel.columnNames, panel.values.columns(), panel.columns, plot.width, kLongestColumnName};
}

std::size_t roomFor(const Axis& axis, std::size_t withNumbers) {
    return axis.hasNames() ? kTick + kNameGap + axis.namesLength() + kLabelRoom : withNumbers;
}

/// Items counted from 1 at which an axis has a tick: five or so where there is room.
std::vector<std::size_t> numberTicks(const Axis& axis) {
    std::vector<std::size_t> ticks{1};
    if (axis.items == 1) return ticks;
    constexpr std::size_t kPixelsPerTick = 40;
    const int count = static_cast<int>(std::clamp<std::size_t>(axis.pixels / kPixelsPerTick, 1, 5));
    const auto step =
        static_cast<std::size_t>(std::max(1.0, niceStep(static_cast<double>(axis.items), count)));
    for (std::size_t tick = step; tick <= axis.items; tick += step)
        if (tick > step / 2 && tick != 1) ticks.push_back(tick);
    return ticks;
}

}  // namespace

AxisRoom roomForAxes(const HeatMapPanel& panel, const Plot& plot) {
    return {roomFor(rowAxis(panel, plot), kNumbersLeft), roomFor(columnAxis(panel, plot), kNumbersBelow)};
}

void drawRowAxis(Image& image, const Plot& plot, const HeatMapPanel& panel, const std::string& label,
                 const AxisRoom& room) {
    const Axis axis = rowAxis(panel, plot);
    const auto drawTick = [&](std::size_t item) {
        const auto y = plot.y + static_cast<std::size_t>(axis.middle(item));
        image.fill(plot.x - 1 - kTick, y, kTick, 1, kInk);
        return static_cast<double>(y);
    };
    if (axis.hasNames()) {
        const TextStyle style = axis.nameStyle(TextDirection::Right);
        for (std::size_t k = 0; k < axis.items; ++k) {
            const double y = drawTick(k) + 0.5;
            drawText(image, static_cast<double>(plot.x - kTick - kNameGap), y + style.height / 2,
                     axis.shownName(k, style), style);
        }
    } else {
        for (const std::size_t tick : numberTicks(axis)) {
            const double y = drawTick(tick - 1);
            drawText(image, static_cast<double>(plot.x - kTick) - 6, y + 5, fmt::format("{}", tick),
                     withAnchor(kLabelStyle, TextAnchor::End));
        }
    }
    drawText(image, static_cast<double>(plot.x) - static_cast<double>(room.left) + 22,
             static_cast<double>(plot.y) + static_cast<double>(plot.height) / 2, label,
             withAnchor(kLabelStyle, TextAnchor::Middle, TextDirection::Up));
}

void drawColumnAxis(Image& image, const Plot& plot, const HeatMapPanel& panel, const std::string& label,
                    const AxisRoom& room) {
    const Axis axis = columnAxis(panel, plot);
    const std::size_t bottom = plot.y + plot.height;
    const auto drawTick = [&](std::size_t item) {
        const auto x = plot.x + static_cast<std::size_t>(axis.middle(item));
        image.fill(x, bottom + 1, 1, kTick, kInk);
        return static_cast<double>(x) + 0.5;
    };
    if (axis.hasNames()) {
        const TextStyle style = axis.nameStyle(TextDirection::Up);
        for (std::size_t k = 0; k < axis.items; ++k)
            drawText(image, drawTick(k) + style.height / 2,
                     static_cast<double>(bottom + 1 + kTick + kNameGap), axis.shownName(k, style), style);
    } else {
        for (const std::size_t tick : numberTicks(axis))
            drawText(image, drawTick(tick - 1), static_cast<double>(bottom + kTick) + 14,
                     fmt::format("{}", tick), withAnchor(kLabelStyle, TextAnchor::Middle));
    }
    drawText(image, static_cast<double>(plot.x) + static_cast<double>(plot.width) / 2,
             static_cast<double>(bottom + room.below) - 14, label,
             withAnchor(kLabelStyle, TextAnchor::Middle));
}

}  // namespace glycine::io::heat_map
