#include "engine/picture/bar_chart.hpp"

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/picture/log_axis.hpp"
#include "engine/picture/style.hpp"

namespace glycine::picture {

namespace {

// Sizes in pixels.
constexpr double kMargin = 28;
constexpr double kTitleHeight = 40;
constexpr double kLegendHeight = 34;
constexpr double kPlotWidth = 640;
constexpr double kLabelGap = 12;    ///< between a label and the axis
constexpr double kValueWidth = 90;  ///< right of the axis' end: the text of its longest bars
constexpr double kBarHeight = 14;
constexpr double kBarGap = 3;     ///< between the bars of a group
constexpr double kGroupGap = 15;  ///< between groups
constexpr double kHeadingHeight = 30;
constexpr double kAxisHeight = 56;
constexpr double kFooterLine = 20;
constexpr double kSwatch = 12;
constexpr double kNoteGap = 8;  ///< between the axis and text in a bar's place

/// Whole powers of ten.
LogAxis axisFor(const std::vector<BarGroup>& groups) {
    LogExtent extent;
    for (const BarGroup& group : groups)
        for (const Bar& bar : group.bars)
            if (bar.value) extent.add(*bar.value, group.label);
    if (extent.isEmpty()) throw UsageError("a bar chart without any value");
    double lowest = std::floor(std::log10(extent.smallest));
    // The smallest bar keeps some length.
    if (std::log10(extent.smallest) - lowest < 0.1) --lowest;
    return {lowest, std::max(lowest + 1, std::ceil(std::log10(extent.largest))), kPlotWidth};
}

double groupHeight(const BarGroup& group) {
    const auto bars = std::count_if(group.bars.begin(), group.bars.end(),
                                    [](const Bar& bar) { return bar.value || !bar.note.empty(); });
    return static_cast<double>(std::max<std::ptrdiff_t>(bars, 1)) * (kBarHeight + kBarGap) - kBarGap;
}

/// The picture with what it is drawn from.
class BarChart {
  public:
    BarChart(const std::filesystem::path& path, const std::vector<BarSeries>& series,
             const std::vector<BarGroup>& groups, const BarChartOptions& options)
        : series_(series),
          groups_(groups),
          options_(options),
          axis_(axisFor(groups)),
          left_(kMargin + labelWidth() + kLabelGap),
          top_(kMargin + (options.title.empty() ? 0 : kTitleHeight) + kLegendHeight),
          bottom_(top_ + plotHeight()),
          canvas_(path, pageWidth(),
                  bottom_ + kAxisHeight + static_cast<double>(options.footer.size()) * kFooterLine +
                      kMargin / 2) {}

    void draw() {
        drawHead();
        drawGrid();
        double y = top_;
        for (const BarGroup& group : groups_) {
            if (!group.heading.empty()) {
                drawOverGrid({left_ + kNoteGap, y + 18}, group.heading, kHeadingStyle);
                y += kHeadingHeight;
            }
            drawGroup(group, y);
            y += groupHeight(group) + kGroupGap;
        }
        Point place{kMargin, bottom_ + kAxisHeight + 12};
        for (const std::string& line : options_.footer) {
            canvas_.text(place, line, kNoteStyle);
            place.y += kFooterLine;
        }
        canvas_.save();
    }

  private:
    double labelWidth() const {
        double widest = 0;
        for (const BarGroup& group : groups_) widest = std::max(widest, textLength(group.label, kLabelStyle));
        return std::ceil(widest);
    }
    double plotHeight() const {
        double height = std::floor(kGroupGap / 2);
        for (const BarGroup& group : groups_)
            height += groupHeight(group) + kGroupGap + (group.heading.empty() ? 0 : kHeadingHeight);
        return height;
    }
    /// Title, notes and footer may reach beyond the axis.
    double pageWidth() const {
        double width = left_ + kPlotWidth + kValueWidth;
        const auto widen = [&width](double start, const std::string& text, const TextStyle& style) {
            width = std::max(width, start + textLength(text, style) + kMargin);
        };
        widen(kMargin, options_.title, kTitleStyle);
        for (const std::string& line : options_.footer) widen(kMargin, line, kNoteStyle);
        for (const BarGroup& group : groups_) {
            widen(left_ + kNoteGap, group.heading, kHeadingStyle);
            for (const Bar& bar : group.bars)
                if (!bar.value) widen(left_ + kNoteGap, bar.note, kNoteStyle);
        }
        return std::ceil(width);
    }

    void drawHead() {
        canvas_.text({kMargin, kMargin + 14}, options_.title, kTitleStyle);
        Point place{left_, top_ - kLegendHeight + 4};
        for (const BarSeries& series : series_) {
            canvas_.fill({place.x, place.y, kSwatch, kSwatch}, series.color);
            place.x += kSwatch + 7;
            canvas_.text({place.x, place.y + 10.5}, series.name, kLabelStyle);
            place.x = std::ceil(place.x + textLength(series.name, kLabelStyle)) + 26;
        }
    }

    void drawGrid() {
        for (double power = axis_.lowest; power <= axis_.highest; ++power) {
            const double x = left_ + std::round(axis_.position(std::pow(10.0, power)));
            canvas_.fill({x, top_, 1, bottom_ - top_}, power == axis_.lowest ? kInk : kGrid);
            canvas_.fill({x, bottom_, 1, kTick}, kInk);
            canvas_.text({x + 0.5, bottom_ + kTick + 15}, options_.tickText(static_cast<int>(power)),
                         kSmallStyle.anchored(TextAnchor::Middle));
        }
        canvas_.fill({left_, bottom_, kPlotWidth + 1, 1}, kInk);
        canvas_.text({left_ + kPlotWidth / 2, bottom_ + 42}, options_.axisLabel,
                     kLabelStyle.anchored(TextAnchor::Middle));
    }

    void drawGroup(const BarGroup& group, double y) {
        canvas_.text({left_ - kLabelGap, y + groupHeight(group) / 2 + kLabelStyle.capitalHeight() / 2},
                     group.label, kLabelStyle.anchored(TextAnchor::End));
        for (std::size_t b = 0; b < group.bars.size(); ++b) {
            const Bar& bar = group.bars[b];
            if (bar.value)
                drawBar(*bar.value, y, series_[b].color);
            else if (!bar.note.empty())
                drawOverGrid({left_ + kNoteGap, y + 11}, bar.note, kNoteStyle);
            else
                continue;
            y += kBarHeight + kBarGap;
        }
    }

    void drawBar(double value, double y, Color color) {
        const double length = std::round(axis_.position(value));
        canvas_.fill({left_ + 1, y, length, kBarHeight}, color);
        drawOverGrid({left_ + length + 7, y + 11}, options_.valueText(value), kSmallStyle);
    }

    /// Text through which the lines of the grid do not run.
    void drawOverGrid(Point place, const std::string& text, const TextStyle& style) {
        constexpr double kPadding = 3;
        canvas_.fill({place.x - kPadding, std::floor(place.y - style.capitalHeight()) - kPadding,
                      std::ceil(textLength(text, style)) + 2 * kPadding,
                      std::ceil(style.capitalHeight()) + 2 * kPadding},
                     kBackground);
        canvas_.text(place, text, style);
    }

    const std::vector<BarSeries>& series_;
    const std::vector<BarGroup>& groups_;
    const BarChartOptions& options_;
    LogAxis axis_;
    double left_;
    double top_;
    double bottom_;
    Canvas canvas_;
};

}  // namespace

void writeBarChart(const std::filesystem::path& path, const std::vector<BarSeries>& series,
                   const std::vector<BarGroup>& groups, const BarChartOptions& options) {
    BarChart(path, series, groups, options).draw();
}

}  // namespace glycine::picture
