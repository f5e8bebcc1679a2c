#include "engine/picture/line_chart.hpp"

#include <algorithm>
#include <cmath>

#include "engine/picture/log_axis.hpp"
#include "engine/picture/style.hpp"

namespace glycine::picture {

namespace {

// Sizes in pixels.
constexpr double kMargin = 28;
constexpr double kTitleHeight = 40;
constexpr double kPlotWidth = 620;
constexpr double kPlotHeight = 460;
constexpr double kAxisLabelRoom = 26;  ///< for the name of the y axis
constexpr double kTextGap = 5;
constexpr double kAxisHeight = 58;
constexpr double kLegendGap = 24;
constexpr double kLegendPitch = 22;
constexpr double kKeyWidth = 34;
constexpr double kFooterLine = 20;
constexpr double kMarker = 9;
constexpr double kLineWidth = 2;
constexpr double kAir = 0.03;  ///< around the points, as a share of the axis

Marker markerOf(std::size_t k) {
    constexpr Marker kMarkers[] = {Marker::Disc,    Marker::Square, Marker::Triangle,
                                   Marker::Diamond, Marker::Cross,  Marker::Wedge};
    return kMarkers[k % std::size(kMarkers)];
}

/// The points with some air around them.
LogAxis axisOver(const LogExtent& extent, double length) {
    double lowest = std::log10(extent.smallest);
    double highest = std::log10(extent.largest);
    // A single value still gets an axis of some extent.
    const double air = std::max(kAir * (highest - lowest), 0.1);
    lowest -= air;
    highest += air;
    return {lowest, highest, length};
}

/// Powers of ten where the axis holds three or more of them, else 1, 2 and 5 times such powers.
std::vector<double> roundTicks(const LogAxis& axis) {
    const bool areDense = std::floor(axis.highest) - std::ceil(axis.lowest) < 2;
    std::vector<double> ticks;
    for (double power = std::floor(axis.lowest); power <= axis.highest; ++power)
        for (const double mantissa : {1.0, 2.0, 5.0}) {
            if (mantissa > 1 && !areDense) continue;
            const double value = mantissa * std::pow(10, power);
            const double logarithm = std::log10(value);
            if (logarithm >= axis.lowest && logarithm <= axis.highest) ticks.push_back(value);
        }
    return ticks;
}

/// The picture with what it is drawn from.
class LineChart {
  public:
    LineChart(const std::filesystem::path& path, const std::vector<LineSeries>& series,
              const LineChartOptions& options)
        : series_(series), options_(options) {
        LogExtent x;
        LogExtent y;
        for (const LineSeries& line : series)
            for (const Point& point : line.points) {
                x.add(point.x, line.name);
                y.add(point.y, line.name);
            }
        if (x.isEmpty()) throw UsageError("a line chart without any point");
        x_ = axisOver(x, kPlotWidth);
        y_ = axisOver(y, kPlotHeight);
        xTicks_ = options.xTicks.empty() ? roundTicks(x_) : options.xTicks;
        yTicks_ = roundTicks(y_);

        plot_ = {kMargin + kAxisLabelRoom + widest(yTicks_, options.yText) + kTick + kTextGap,
                 kMargin + (options.title.empty() ? 0 : kTitleHeight), kPlotWidth, kPlotHeight};
        double legend = 0;
        for (const LineSeries& line : series)
            if (!line.points.empty()) legend = std::max(legend, textLength(line.name, kLabelStyle));
        double width = plot_.x + plot_.width + kLegendGap + kKeyWidth + legend + kMargin;
        width = std::max(width, textLength(options.title, kTitleStyle) + 2 * kMargin);
        for (const std::string& line : options.footer)
            width = std::max(width, textLength(line, kNoteStyle) + 2 * kMargin);
        const double below =
            std::max(plot_.height + kAxisHeight, static_cast<double>(series.size()) * kLegendPitch);
        canvas_ = std::make_unique<Canvas>(
            path, std::ceil(width),
            plot_.y + below + static_cast<double>(options.footer.size()) * kFooterLine + kMargin / 2);
        footerTop_ = plot_.y + below;
    }

    void draw() {
        canvas_->text({kMargin, kMargin + 14}, options_.title, kTitleStyle);
        drawXAxis();
        drawYAxis();
        canvas_->frame(plot_, kInk);
        for (std::size_t k = 0; k < series_.size(); ++k) drawLine(k);
        drawLegend();
        Point place{kMargin, footerTop_ + 12};
        for (const std::string& line : options_.footer) {
            canvas_->text(place, line, kNoteStyle);
            place.y += kFooterLine;
        }
        canvas_->save();
    }

  private:
    static double widest(const std::vector<double>& ticks, const std::function<std::string(double)>& text) {
        double width = 0;
        for (const double tick : ticks) width = std::max(width, textLength(text(tick), kLabelStyle));
        return std::ceil(width);
    }

    void drawXAxis() {
        const double bottom = plot_.y + plot_.height + 1;
        // A label that would run into the one before it is left out; its tick stays.
        double free = 0;
        for (const double tick : xTicks_) {
            const double x = plot_.x + std::round(x_.position(tick));
            const std::string text = options_.xText(tick);
            const double half = textLength(text, kLabelStyle) / 2;
            canvas_->fill({x, plot_.y, 1, plot_.height}, kGrid);
            canvas_->fill({x, bottom, 1, kTick}, kInk);
            if (x - half < free) continue;
            canvas_->text({x + 0.5, bottom + kTick + 13}, text, kLabelStyle.anchored(TextAnchor::Middle));
            free = x + half + kTextGap;
        }
        canvas_->text({plot_.x + plot_.width / 2, bottom + 44}, options_.xLabel,
                      kLabelStyle.anchored(TextAnchor::Middle));
    }

    void drawYAxis() {
        for (const double tick : yTicks_) {
            const double y = plot_.y + plot_.height - 1 - std::round(y_.position(tick));
            canvas_->fill({plot_.x, y, plot_.width, 1}, kGrid);
            canvas_->fill({plot_.x - 1 - kTick, y, kTick, 1}, kInk);
            canvas_->text({plot_.x - 1 - kTick - kTextGap, y + 0.5 + kLabelStyle.capitalHeight() / 2},
                          options_.yText(tick), kLabelStyle.anchored(TextAnchor::End));
        }
        canvas_->text({kMargin + 10, plot_.y + plot_.height / 2}, options_.yLabel,
                      kLabelStyle.anchored(TextAnchor::Middle, TextDirection::Up));
    }

    Point placeOf(Point point) const {
        return {plot_.x + x_.position(point.x), plot_.y + plot_.height - y_.position(point.y)};
    }

    void drawLine(std::size_t k) {
        std::vector<Point> places;
        for (const Point& point : series_[k].points) places.push_back(placeOf(point));
        if (places.size() > 1) canvas_->line(places, seriesColor(k), kLineWidth);
        for (const Point& place : places) canvas_->marker(markerOf(k), place, kMarker, seriesColor(k));
    }

    void drawLegend() {
        Point place{plot_.x + plot_.width + kLegendGap, plot_.y + 10};
        for (std::size_t k = 0; k < series_.size(); ++k) {
            if (series_[k].points.empty()) continue;
            const Point key[] = {place, {place.x + kKeyWidth - 8, place.y}};
            canvas_->line(key, seriesColor(k), kLineWidth);
            canvas_->marker(markerOf(k), {(key[0].x + key[1].x) / 2, place.y}, kMarker, seriesColor(k));
            canvas_->text({place.x + kKeyWidth, place.y + kLabelStyle.capitalHeight() / 2}, series_[k].name,
                          kLabelStyle);
            place.y += kLegendPitch;
        }
    }

    const std::vector<LineSeries>& series_;
    const LineChartOptions& options_;
    LogAxis x_;
    LogAxis y_;
    std::vector<double> xTicks_;
    std::vector<double> yTicks_;
    Box plot_;
    double footerTop_ = 0;
    std::unique_ptr<Canvas> canvas_;
};

}  // namespace

void writeLineChart(const std::filesystem::path& path, const std::vector<LineSeries>& series,
                    const LineChartOptions& options) {
    LineChart(path, series, options).draw();
}

}  // namespace glycine::picture
