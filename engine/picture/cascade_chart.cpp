#include "engine/picture/cascade_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/core/error.hpp"
#include "engine/picture/chart.hpp"

namespace glycine::picture {

namespace {

// Sizes in pixels.
constexpr double kStepWidth = 150;
constexpr double kCascadeHeight = 340;
constexpr double kLeft = 84;
constexpr double kKeyGap = 24;
constexpr double kKeyLine = 34;
constexpr double kKeyRow = 22;
constexpr double kSign = 9;

void requireShares(const std::vector<CascadeSeries>& series) {
    if (series.empty() || series.front().efficiencies.empty())
        throw UsageError("a cascade plot without any platform");
    for (const CascadeSeries& one : series) {
        if (one.efficiencies.size() != series.front().efficiencies.size())
            throw UsageError("a cascade plot of different numbers of platforms: " + one.name);
        for (const double efficiency : one.efficiencies)
            if (!(efficiency >= 0 && efficiency <= 1))
                throw UsageError("an efficiency that is not within 0 … 1: " + one.name);
    }
}

/// The harmonic mean of the first k, for each k; 0 from the first 0 on.
std::vector<double> runningMeans(const std::vector<double>& descending) {
    std::vector<double> means;
    double inverses = 0;
    for (const double efficiency : descending) {
        inverses += efficiency > 0 ? 1 / efficiency : INFINITY;
        means.push_back(static_cast<double>(means.size() + 1) / inverses);
    }
    return means;
}

}  // namespace

void writeCascadeChart(const std::filesystem::path& path, const std::vector<CascadeSeries>& series,
                       const CascadeOptions& options) {
    requireShares(series);
    const std::size_t platforms = series.front().efficiencies.size();
    ChartPage page(options.title, options.footer);
    // Half a step of air on both sides.
    const Box plot{kLeft, page.top(), kStepWidth * static_cast<double>(std::max<std::size_t>(platforms, 2)),
                   kCascadeHeight};
    const auto place = [&](std::size_t platform, double share) {
        const double step = plot.width / static_cast<double>(platforms);
        return Point{plot.x + (static_cast<double>(platform) + 0.5) * step,
                     plot.y + plot.height * (1 - 0.94 * share) - 10};
    };
    const double keyX = plot.x + plot.width + kKeyGap;
    const auto nameOf = [](const CascadeSeries& one) {
        return fmt::format("{}  {:.2f}", one.name, one.portability);
    };
    for (const CascadeSeries& one : series) page.makeRoom(keyX + kKeyLine, nameOf(one), kLabelStyle);
    Canvas& canvas =
        page.open(path, keyX,
                  plot.y + std::max(plot.height + kAxisHeight, static_cast<double>(series.size()) * kKeyRow));
    for (int tenth = 0; tenth <= 10; tenth += 2) {
        const double y = std::round(place(0, tenth / 10.0).y);
        canvas.fill({plot.x, y, plot.width, 1}, kGrid);
        canvas.text({plot.x - kTextGap, y + kSmallStyle.capitalHeight() / 2}, fmt::format("{} %", 10 * tenth),
                    kSmallStyle.anchored(TextAnchor::End));
    }
    for (std::size_t p = 0; p < platforms; ++p)
        canvas.text({place(p, 0).x, plot.y + plot.height + kTick + 15}, fmt::format("{}", p + 1),
                    kSmallStyle.anchored(TextAnchor::Middle));
    canvas.text({plot.x + plot.width / 2, plot.y + plot.height + 42},
                "platforms, each application's best one first", kLabelStyle.anchored(TextAnchor::Middle));
    canvas.text({ChartPage::kMargin + 10, plot.y + plot.height / 2}, options.yLabel,
                kLabelStyle.anchored(TextAnchor::Middle, TextDirection::Up));
    canvas.frame(plot, kInk);

    Point key{keyX, plot.y + 10};
    for (std::size_t k = 0; k < series.size(); ++k) {
        std::vector<double> descending = series[k].efficiencies;
        std::ranges::sort(descending, std::greater<>());
        const std::vector<double> means = runningMeans(descending);
        std::vector<Point> efficiencies, portabilities;
        for (std::size_t p = 0; p < platforms; ++p) {
            efficiencies.push_back(place(p, descending[p]));
            portabilities.push_back(place(p, means[p]));
        }
        if (platforms > 1) {
            canvas.line(efficiencies, seriesColor(k), 2);
            canvas.line(portabilities, seriesColor(k), 1.5, 4);
        }
        for (const Point& point : efficiencies) canvas.marker(seriesMarker(k), point, kSign, seriesColor(k));
        const Point line[] = {key, {key.x + kKeyLine - 8, key.y}};
        canvas.line(line, seriesColor(k), 2);
        canvas.marker(seriesMarker(k), {(line[0].x + line[1].x) / 2, key.y}, kSign, seriesColor(k));
        canvas.text({key.x + kKeyLine, key.y + kLabelStyle.capitalHeight() / 2}, nameOf(series[k]),
                    kLabelStyle);
        key.y += kKeyRow;
    }
    page.save();
}

}  // namespace glycine::picture
