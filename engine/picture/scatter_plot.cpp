#include "engine/picture/scatter_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/picture/chart.hpp"

namespace glycine::picture {

namespace scatter {

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

}  // namespace

}  // namespace scatter

double keyWidth(const std::vector<ColorKey>& key) {
    double width = 0;
    for (const ColorKey& entry : key) width = std::max(width, textLength(entry.label, kLabelStyle));
    return key.empty() ? 0 : std::ceil(width) + 2 * scatter::kColorSign;
}

void drawKey(Canvas& canvas, Point place, const std::vector<ColorKey>& key) {
    const bool hasMarkers = std::ranges::any_of(key, [](const ColorKey& entry) { return entry.round > 0; });
    for (const ColorKey& entry : key) {
        constexpr double kHalf = scatter::kColorSign / 2;
        if (hasMarkers)
            canvas.marker(roundMarker(entry.round), {place.x + kHalf, place.y + kHalf}, scatter::kColorSign,
                          entry.color);
        else
            canvas.fill({place.x, place.y, scatter::kColorSign, scatter::kColorSign}, entry.color);
        canvas.text({place.x + 1.5 * scatter::kColorSign, place.y + scatter::kColorSign - 1}, entry.label,
                    kLabelStyle);
        place.y += kColorKeyPitch;
    }
}

void writeScatterPlot(const std::filesystem::path& path, const ScatterPlot& plot) {
    using namespace scatter;
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
    for (std::size_t k = 0; k < plot.points.size(); ++k) {
        const Point center{box.x + x.position(plot.points[k].x),
                           box.y + kPlotSide - y.position(plot.points[k].y)};
        const GroupSign sign = plot.signs.empty() ? GroupSign{seriesColor(0)} : plot.signs[k];
        canvas.marker(roundMarker(sign.round), center, size, sign.color);
        if (!plot.names.empty())
            canvas.text({center.x + size, center.y + kSmallStyle.capitalHeight() / 2}, plot.names[k],
                        kSmallStyle);
    }
    drawKey(canvas, {box.x + kPlotSide + kColorKeyGap, box.y}, plot.key);
    page.save();
}

}  // namespace glycine::picture
