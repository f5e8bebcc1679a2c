#include "engine/picture/heat_map.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/picture/canvas.hpp"

namespace glycine::picture {

std::pair<double, double> ColorRange::endsOf(std::vector<double> values) const {
    constexpr double kTail = 0.02;
    if (minimum && maximum) return {*minimum, *maximum};
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty()) return {minimum.value_or(0), maximum.value_or(1)};
    std::ranges::sort(values);
    const auto last = static_cast<double>(values.size() - 1);
    const auto at = [&](double share) { return values[static_cast<std::size_t>(std::lround(share * last))]; };
    if (isRobust) return {at(kTail), at(1 - kTail)};
    return {minimum.value_or(values.front()), maximum.value_or(values.back())};
}

namespace {

// Parts of heat maps: the colours of values with the bar that explains them, and axes.

class ColorScale {
  public:
    /// The scale of these panels; `wanted` must outlive it.
    ColorScale(std::span<const HeatMapPanel> panels, const HeatMapScale& wanted);

    /// The colour of a value at pixel (x, y); infinite values have stripes.
    Color colorAt(float value, std::size_t x, std::size_t y) const;

    /// Pixels that bar, labels and notes take to the right of the panels, and their least height.
    double legendWidth() const;
    double leastLegendHeight() const;
    /// Draws bar and notes with their upper left corner at `place`. The bar extends from the first to the
    /// last plot if that leaves room for the notes.
    void drawLegend(Canvas& canvas, Point place, double plotsHeight) const;

  private:
    Color colorOf(double value) const;
    double notesHeight() const;
    void drawBar(Canvas& canvas, const Box& bar) const;
    void drawNotes(Canvas& canvas, Point place) const;

    const HeatMapScale& wanted_;
    double minimum_ = 0;
    double maximum_ = 1;
    bool hasUnknown_ = false;
    bool hasInfinite_ = false;
};

/// Room next to plots, in pixels.
struct AxisRoom {
    double left = 0;
    double below = 0;
};

constexpr Color kUnknown{176, 176, 180};

// Sizes in pixels.
constexpr double kBarWidth = 18;
constexpr double kLabelWidth = 84;
constexpr double kLeastBar = 150;
constexpr double kLongestBar = 760;
constexpr double kNotesGap = 20;
constexpr double kKeyHeight = 12;
constexpr double kBarKeyPitch = 20;
constexpr double kNotePitch = 15;
constexpr double kScaleTextGap = 6;  ///< between a tick and its label

/// Approximate number of labels next to a colour bar.
constexpr int kBarLabels = 6;

Color greyBelow(double t) {
    constexpr double kLightest = 250;
    constexpr double kDarkest = 214;
    const auto grey = static_cast<std::uint8_t>(std::lround(kLightest + t * (kDarkest - kLightest)));
    return {grey, grey, grey};
}

ColorScale::ColorScale(std::span<const HeatMapPanel> panels, const HeatMapScale& wanted) : wanted_(wanted) {
    double smallest = 0;
    double largest = -std::numeric_limits<double>::infinity();
    for (const HeatMapPanel& panel : panels)
        for (std::size_t k = 0; k < panel.values.size(); ++k) {
            const float value = panel.values.data()[k];
            if (std::isnan(value)) {
                hasUnknown_ |= panel.hasDiagonal || k % (panel.values.columns() + 1) != 0;
            } else if (std::isinf(value)) {
                hasInfinite_ = true;
            } else {
                smallest = std::min<double>(smallest, value);
                largest = std::max<double>(largest, value);
            }
        }
    minimum_ = wanted.minimum.value_or(smallest);
    maximum_ = wanted.maximum.value_or(std::max(largest, smallest));
    // Give even a constant matrix a scale of some extent.
    if (!(maximum_ > minimum_)) maximum_ = minimum_ + 1;
    if (wanted.roundScale) {
        const double step = niceStep(maximum_ - minimum_, kBarLabels);
        constexpr double kRounding = 1e-6;  // relative to a step; values are float32
        minimum_ = std::floor(minimum_ / step + kRounding) * step;
        maximum_ = std::ceil(maximum_ / step - kRounding) * step;
    }
}

Color ColorScale::colorOf(double value) const {
    const double begin = wanted_.threshold.value_or(minimum_);
    if (value < begin && wanted_.threshold)
        return greyBelow(std::clamp((value - minimum_) / (begin - minimum_), 0.0, 1.0));
    const double t = std::clamp((value - begin) / (maximum_ - begin), 0.0, 1.0);
    return picture::colorOf(wanted_.colors, t);
}

Color ColorScale::colorAt(float value, std::size_t x, std::size_t y) const {
    if (std::isnan(value)) return kUnknown;
    constexpr std::size_t kStripe = 3;
    if (std::isinf(value)) return (x + y) / kStripe % 2 == 0 ? kInk : kBackground;
    return colorOf(value);
}

double ColorScale::legendWidth() const {
    double width = kBarWidth + kLabelWidth;
    for (const std::string& note : wanted_.notes) width = std::max(width, textLength(note, kNoteStyle));
    for (const ColorKey& entry : wanted_.key)
        width = std::max(width, kBarWidth + kTick + kScaleTextGap + textLength(entry.label, kLabelStyle));
    if (!wanted_.thresholdLabel.empty())
        width = std::max(width, kBarWidth + kTick + kScaleTextGap +
                                    textLength("0.00 " + wanted_.thresholdLabel, kLabelStyle));
    return std::ceil(width);
}

double ColorScale::notesHeight() const {
    const int keys = (hasUnknown_ ? 1 : 0) + (hasInfinite_ ? 1 : 0) + static_cast<int>(wanted_.key.size());
    if (keys == 0 && wanted_.notes.empty()) return 0;
    return kNotesGap + keys * kBarKeyPitch + static_cast<double>(wanted_.notes.size()) * kNotePitch;
}

double ColorScale::leastLegendHeight() const {
    return kLeastBar + notesHeight();
}

void ColorScale::drawLegend(Canvas& canvas, Point place, double plotsHeight) const {
    // A single key fits next to the axis below the plots.
    const bool isBeside = wanted_.notes.empty() && wanted_.key.empty() && !hasInfinite_;
    const double room = plotsHeight - (isBeside ? 0 : std::min(plotsHeight, notesHeight()));
    const Box bar{place.x, place.y, kBarWidth, std::clamp(room, kLeastBar, kLongestBar)};
    drawBar(canvas, bar);
    drawNotes(canvas, {place.x, place.y + bar.height + kNotesGap});
}

void ColorScale::drawBar(Canvas& canvas, const Box& bar) const {
    const double extent = maximum_ - minimum_;
    canvas.image(bar, [&](std::size_t, std::size_t y) {
        const double t = 1 - (static_cast<double>(y) + 0.5) / bar.height;
        return colorOf(static_cast<float>(minimum_ + t * extent));
    });
    canvas.frame(bar, kInk);

    constexpr double kLeastPitch = 20;
    double step = niceStep(extent, kBarLabels);
    for (int labels = kBarLabels - 1; labels > 0 && step / extent * bar.height < kLeastPitch; --labels)
        step = niceStep(extent, labels);
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
    // Ends and threshold show their own values; a tick too close would overlap their labels.
    const double clearance = extent * 18 / bar.height;
    for (double k = std::ceil(minimum_ / step); k * step < maximum_; ++k) {
        const double value = k * step + 0.0;  // adding 0 avoids "-0"
        const bool isAtThreshold = wanted_.threshold && std::abs(value - *wanted_.threshold) < clearance;
        if (value > minimum_ + clearance && value < maximum_ - clearance && !isAtThreshold)
            label(value, text(value, decimals));
    }
}

void ColorScale::drawNotes(Canvas& canvas, Point place) const {
    const auto key = [&](const auto& colorIn, const std::string& meaning) {
        const Box box{place.x, place.y, kBarWidth, kKeyHeight};
        canvas.image(box, colorIn);
        canvas.frame(box, kInk);
        canvas.text({place.x + kBarWidth + kTick + kScaleTextGap,
                     place.y + (kKeyHeight + kLabelStyle.capitalHeight()) / 2},
                    meaning, kLabelStyle);
        place.y += kBarKeyPitch;
    };
    const auto keyOf = [&](float value, const char* meaning) {
        key([&](std::size_t x, std::size_t y) { return colorAt(value, x, y); }, meaning);
    };
    if (hasUnknown_) keyOf(std::numeric_limits<float>::quiet_NaN(), "unknown");
    if (hasInfinite_) keyOf(std::numeric_limits<float>::infinity(), "infinite");
    for (const ColorKey& entry : wanted_.key)
        key([&](std::size_t x,
                std::size_t y) { return isHatched(entry.round, x, y) ? kBackground : entry.color; },
            entry.label);
    for (const std::string& note : wanted_.notes) {
        canvas.text({place.x, place.y + 10}, note, kNoteStyle);
        place.y += kNotePitch;
    }
}

// ---- axes

// Sizes in pixels.
constexpr double kNumbersLeft = 76;
constexpr double kNumbersBelow = 50;
constexpr double kLongestRowName = 220;
constexpr double kLongestColumnName = 130;
constexpr double kLeastPitch = 8;  ///< from one name to the next
constexpr double kAxisNameGap = 4;
constexpr double kLabelRoom = 34;  ///< for the name of the axis, with a margin
constexpr double kStrip = 12;      ///< between a plot and its axes: item colours and their gap
constexpr double kTreeHeight = 90;

/// One axis: `cells` of the picture and `items` of the matrix over `pixels`.
struct Axis {
    const std::vector<std::string>& names;
    std::size_t cells;
    std::size_t items;
    double pixels;
    double longestName;  ///< longest name in pixels
    const std::vector<AxisMark>& marks;

    double pitch() const { return pixels / static_cast<double>(items); }
    bool hasNames() const { return names.size() == items && cells == items && pitch() >= kLeastPitch; }
    /// The pixel at the middle of an item, from the beginning of the axis. Items count from 0.
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
    return {panel.rowNames, panel.values.rows(), panel.rows, plot.height, kLongestRowName, panel.marks};
}
Axis columnAxis(const HeatMapPanel& panel, const Box& plot) {
    return {panel.columnNames, panel.values.columns(), panel.columns,
            plot.width,        kLongestColumnName,     panel.marks};
}

double roomFor(const Axis& axis, double withNumbers) {
    return axis.hasNames() ? kTick + kAxisNameGap + axis.namesLength() + kLabelRoom : withNumbers;
}

/// Ticks of an axis without names: items, counted from 1, and their texts. These are the axis' own marks, or
/// about five numbers if there is room.
std::vector<std::pair<std::size_t, std::string>> ticksOf(const Axis& axis) {
    constexpr double kPixelsPerTick = 40;
    std::vector<std::pair<std::size_t, std::string>> ticks;
    if (!axis.marks.empty()) {
        constexpr double kPixelsPerLetter = 8;
        double next = 0;
        for (const AxisMark& mark : axis.marks) {
            const double middle = axis.middle(mark.item);
            if (mark.text.empty() || middle < next) continue;
            next = middle + std::max(kPixelsPerTick, kPixelsPerLetter * double(mark.text.size() + 1));
            ticks.emplace_back(mark.item + 1, mark.text);
        }
        return ticks;
    }
    ticks.emplace_back(1, "1");
    if (axis.items == 1) return ticks;
    const int count = std::clamp(static_cast<int>(axis.pixels / kPixelsPerTick), 1, 5);
    const auto step =
        static_cast<std::size_t>(std::max(1.0, niceStep(static_cast<double>(axis.items), count)));
    for (std::size_t tick = step; tick <= axis.items; tick += step)
        if (tick > step / 2 && tick != 1) ticks.emplace_back(tick, fmt::format("{}", tick));
    return ticks;
}

/// Room that the axes of a plot of this size need.
AxisRoom roomForAxes(const HeatMapPanel& panel, const Box& plot) {
    const double strip = panel.itemSigns.empty() ? 0 : kStrip;
    return {roomFor(rowAxis(panel, plot), kNumbersLeft) + strip,
            roomFor(columnAxis(panel, plot), kNumbersBelow) + strip};
}

/// Draws the strip of item signs, along x or y.
void drawSigns(Canvas& canvas, const Box& box, const std::vector<GroupSign>& signs, bool isAlongX) {
    if (signs.empty()) return;
    const double side = isAlongX ? box.width : box.height;
    canvas.image(box, [&](std::size_t x, std::size_t y) {
        const double place = (static_cast<double>(isAlongX ? x : y) + 0.5) / side;
        const GroupSign& sign = signs[static_cast<std::size_t>(place * static_cast<double>(signs.size()))];
        return isHatched(sign.round, x, y) ? kBackground : sign.color;
    });
}

void drawBrackets(Canvas& canvas, const Box& plot, const HeatMapPanel& panel) {
    // If all stems are long, they hide the tree, so it begins slightly below its lowest joint.
    double highest = 0, lowest = std::numeric_limits<double>::infinity();
    for (const HeatMapBracket& bracket : panel.brackets) {
        highest = std::max(highest, bracket.height);
        lowest = std::min(lowest, bracket.height);
    }
    const double base = std::max(0.0, lowest - (highest - lowest) / 8);
    const double pitch = plot.width / static_cast<double>(panel.columns);
    const auto place = [&](double item, double height) {
        const double share = highest > base ? std::clamp((height - base) / (highest - base), 0.0, 1.0) : 0;
        return Point{plot.x + (item + 0.5) * pitch, plot.y - 3 - share * (kTreeHeight - 8)};
    };
    for (const HeatMapBracket& bracket : panel.brackets) {
        const Point points[] = {place(bracket.left, bracket.leftHeight), place(bracket.left, bracket.height),
                                place(bracket.right, bracket.height),
                                place(bracket.right, bracket.rightHeight)};
        canvas.line(points, kInk, std::clamp(pitch / 4, 0.25, 0.8));
    }
}

/// Draws ticks, with names if all fit, otherwise with some numbers, and the name of the axis at a distance of
/// `room` from the plot.
void drawRowAxis(Canvas& canvas, const Box& plot, const HeatMapPanel& panel, const std::string& label,
                 const AxisRoom& room) {
    const Axis axis = rowAxis(panel, plot);
    const double left = plot.x - 1 - (panel.itemSigns.empty() ? 0 : kStrip);
    drawSigns(canvas, {left + 1, plot.y, kStrip - 2, plot.height}, panel.itemSigns, false);
    const auto drawTick = [&](std::size_t item, const std::string& text, const TextStyle& style) {
        const double y = plot.y + axis.middle(item);
        canvas.fill({left - kTick, y, kTick, 1}, kInk);
        canvas.text({left - kTick - kAxisNameGap, y + 0.5 + style.capitalHeight() / 2}, text, style);
    };
    if (axis.hasNames()) {
        const TextStyle style = axis.nameStyle(TextDirection::Right);
        for (std::size_t k = 0; k < axis.items; ++k) drawTick(k, axis.shownName(k, style), style);
    } else {
        for (const auto& [tick, text] : ticksOf(axis))
            drawTick(tick - 1, text, kLabelStyle.anchored(TextAnchor::End));
    }
    canvas.text({plot.x - room.left + 22, plot.y + plot.height / 2}, label,
                kLabelStyle.anchored(TextAnchor::Middle, TextDirection::Up));
}

void drawColumnAxis(Canvas& canvas, const Box& plot, const HeatMapPanel& panel, const std::string& label,
                    const AxisRoom& room) {
    const Axis axis = columnAxis(panel, plot);
    const double strip = panel.itemSigns.empty() ? 0 : kStrip;
    drawSigns(canvas, {plot.x, plot.y + plot.height + 2, plot.width, kStrip - 2}, panel.itemSigns, true);
    const double bottom = plot.y + plot.height + 1 + strip;
    const auto drawTick = [&](std::size_t item) {
        const double x = plot.x + axis.middle(item);
        canvas.fill({x, bottom, 1, kTick}, kInk);
        return x + 0.5;
    };
    if (axis.hasNames()) {
        const TextStyle style = axis.nameStyle(TextDirection::Up);
        for (std::size_t k = 0; k < axis.items; ++k)
            canvas.text({drawTick(k) + style.capitalHeight() / 2, bottom + kTick + kAxisNameGap},
                        axis.shownName(k, style), style);
    } else {
        for (const auto& [tick, text] : ticksOf(axis))
            canvas.text({drawTick(tick - 1), bottom + kTick + 13}, text,
                        kLabelStyle.anchored(TextAnchor::Middle));
    }
    canvas.text({plot.x + plot.width / 2, bottom - 1 - strip + room.below - 14}, label,
                kLabelStyle.anchored(TextAnchor::Middle));
}

// Sizes in pixels.
constexpr double kMargin = 26;
constexpr double kMapTitleHeight = 44;
constexpr double kNoTitleHeight = 6;
constexpr double kPanelTitleHeight = 30;
constexpr double kSubtitleHeight = 15;
constexpr double kPanelGap = 6;
constexpr double kSharedGap = 18;  ///< between panels without their own axes
constexpr double kColourBarGap = 24;
constexpr double kFooterHeight = 22;
constexpr double kLongestText = 2000;
constexpr double kNarrowPlot = 300;  ///< below this width, titles are small

constexpr TextStyle kPanelTitleStyle{.size = 15};

/// Pixels of a plot with this many cells: integer multiples, so that all cells look alike.
double plotPixels(std::size_t cells, const HeatMapPage& page) {
    const std::size_t cell = std::max<std::size_t>(1, (page.plotSide + cells / 2) / cells);
    return static_cast<double>(cells * std::min(cell, page.maximumCell));
}

Box plotOf(const HeatMapPanel& panel, const HeatMapPage& page) {
    return {0, 0, plotPixels(panel.values.columns(), page), plotPixels(panel.values.rows(), page)};
}

bool haveSameAxes(std::span<const HeatMapPanel> panels) {
    return std::all_of(panels.begin(), panels.end(), [&](const HeatMapPanel& panel) {
        return panel.rows == panels[0].rows && panel.columns == panels[0].columns &&
               panel.rowNames == panels[0].rowNames && panel.columnNames == panels[0].columnNames;
    });
}

void drawCells(Canvas& canvas, const Box& plot, const HeatMapPanel& panel, const ColorScale& scale) {
    const auto cellHeight = static_cast<std::size_t>(plot.height) / panel.values.rows();
    const auto cellWidth = static_cast<std::size_t>(plot.width) / panel.values.columns();
    canvas.image(plot, [&](std::size_t x, std::size_t y) {
        return scale.colorAt(panel.values(y / cellHeight, x / cellWidth), x, y);
    });
    // Lines that lie closer together would hide the cells.
    constexpr double kLeastPixelsBetweenLines = 8;
    const auto lines = std::ranges::count(panel.marks, true, &AxisMark::isBoundary);
    const bool hasLines = plot.width >= kLeastPixelsBetweenLines * static_cast<double>(lines);
    for (const AxisMark& mark : panel.marks) {
        if (!mark.isBoundary || !hasLines) continue;
        const double share = static_cast<double>(mark.item) / static_cast<double>(panel.rows);
        canvas.fill({plot.x, plot.y + std::round(share * plot.height), plot.width, 1}, kInk);
        canvas.fill({plot.x + std::round(share * plot.width), plot.y, 1, plot.height}, kInk);
    }
    canvas.frame(plot, kInk);
}

double treeHeight(const HeatMapSection& section) {
    const auto hasTree = [](const HeatMapPanel& panel) { return !panel.brackets.empty(); };
    return std::ranges::any_of(section.panels, hasTree) ? kTreeHeight : 0;
}

/// Pixels above each plot.
double titleHeight(const HeatMapSection& section) {
    double height = kNoTitleHeight;
    for (const HeatMapPanel& panel : section.panels) {
        if (!panel.title.empty()) height = std::max(height, kPanelTitleHeight);
        if (!panel.subtitle.empty()) height = kPanelTitleHeight + kSubtitleHeight;
    }
    return height + treeHeight(section);
}

/// The panels of a section in rows, with the legend to their right.
class SectionLayout {
  public:
    /// Every plot of the page gets the room of `plot`, with `axes` next to it. Section and page must outlive
    /// the layout.
    SectionLayout(const HeatMapSection& section, const HeatMapPage& page, const Box& plot, AxisRoom axes)
        : section_(section),
          page_(page),
          scale_(section.panels, section.scale),
          perRow_(std::clamp<std::size_t>(section.panelsPerRow, 1, section.panels.size())),
          rows_((section.panels.size() + perRow_ - 1) / perRow_),
          isShared_(page.sharedAxes && haveSameAxes(section.panels)),
          isNarrow_(plot.width < kNarrowPlot),
          axes_(axes),
          titleHeight_(titleHeight(section)) {
        pitchX_ = plot.width + (isShared_ ? kSharedGap : axes_.left + kPanelGap);
        pitchY_ = titleHeight_ + plot.height + (isShared_ ? kPanelGap : axes_.below);
        plotsHeight_ = static_cast<double>(rows_ - 1) * pitchY_ + plot.height;
    }

    double width() const { return gridWidth() + kColourBarGap + scale_.legendWidth(); }
    double height() const {
        return titleHeight_ + std::max(plotsHeight_ + axes_.below, scale_.leastLegendHeight() + kPanelGap);
    }

    void draw(Canvas& canvas, Point place) const {
        for (std::size_t k = 0; k < section_.panels.size(); ++k) {
            const HeatMapPanel& panel = section_.panels[k];
            Box plot = plotOf(panel, page_);
            plot.x = place.x + axes_.left + static_cast<double>(k % perRow_) * pitchX_;
            plot.y = place.y + titleHeight_ + static_cast<double>(k / perRow_) * pitchY_;
            drawTitle(canvas, plot, panel);
            drawCells(canvas, plot, panel, scale_);
            drawBrackets(canvas, plot, panel);
            const bool isLeftmost = k % perRow_ == 0;
            const bool isLowest = k + perRow_ >= section_.panels.size();
            if (isLeftmost || !isShared_) drawRowAxis(canvas, plot, panel, page_.rowLabel, axes_);
            if (isLowest || !isShared_) drawColumnAxis(canvas, plot, panel, page_.columnLabel, axes_);
        }
        scale_.drawLegend(canvas, {place.x + gridWidth() + kColourBarGap, place.y + titleHeight_},
                          plotsHeight_);
    }

  private:
    double gridWidth() const { return static_cast<double>(perRow_) * pitchX_ + (isShared_ ? axes_.left : 0); }
    void drawTitle(Canvas& canvas, const Box& plot, const HeatMapPanel& panel) const {
        // Titles may extend over the axes, but must not overlap.
        const double room = perRow_ > 1 ? pitchX_ - kPanelGap : plot.width + 2 * axes_.left;
        const TextStyle style = (isNarrow_ ? kLabelStyle : kPanelTitleStyle).anchored(TextAnchor::Middle);
        const TextStyle small = kNoteStyle.anchored(TextAnchor::Middle);
        Point middle{plot.x + plot.width / 2, plot.y - 11 - treeHeight(section_)};
        if (!panel.subtitle.empty()) {
            canvas.text(middle, shortenText(panel.subtitle, room, small), small);
            middle.y -= kSubtitleHeight;
        }
        canvas.text(middle, shortenText(panel.title, room, style), style);
    }

    const HeatMapSection& section_;
    const HeatMapPage& page_;
    ColorScale scale_;
    std::size_t perRow_;
    std::size_t rows_;
    bool isShared_;
    bool isNarrow_;
    AxisRoom axes_;
    double titleHeight_;
    double pitchX_ = 0;
    double pitchY_ = 0;
    double plotsHeight_ = 0;
};

/// Positions of all parts of a page. Sections and page must outlive it.
struct PageLayout {
    std::vector<SectionLayout> sections;
    double contentWidth = 0;
    std::string title;
    std::string footer;
    double top = 0;
    double width = 0;
    double height = 0;
};

double asideWidth(const HeatMapPage& page) {
    return static_cast<double>(page.plotSide) + kColourBarGap;
}

PageLayout layOut(std::span<const HeatMapSection> sections, const HeatMapPage& page) {
    Box plot;
    AxisRoom axes;
    for (const HeatMapSection& section : sections)
        for (const HeatMapPanel& panel : section.panels) {
            const Box own = plotOf(panel, page);
            const AxisRoom room = roomForAxes(panel, own);
            plot = {0, 0, std::max(plot.width, own.width), std::max(plot.height, own.height)};
            axes = {std::max(axes.left, room.left), std::max(axes.below, room.below)};
        }

    PageLayout result;
    double contentHeight = 0;
    for (const HeatMapSection& section : sections) {
        if (section.panels.empty()) continue;
        const SectionLayout& layout = result.sections.emplace_back(section, page, plot, axes);
        result.contentWidth = std::max(result.contentWidth, kMargin / 2 + layout.width() + kMargin / 2);
        contentHeight += layout.height();
    }
    if (result.sections.empty()) throw UsageError("a picture of heat maps without any");
    if (page.aside) result.contentWidth += asideWidth(page);
    result.top = kMargin + (page.title.empty() ? 0 : kMapTitleHeight);
    const double bottom = kMargin / 2 + (page.footer.empty() ? 0 : kFooterHeight);
    // A small matrix may be narrower than its texts, but a long command must not make a picture too wide for
    // screens.
    const double textRoom = std::max(result.contentWidth - 2 * kMargin, kLongestText);
    result.title = shortenText(page.title, textRoom, kTitleStyle);
    result.footer = shortenText(page.footer, textRoom, kNoteStyle);
    const double textWidth =
        std::max(textLength(result.title, kTitleStyle), textLength(result.footer, kNoteStyle));
    result.width = std::max(result.contentWidth, std::ceil(textWidth) + 2 * kMargin);
    result.height = std::ceil(result.top + contentHeight + bottom);
    return result;
}

}  // namespace

HeatMapPanel makeHeatMapPanel(std::string title, std::size_t rows, std::size_t columns,
                              const std::function<void(std::size_t row, float* values)>& rowValues,
                              std::size_t maxSide, InfiniteElements infinite) {
    if (rows == 0 || columns == 0 || maxSide == 0) throw UsageError("a heat map of an empty matrix");
    HeatMapPanel panel;
    panel.title = std::move(title);
    panel.rows = rows;
    panel.columns = columns;
    panel.values = Matrix<float>(std::min(rows, maxSide), std::min(columns, maxSide));
    const auto isKnown = [infinite](float value) {
        return infinite == InfiniteElements::Kept ? !std::isnan(value) : std::isfinite(value);
    };
    const std::size_t cellRows = panel.values.rows();
    const std::size_t cellColumns = panel.values.columns();
    struct Workspace {
        std::vector<float> values;
        std::vector<double> sums;
        std::vector<std::size_t> counts;
    };
    const int threads = omp_get_max_threads();
    std::vector<Workspace> workspaces(static_cast<std::size_t>(threads));
    parallelFor(threads, cellRows, [&](std::size_t cellRow, std::size_t thread) {
        auto& [values, sums, counts] = workspaces[thread];
        values.resize(columns);
        sums.assign(cellColumns, 0);
        counts.assign(cellColumns, 0);
        const std::size_t firstRow = cellRow * rows / cellRows;
        const std::size_t lastRow = (cellRow + 1) * rows / cellRows;
        for (std::size_t row = firstRow; row < lastRow; ++row) {
            throwIfCancellationRequested();
            rowValues(row, values.data());
            for (std::size_t cell = 0; cell < cellColumns; ++cell)
                for (std::size_t j = cell * columns / cellColumns; j < (cell + 1) * columns / cellColumns;
                     ++j)
                    if (isKnown(values[j])) {
                        sums[cell] += values[j];
                        ++counts[cell];
                    }
        }
        for (std::size_t cell = 0; cell < cellColumns; ++cell) {
            const std::size_t width = (cell + 1) * columns / cellColumns - cell * columns / cellColumns;
            const bool isCellKnown = 2 * counts[cell] >= width * (lastRow - firstRow);
            panel.values(cellRow, cell) =
                isCellKnown ? static_cast<float>(sums[cell] / static_cast<double>(counts[cell]))
                            : std::numeric_limits<float>::quiet_NaN();
        }
    });
    return panel;
}

void checkHeatMaps(const std::filesystem::path& path, std::span<const HeatMapSection> sections,
                   const HeatMapPage& page) {
    const PageLayout layout = layOut(sections, page);
    requirePageSize(path, layout.width, layout.height);
}

void writeHeatMaps(const std::filesystem::path& path, std::span<const HeatMapSection> sections,
                   const HeatMapPage& page) {
    const PageLayout layout = layOut(sections, page);
    const auto opened = openCanvas(path, layout.width, layout.height);
    Canvas& canvas = *opened;
    canvas.text({layout.width / 2, kMargin + 14}, layout.title, kTitleStyle.anchored(TextAnchor::Middle));
    Point place{kMargin / 2 + std::floor((layout.width - layout.contentWidth) / 2), layout.top};
    if (page.aside) {
        const auto side = static_cast<double>(page.plotSide);
        page.aside(canvas, {place.x + kMargin / 2, place.y + titleHeight(sections.front()), side, side});
        place.x += asideWidth(page);
    }
    for (const SectionLayout& section : layout.sections) {
        section.draw(canvas, place);
        place.y += section.height();
    }
    canvas.text({kMargin, layout.height - kMargin / 2 - 4}, layout.footer, kNoteStyle);
    canvas.save();
}

}  // namespace glycine::picture
