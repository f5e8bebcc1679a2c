#include "engine/picture/bar_chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/error.hpp"
#include "engine/picture/image.hpp"
#include "engine/picture/stroke_font.hpp"

namespace glycine::io {

namespace {

constexpr Color kBackground{255, 255, 255};
constexpr Color kInk{38, 38, 42};
constexpr Color kFaintInk{120, 120, 126};
constexpr Color kGrid{226, 226, 230};

// Sizes in pixels.
constexpr std::size_t kMargin = 28;
constexpr std::size_t kTitleHeight = 40;
constexpr std::size_t kLegendHeight = 34;
constexpr std::size_t kPlotWidth = 640;
constexpr std::size_t kLabelGap = 12;    ///< between a label and the axis
constexpr std::size_t kValueWidth = 90;  ///< right of the axis' end: the text of its longest bars
constexpr std::size_t kBarHeight = 14;
constexpr std::size_t kBarGap = 3;     ///< between the bars of a group
constexpr std::size_t kGroupGap = 15;  ///< between groups
constexpr std::size_t kHeadingHeight = 30;
constexpr std::size_t kAxisHeight = 56;
constexpr std::size_t kFooterLine = 20;
constexpr std::size_t kTick = 5;
constexpr std::size_t kSwatch = 12;

constexpr TextStyle kTitleStyle{14, 2.0, kInk, TextAnchor::Start, TextDirection::Right};
constexpr TextStyle kHeadingStyle{10, 1.7, kInk, TextAnchor::Start, TextDirection::Right};
constexpr TextStyle kLabelStyle{9, 1.25, kInk, TextAnchor::End, TextDirection::Right};
constexpr TextStyle kValueStyle{8, 1.15, kInk, TextAnchor::Start, TextDirection::Right};
constexpr TextStyle kNoteStyle{8, 1.1, kFaintInk, TextAnchor::Start, TextDirection::Right};

TextStyle withAnchor(TextStyle style, TextAnchor anchor) {
    style.anchor = anchor;
    return style;
}

/// Whole powers of ten.
struct LogAxis {
    int lowest = 0;
    int highest = 1;

    /// Pixels from the axis' left end.
    double position(double value) const {
        return (std::log10(value) - lowest) / (highest - lowest) * static_cast<double>(kPlotWidth);
    }
};

LogAxis axisFor(const std::vector<BarGroup>& groups) {
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0;
    for (const BarGroup& group : groups) {
        for (const Bar& bar : group.bars) {
            if (!bar.value) continue;
            if (!(*bar.value > 0) || !std::isfinite(*bar.value))
                throw UsageError("a logarithmic bar chart of a value that is not above 0: " + group.label);
            smallest = std::min(smallest, *bar.value);
            largest = std::max(largest, *bar.value);
        }
    }
    if (largest == 0) throw UsageError("a bar chart without any value");
    LogAxis axis;
    axis.lowest = static_cast<int>(std::floor(std::log10(smallest)));
    // The smallest bar keeps some length.
    if (std::log10(smallest) - axis.lowest < 0.1) --axis.lowest;
    axis.highest = std::max(axis.lowest + 1, static_cast<int>(std::ceil(std::log10(largest))));
    return axis;
}

std::size_t groupHeight(const BarGroup& group) {
    const auto bars =
        static_cast<std::size_t>(std::count_if(group.bars.begin(), group.bars.end(), [](const Bar& bar) {
            return bar.value.has_value() || !bar.note.empty();
        }));
    return std::max<std::size_t>(bars, 1) * (kBarHeight + kBarGap) - kBarGap;
}

/// The picture with what it is drawn from.
class BarChart {
  public:
    BarChart(const std::vector<BarSeries>& series, const std::vector<BarGroup>& groups,
             const BarChartOptions& options)
        : series_(series),
          groups_(groups),
          options_(options),
          axis_(axisFor(groups)),
          left_(kMargin + labelWidth() + kLabelGap),
          top_(kMargin + (options.title.empty() ? 0 : kTitleHeight) + kLegendHeight),
          bottom_(top_ + plotHeight()),
          image_(imageWidth(), bottom_ + kAxisHeight + options.footer.size() * kFooterLine + kMargin / 2,
                 kBackground) {}

    const Image& draw() {
        drawHead();
        drawGrid();
        std::size_t y = top_;
        for (const BarGroup& group : groups_) {
            if (!group.heading.empty()) {
                drawOverGrid(static_cast<double>(left_) + 8, static_cast<double>(y) + 18, group.heading,
                             kHeadingStyle);
                y += kHeadingHeight;
            }
            drawGroup(group, y);
            y += groupHeight(group) + kGroupGap;
        }
        for (std::size_t line = 0; line < options_.footer.size(); ++line)
            drawText(image_, kMargin, static_cast<double>(bottom_ + kAxisHeight + line * kFooterLine) + 12,
                     options_.footer[line], kNoteStyle);
        return image_;
    }

  private:
    std::size_t labelWidth() const {
        double widest = 0;
        for (const BarGroup& group : groups_) widest = std::max(widest, textLength(group.label, kLabelStyle));
        return static_cast<std::size_t>(std::ceil(widest));
    }
    std::size_t plotHeight() const {
        std::size_t height = kGroupGap / 2;
        for (const BarGroup& group : groups_)
            height += groupHeight(group) + kGroupGap + (group.heading.empty() ? 0 : kHeadingHeight);
        return height;
    }
    /// Title, notes and footer may reach beyond the axis.
    std::size_t imageWidth() const {
        double width = static_cast<double>(left_ + kPlotWidth + kValueWidth);
        const auto widen = [&width](double start, const std::string& text, const TextStyle& style) {
            width = std::max(width, start + textLength(text, style) + static_cast<double>(kMargin));
        };
        widen(kMargin, options_.title, kTitleStyle);
        for (const std::string& line : options_.footer) widen(kMargin, line, kNoteStyle);
        for (const BarGroup& group : groups_) {
            widen(static_cast<double>(left_) + 8, group.heading, kHeadingStyle);
            for (const Bar& bar : group.bars)
                if (!bar.value) widen(static_cast<double>(left_) + 8, bar.note, kNoteStyle);
        }
        return static_cast<std::size_t>(std::ceil(width));
    }

    void drawHead() {
        if (!options_.title.empty()) drawText(image_, kMargin, kMargin + 14, options_.title, kTitleStyle);
        double x = static_cast<double>(left_);
        const double y = static_cast<double>(top_ - kLegendHeight) + 4;
        const TextStyle style = withAnchor(kLabelStyle, TextAnchor::Start);
        for (const BarSeries& series : series_) {
            image_.fill(static_cast<std::size_t>(x), static_cast<std::size_t>(y), kSwatch, kSwatch,
                        series.color);
            drawText(image_, x + kSwatch + 7, y + 10.5, series.name, style);
            x += kSwatch + 7 + textLength(series.name, style) + 26;
        }
    }

    void drawGrid() {
        for (int power = axis_.lowest; power <= axis_.highest; ++power) {
            const double value = std::pow(10.0, power);
            const auto x = left_ + static_cast<std::size_t>(std::lround(axis_.position(value)));
            image_.fill(x, top_, 1, bottom_ - top_, power == axis_.lowest ? kInk : kGrid);
            image_.fill(x, bottom_, 1, kTick, kInk);
            drawText(image_, static_cast<double>(x) + 0.5, static_cast<double>(bottom_ + kTick) + 15,
                     options_.tickText(power), withAnchor(kValueStyle, TextAnchor::Middle));
        }
        image_.fill(left_, bottom_, kPlotWidth + 1, 1, kInk);
        drawText(image_, static_cast<double>(left_) + static_cast<double>(kPlotWidth) / 2,
                 static_cast<double>(bottom_) + 42, options_.axisLabel,
                 withAnchor(kLabelStyle, TextAnchor::Middle));
    }

    void drawGroup(const BarGroup& group, std::size_t top) {
        const double middle = static_cast<double>(top) + static_cast<double>(groupHeight(group)) / 2;
        drawText(image_, static_cast<double>(left_ - kLabelGap), middle + 4.5, group.label, kLabelStyle);
        std::size_t y = top;
        for (std::size_t b = 0; b < group.bars.size(); ++b) {
            const Bar& bar = group.bars[b];
            if (bar.value)
                drawBar(*bar.value, y, series_[b].color);
            else if (!bar.note.empty())
                drawOverGrid(static_cast<double>(left_) + 8, static_cast<double>(y) + 11, bar.note,
                             kNoteStyle);
            else
                continue;
            y += kBarHeight + kBarGap;
        }
    }

    void drawBar(double value, std::size_t y, Color color) {
        const auto length = static_cast<std::size_t>(std::lround(axis_.position(value)));
        image_.fill(left_ + 1, y, length, kBarHeight, color);
        const std::string text = options_.valueText(value);
        drawOverGrid(static_cast<double>(left_ + length) + 7, static_cast<double>(y) + 11, text, kValueStyle);
    }

    /// Text through which the lines of the grid do not run.
    void drawOverGrid(double x, double baseline, const std::string& text, const TextStyle& style) {
        constexpr double kPadding = 3;
        image_.fill(static_cast<std::size_t>(x - kPadding),
                    static_cast<std::size_t>(baseline - style.height - kPadding),
                    static_cast<std::size_t>(textLength(text, style) + 2 * kPadding),
                    static_cast<std::size_t>(style.height + 2 * kPadding), kBackground);
        drawText(image_, x, baseline, text, style);
    }

    const std::vector<BarSeries>& series_;
    const std::vector<BarGroup>& groups_;
    const BarChartOptions& options_;
    LogAxis axis_;
    std::size_t left_;
    std::size_t top_;
    std::size_t bottom_;
    Image image_;
};

}  // namespace

void writeBarChart(const std::filesystem::path& path, const std::vector<BarSeries>& series,
                   const std::vector<BarGroup>& groups, const BarChartOptions& options) {
    writePng(path, BarChart(series, groups, options).draw());
}

}  // namespace glycine::io
