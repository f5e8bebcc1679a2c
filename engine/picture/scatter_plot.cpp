#include "engine/picture/scatter_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/picture/chart.hpp"

namespace glycine::picture {

namespace {

// Sizes in pixels.
constexpr double kPlotSide = 600;
constexpr double kPlotLeft = 84;
constexpr double kColorKeyGap = 24;
constexpr double kColorSign = 12;

/// An axis from `low` to `high` over kPlotSide pixels.
struct ScatterAxis {
    double low, high;

    explicit ScatterAxis(const std::vector<Point>& points, double Point::*coordinate) {
        const auto [least, most] = std::ranges::minmax_element(points, {}, coordinate);
        low = (*least).*coordinate, high = (*most).*coordinate;
        const double air = high > low ? (high - low) / 20 : 0.5;
        low -= air, high += air;
    }
    double position(double value) const { return (value - low) / (high - low) * kPlotSide; }
    /// Calls use(position, text) for each tick.
    template <class Use>
    void forTicks(const Use& use) const {
        const double step = niceStep(high - low, 6);
        const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step))));
        for (double k = std::ceil(low / step); k * step <= high; ++k)
            use(std::round(position(k * step)), fmt::format("{:.{}f}", k * step + 0.0, decimals));
    }
};

bool doOverlap(const Box& a, const Box& b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/// Draws each name to the right of its point or, if it would leave the plot or hit a name or another point
/// there, to the left, above or below. If no place is free, the first that is within the plot is used.
void drawNames(Canvas& canvas, const Box& plot, const std::vector<Point>& centers,
               const std::vector<std::string>& names, double size) {
    constexpr double kLongestLabel = 240;
    std::vector<Box> taken;
    for (const Point& center : centers)
        taken.push_back({center.x - size / 2, center.y - size / 2, size, size});
    for (std::size_t k = 0; k < centers.size(); ++k) {
        const std::string name = shortenText(names[k], kLongestLabel, kSmallStyle);
        const double width = textLength(name, kSmallStyle), height = kSmallStyle.capitalHeight() + 3;
        const Point at = centers[k];
        const double centered = std::clamp(at.x - width / 2, plot.x, plot.x + plot.width - width);
        const Box places[] = {{at.x + size, at.y - height / 2, width, height},
                              {at.x - size - width, at.y - height / 2, width, height},
                              {centered, at.y - size - height, width, height},
                              {centered, at.y + size, width, height}};
        const auto isWithin = [&](const Box& place) {
            return place.x >= plot.x && place.x + width <= plot.x + plot.width && place.y >= plot.y &&
                   place.y + height <= plot.y + plot.height;
        };
        const auto isFree = [&](const Box& place) {
            return isWithin(place) &&
                   std::ranges::none_of(taken, [&](const Box& other) { return doOverlap(place, other); });
        };
        const Box* best = std::ranges::find_if(places, isFree);
        if (best == std::end(places)) best = std::ranges::find_if(places, isWithin);
        if (best == std::end(places)) best = places;
        canvas.text({best->x, best->y + height - 1.5}, name, kSmallStyle);
        taken.push_back(*best);
    }
}

}  // namespace

double keyWidth(const std::vector<ColorKey>& key) {
    double width = 0;
    for (const ColorKey& entry : key) width = std::max(width, textLength(entry.label, kLabelStyle));
    return key.empty() ? 0 : std::ceil(width) + 2 * kColorSign;
}

void drawKey(Canvas& canvas, Point place, const std::vector<ColorKey>& key) {
    const bool hasMarkers = std::ranges::any_of(key, [](const ColorKey& entry) { return entry.round > 0; });
    for (const ColorKey& entry : key) {
        constexpr double kHalf = kColorSign / 2;
        if (hasMarkers)
            canvas.marker(roundMarker(entry.round), {place.x + kHalf, place.y + kHalf}, kColorSign,
                          entry.color);
        else
            canvas.fill({place.x, place.y, kColorSign, kColorSign}, entry.color);
        canvas.text({place.x + 1.5 * kColorSign, place.y + kColorSign - 1}, entry.label, kLabelStyle);
        place.y += kColorKeyPitch;
    }
}

void writeScatterPlot(const std::filesystem::path& path, const ScatterPlot& plot) {
    if (plot.points.empty()) throw UsageError("a scatter plot without points");
    const ScatterAxis x(plot.points, &Point::x), y(plot.points, &Point::y);
    ChartPage page(plot.title, plot.footer);
    const Box box{ChartPage::kMargin + kPlotLeft, page.top(), kPlotSide, kPlotSide};
    const double height =
        std::max(kPlotSide + kAxisHeight, static_cast<double>(plot.key.size()) * kColorKeyPitch);
    Canvas& canvas = page.open(
        path,
        box.x + kPlotSide + kColorKeyGap + std::max(kColorKeyGap, keyWidth(plot.key)) + ChartPage::kMargin,
        box.y + height);
    x.forTicks([&](double position, const std::string& text) {
        canvas.fill({box.x + position, box.y, 1, kPlotSide}, kGrid);
        canvas.text({box.x + position, box.y + kPlotSide + kTick + 13}, text,
                    kSmallStyle.anchored(TextAnchor::Middle));
    });
    y.forTicks([&](double position, const std::string& text) {
        canvas.fill({box.x, box.y + kPlotSide - 1 - position, kPlotSide, 1}, kGrid);
        canvas.text({box.x - kTick, box.y + kPlotSide - position + kSmallStyle.capitalHeight() / 2}, text,
                    kSmallStyle.anchored(TextAnchor::End));
    });
    canvas.frame(box, kInk);
    canvas.text({box.x + kPlotSide / 2, box.y + kPlotSide + 42}, plot.xLabel,
                kLabelStyle.anchored(TextAnchor::Middle));
    canvas.text({box.x - kPlotLeft + 22, box.y + kPlotSide / 2}, plot.yLabel,
                kLabelStyle.anchored(TextAnchor::Middle, TextDirection::Up));
    const double size = plot.points.size() > 500 ? 5.5 : 7;
    std::vector<Point> centers;
    for (std::size_t k = 0; k < plot.points.size(); ++k) {
        const Point center{box.x + x.position(plot.points[k].x),
                           box.y + kPlotSide - y.position(plot.points[k].y)};
        const GroupSign sign = plot.signs.empty() ? GroupSign{seriesColor(0)} : plot.signs[k];
        canvas.marker(roundMarker(sign.round), center, size, sign.color);
        centers.push_back(center);
    }
    if (!plot.names.empty()) drawNames(canvas, box, centers, plot.names, size);
    drawKey(canvas, {box.x + kPlotSide + kColorKeyGap, box.y}, plot.key);
    page.save();
}

}  // namespace glycine::picture
