#include "engine/picture/heat_map_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace glycine::picture::heat_map {

namespace {

constexpr Color kUnknown{176, 176, 180};

// Sizes in pixels.
constexpr double kBarWidth = 18;
constexpr double kLabelWidth = 84;
constexpr double kLeastBar = 150;
constexpr double kLongestBar = 760;
constexpr double kNotesGap = 20;
constexpr double kKeyHeight = 12;
constexpr double kKeyPitch = 20;
constexpr double kNotePitch = 15;
constexpr double kScaleTextGap = 6;  ///< between a tick and its label

/// Labels beside a colour bar, about.
constexpr int kBarLabels = 6;

Color greyBelow(double t) {
    constexpr double kLightest = 250;
    constexpr double kDarkest = 214;
    const auto grey = static_cast<std::uint8_t>(std::lround(kLightest + t * (kDarkest - kLightest)));
    return {grey, grey, grey};
}

}  // namespace

double niceStep(double extent, int count) {
    const double rough = extent / count;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double mantissa = rough / power;
    return power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
}

Scale::Scale(std::span<const HeatMapPanel> panels, const HeatMapScale& wanted) : wanted_(wanted) {
    double smallest = 0;
    double largest = -std::numeric_limits<double>::infinity();
    for (const HeatMapPanel& panel : panels)
        for (std::size_t k = 0; k < panel.values.size(); ++k) {
            const float value = panel.values.data()[k];
            if (std::isnan(value)) {
                hasUnknown_ = true;
            } else if (std::isinf(value)) {
                hasInfinite_ = true;
            } else {
                smallest = std::min<double>(smallest, value);
                largest = std::max<double>(largest, value);
            }
        }
    minimum_ = wanted.minimum.value_or(smallest);
    maximum_ = wanted.maximum.value_or(std::max(largest, smallest));
    // A constant matrix still gets a scale of some extent.
    if (!(maximum_ > minimum_)) maximum_ = minimum_ + 1;
    if (wanted.roundScale) {
        const double step = niceStep(maximum_ - minimum_, kBarLabels);
        constexpr double kRounding = 1e-6;  // values are float32
        minimum_ = std::floor(minimum_ / step + kRounding) * step;
        maximum_ = std::ceil(maximum_ / step - kRounding) * step;
    }
}

Color Scale::colorOf(double value) const {
    const double begin = wanted_.threshold.value_or(minimum_);
    if (value < begin && wanted_.threshold)
        return greyBelow(std::clamp((value - minimum_) / (begin - minimum_), 0.0, 1.0));
    const double t = std::clamp((value - begin) / (maximum_ - begin), 0.0, 1.0);
    return colorMap()[static_cast<std::size_t>(std::lround(t * 255))];
}

Color Scale::colorAt(float value, std::size_t x, std::size_t y) const {
    if (std::isnan(value)) return kUnknown;
    constexpr std::size_t kStripe = 3;
    if (std::isinf(value)) return (x + y) / kStripe % 2 == 0 ? kInk : kBackground;
    return colorOf(value);
}

double Scale::legendWidth() const {
    double width = kBarWidth + kLabelWidth;
    for (const std::string& note : wanted_.notes) width = std::max(width, textLength(note, kNoteStyle));
    if (!wanted_.thresholdLabel.empty())
        width = std::max(width, kBarWidth + kTick + kScaleTextGap +
                                    textLength("0.00 " + wanted_.thresholdLabel, kLabelStyle));
    return std::ceil(width);
}

double Scale::notesHeight() const {
    const int keys = (hasUnknown_ ? 1 : 0) + (hasInfinite_ ? 1 : 0);
    if (keys == 0 && wanted_.notes.empty()) return 0;
    return kNotesGap + keys * kKeyPitch + static_cast<double>(wanted_.notes.size()) * kNotePitch;
}

double Scale::leastLegendHeight() const {
    return kLeastBar + notesHeight();
}

void Scale::drawLegend(Canvas& canvas, Point place, double plotsHeight) const {
    // A single key finds its place beside the axis below the plots.
    const bool isBeside = wanted_.notes.empty() && !hasInfinite_;
    const double room = plotsHeight - (isBeside ? 0 : std::min(plotsHeight, notesHeight()));
    const Box bar{place.x, place.y, kBarWidth, std::clamp(room, kLeastBar, kLongestBar)};
    drawBar(canvas, bar);
    drawNotes(canvas, {place.x, place.y + bar.height + kNotesGap});
}

void Scale::drawBar(Canvas& canvas, const Box& bar) const {
    const double extent = maximum_ - minimum_;
    canvas.image(bar, [&](std::size_t, std::size_t y) {
        const double t = 1 - (static_cast<double>(y) + 0.5) / bar.height;
        return colorOf(static_cast<float>(minimum_ + t * extent));
    });
    canvas.frame(bar, kInk);

    const double step = niceStep(extent, kBarLabels);
    const auto label = [&](double value, const std::string& text) {
        const double y = bar.y + (maximum_ - value) / extent * bar.height;
        canvas.fill({bar.x + bar.width + 1, std::round(y - 0.5), kTick, 1}, kInk);
        canvas.text({bar.x + bar.width + kTick + kScaleTextGap, y + kLabelStyle.capitalHeight() / 2}, text,
                    kLabelStyle);
    };
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step))));
    const auto text = [&](double value, int digits) {
        constexpr double kTooLong = 1e7;
        return maximum_ < kTooLong ? fmt::format("{:.{}f}", value, digits) : fmt::format("{:.4g}", value);
    };
    const std::string unit = wanted_.valueLabel.empty() ? "" : " " + wanted_.valueLabel;
    label(minimum_, text(minimum_, decimals));
    label(maximum_, text(maximum_, wanted_.roundScale ? decimals : std::max(decimals, 1)) + unit);
    if (wanted_.threshold)
        label(*wanted_.threshold, fmt::format("{:.3g} {}", *wanted_.threshold, wanted_.thresholdLabel));
    // Ends and threshold are labelled with their own values; a tick too close to them would run into these.
    const double clearance = extent * 18 / bar.height;
    for (double k = std::ceil(minimum_ / step); k * step < maximum_; ++k) {
        const double value = k * step + 0.0;  // never "-0"
        const bool isAtThreshold = wanted_.threshold && std::abs(value - *wanted_.threshold) < clearance;
        if (value > minimum_ + clearance && value < maximum_ - clearance && !isAtThreshold)
            label(value, text(value, decimals));
    }
}

void Scale::drawNotes(Canvas& canvas, Point place) const {
    const auto key = [&](float value, const char* meaning) {
        const Box box{place.x, place.y, kBarWidth, kKeyHeight};
        canvas.image(box, [&](std::size_t x, std::size_t y) { return colorAt(value, x, y); });
        canvas.frame(box, kInk);
        canvas.text({place.x + kBarWidth + kTick + kScaleTextGap,
                     place.y + (kKeyHeight + kLabelStyle.capitalHeight()) / 2},
                    meaning, kLabelStyle);
        place.y += kKeyPitch;
    };
    if (hasUnknown_) key(std::numeric_limits<float>::quiet_NaN(), "unknown");
    if (hasInfinite_) key(std::numeric_limits<float>::infinity(), "infinite");
    for (const std::string& note : wanted_.notes) {
        canvas.text({place.x, place.y + 10}, note, kNoteStyle);
        place.y += kNotePitch;
    }
}

// ---- axes

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
