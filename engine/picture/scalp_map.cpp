#include "engine/picture/scalp_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "engine/core/error.hpp"

namespace glycine::picture {

namespace {

constexpr double kHeadMargin = 28, kPanel = 320, kHeadRadius = 118, kTitles = 46, kBar = 22, kBarLength = 220,
                 kFooterPitch = 18;
constexpr double kNear = 0.12;  ///< coloured radius around a sensor outside the head
constexpr Color kLevelInk{70, 70, 76};
constexpr std::size_t kMaxNames = 80;

/// A surface interpolating scattered values.
class Surface {
  public:
    explicit Surface(const ScalpPanel& panel) {
        std::vector<double> values, radii;
        for (std::size_t k = 0; k < panel.places.size(); ++k) {
            if (!std::isfinite(panel.values[k]) || isTaken(panel.places[k])) continue;
            places_.push_back(panel.places[k]);
            values.push_back(panel.values[k]);
            radii.push_back(std::hypot(panel.places[k].x, panel.places[k].y));
        }
        // Colour the whole area of a helmet, but only the surroundings of a few sensors on the face.
        std::sort(radii.begin(), radii.end());
        rim_ = std::max(rim_, radii[(radii.size() - 1) * 9 / 10] + kNear / 2);
        reach_ = std::max(rim_, radii.back() + kNear);
        solve(values);
    }

    double reach() const { return reach_; }
    /// Whether the surface is meaningful at a position: within the head, or near a sensor.
    bool covers(Point place) const {
        return std::hypot(place.x, place.y) <= rim_ ||
               std::any_of(places_.begin(), places_.end(), [&](Point sensor) {
                   return std::hypot(place.x - sensor.x, place.y - sensor.y) <= kNear;
               });
    }
    double at(Point place) const {
        double value = mean_;
        for (std::size_t k = 0; k < places_.size(); ++k) value += weights_[k] * green(place, places_[k]);
        return value;
    }

  private:
    /// r² (ln r - 2). With 1 instead of 2, as for an unbounded plate, sensors at some places within the head
    /// make the equations all but singular, and the surface far exceeds the values (60 electrodes of a
    /// Neuromag cap). With 2, all eigenvalues but one are positive.
    static double green(Point a, Point b) {
        const double square = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
        return square > 0 ? square * (std::log(square) / 2 - 2) : 0;
    }
    /// Two sensors at one position would make the equations singular.
    bool isTaken(Point place) const {
        return std::any_of(places_.begin(), places_.end(), [&](Point other) {
            return std::hypot(place.x - other.x, place.y - other.y) < 1e-6;
        });
    }
    /// Gaussian elimination with pivoting.
    void solve(const std::vector<double>& values) {
        const std::size_t n = places_.size();
        mean_ = 0;
        for (const double value : values) mean_ += value / static_cast<double>(n);
        std::vector<std::vector<double>> rows(n, std::vector<double>(n + 1));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) rows[i][j] = green(places_[i], places_[j]);
            rows[i][n] = values[i] - mean_;
        }
        weights_.assign(n, 0);
        for (std::size_t k = 0; k < n; ++k) {
            const auto pivot = std::max_element(
                rows.begin() + static_cast<std::ptrdiff_t>(k), rows.end(),
                [k](const auto& a, const auto& b) { return std::abs(a[k]) < std::abs(b[k]); });
            std::swap(rows[k], *pivot);
            if (std::abs(rows[k][k]) < 1e-12) return;  // single position: the mean alone
            for (std::size_t i = k + 1; i < n; ++i) {
                const double factor = rows[i][k] / rows[k][k];
                for (std::size_t j = k; j <= n; ++j) rows[i][j] -= factor * rows[k][j];
            }
        }
        for (std::size_t k = n; k-- > 0;) {
            double sum = rows[k][n];
            for (std::size_t j = k + 1; j < n; ++j) sum -= rows[k][j] * weights_[j];
            weights_[k] = sum / rows[k][k];
        }
    }

    std::vector<Point> places_;
    std::vector<double> weights_;
    double mean_ = 0;
    double rim_ = 1.02;  ///< of the coloured disc
    double reach_ = rim_;
};

double shareOf(double value, const ScalpPage& page) {
    return std::clamp((value - page.minimum) / (page.maximum - page.minimum), 0.0, 1.0);
}

Color colorOf(double share) {
    return colorMap()[static_cast<std::size_t>(std::lround(share * 255))];
}

/// White on dark colours, dark on bright ones. Source of the luminance, 0 to 1: sRGB, IEC 61966-2-1.
Color inkOn(const Color& color) {
    const auto linear = [](std::uint8_t level) {
        const double share = level / 255.0;
        return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    };
    const double luminance =
        0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
    return luminance < 0.35 ? kBackground : kInk;
}

std::vector<Point> arc(Point centre, double radiusX, double radiusY, double from, double to) {
    constexpr int kSteps = 96;
    std::vector<Point> points;
    for (int k = 0; k <= kSteps; ++k) {
        const double angle = (from + (to - from) * k / kSteps) * std::numbers::pi / 180;
        points.push_back({centre.x + radiusX * std::cos(angle), centre.y - radiusY * std::sin(angle)});
    }
    return points;
}

void drawHead(Canvas& canvas, Point centre, double head) {
    const auto line = [&](const std::vector<Point>& points) { canvas.line(points, kInk, 1.6); };
    line(arc(centre, head, head, 0, 360));
    const double top = centre.y - head;
    line({{centre.x - 13, top + 1}, {centre.x, top - 14}, {centre.x + 13, top + 1}});
    line(arc({centre.x - head, centre.y}, 8, 20, 80, 280));
    line(arc({centre.x + head, centre.y}, 8, 20, -100, 100));
}

void drawPanel(Canvas& canvas, const ScalpPanel& panel, const ScalpPage& page, double left, double top) {
    canvas.text({left + kPanel / 2, top + 14}, shortenText(panel.title, kPanel - 10, kHeadingStyle),
                kHeadingStyle.anchored(TextAnchor::Middle));
    canvas.text({left + kPanel / 2, top + 32}, panel.subtitle, kNoteStyle.anchored(TextAnchor::Middle));
    const Surface surface(panel);
    // If helmet sensors extend beyond the head, draw a smaller head.
    const double head = std::min(kHeadRadius, (kPanel / 2 - 6) / surface.reach());
    const double reach = surface.reach() * head;
    const auto side = static_cast<std::size_t>(2 * std::ceil(reach));
    const double half = static_cast<double>(side) / 2;
    const Point centre{std::floor(left + kPanel / 2), std::floor(top + kTitles + kPanel / 2)};
    /// The colour at a point of the page.
    const auto colorAt = [&](Point point) {
        const Point place{(point.x - centre.x) / head, (centre.y - point.y) / head};
        return surface.covers(place) ? colorOf(shareOf(surface.at(place), page)) : kBackground;
    };
    canvas.image({centre.x - half, centre.y - half, 2 * half, 2 * half}, [&](std::size_t x, std::size_t y) {
        return colorAt(
            {centre.x - half + static_cast<double>(x) + 0.5, centre.y - half + static_cast<double>(y) + 0.5});
    });
    drawHead(canvas, centre, head);
    const bool hasNames = panel.places.size() <= kMaxNames;
    const TextStyle style{
        .size = panel.places.size() <= 40 ? 9.0 : 7.0, .color = kLevelInk, .anchor = TextAnchor::Middle};
    for (std::size_t k = 0; k < panel.places.size(); ++k) {
        const Point place{centre.x + panel.places[k].x * head, centre.y - panel.places[k].y * head};
        const bool isKnown = std::isfinite(panel.values[k]);
        canvas.marker(isKnown ? Marker::Disc : Marker::Cross, place, 3.2, inkOn(colorAt(place)));
        TextStyle name = style;
        name.color = inkOn(colorAt({place.x, place.y - 4 - name.capitalHeight() / 2}));
        if (hasNames) canvas.text({place.x, place.y - 4}, panel.names[k], name);
    }
}

/// A number with enough digits to distinguish the ends of the scale.
std::string levelText(double value, const ScalpPage& page) {
    const double step = (page.maximum - page.minimum) / 4;
    const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(step))), 0, 6);
    return fmt::format("{:.{}f}", value, decimals);
}

void drawBar(Canvas& canvas, const ScalpPage& page, double left, double top) {
    const Box box{left, top, kBarLength, kBar - 8};
    canvas.image(
        box, [&](std::size_t x, std::size_t) { return colorOf(static_cast<double>(x) / (kBarLength - 1)); });
    canvas.frame(box, kFaintInk);
    for (const double share : {0.0, 0.5, 1.0})
        canvas.text({left + share * kBarLength, top + kBar + 8},
                    levelText(page.minimum + share * (page.maximum - page.minimum), page),
                    kSmallStyle.anchored(TextAnchor::Middle));
    canvas.text({left + kBarLength + 24, top + 11}, page.valueLabel, kLabelStyle);
}

void draw(const std::filesystem::path& path, std::span<const ScalpPanel> panels, const ScalpPage& page) {
    if (panels.empty()) throw UsageError(path.string() + ": there is no scalp map to draw");
    for (const ScalpPanel& panel : panels)
        if (std::none_of(panel.values.begin(), panel.values.end(),
                         [](double value) { return std::isfinite(value); }))
            throw UsageError(
                fmt::format("{}: '{}' has no values to draw on a head", path.string(), panel.title));
    const auto perRow = static_cast<double>(std::min(page.panelsPerRow, panels.size()));
    const double rows = std::ceil(static_cast<double>(panels.size()) / perRow);
    const double head = page.title.empty() ? 0 : 36;
    double content = std::max(perRow * kPanel, textLength(page.title, kTitleStyle));
    for (const std::string& line : page.footer) content = std::max(content, textLength(line, kNoteStyle));
    const double width = 2 * kHeadMargin + content;
    const double footer = kFooterPitch * static_cast<double>(page.footer.size());
    const double height = 2 * kHeadMargin + head + rows * (kPanel + kTitles) + 56 + footer;
    const auto opened = openCanvas(path, width, height);
    Canvas& canvas = *opened;
    if (!page.title.empty()) canvas.text({kHeadMargin, kHeadMargin + 12}, page.title, kTitleStyle);
    for (std::size_t k = 0; k < panels.size(); ++k) {
        const auto row = static_cast<double>(k / page.panelsPerRow),
                   column = static_cast<double>(k % page.panelsPerRow);
        drawPanel(canvas, panels[k], page, kHeadMargin + column * kPanel,
                  kHeadMargin + head + row * (kPanel + kTitles));
    }
    const double bottom = std::floor(height - kHeadMargin + 8);
    drawBar(canvas, page, kHeadMargin + 12, bottom - footer - 44);
    for (std::size_t line = 0; line < page.footer.size(); ++line)
        canvas.text({kHeadMargin, bottom - footer + kFooterPitch * static_cast<double>(line + 1)},
                    page.footer[line], kNoteStyle);
    canvas.save();
}

}  // namespace

void writeScalpMaps(const std::filesystem::path& path, std::span<const ScalpPanel> panels,
                    const ScalpPage& page) {
    draw(path, panels, page);
}

}  // namespace glycine::picture
