#include "engine/picture/chart.hpp"

#include <algorithm>
#include <iterator>

#include "engine/core/error.hpp"

namespace glycine::picture {

namespace {

// Sizes in pixels.
constexpr double kTitleHeight = 40;
constexpr double kFooterLine = 20;

}  // namespace

void LogAxis::include(double value, const std::string& owner) {
    if (!(value > 0) || !std::isfinite(value))
        throw UsageError("a value that is not above 0 on a logarithmic axis: " + owner);
    lowest = std::min(lowest, std::log10(value));
    highest = std::max(highest, std::log10(value));
}

void drawAxisBelow(Canvas& canvas, const Box& plot, const LogAxis& axis) {
    const TextStyle style = kSmallStyle.anchored(TextAnchor::Middle);
    const double bottom = plot.y + plot.height;
    double free = 0;
    for (const double tick : axis.ticks) {
        const double x = plot.x + std::round(axis.position(tick));
        canvas.fill({x, plot.y, 1, plot.height}, kGrid);
        canvas.fill({x, bottom, 1, kTick}, kInk);
        const std::string text = axis.text(tick);
        const double half = textLength(text, style) / 2;
        if (x - half < free) continue;
        canvas.text({x + 0.5, bottom + kTick + 15}, text, style);
        free = x + half + kTextGap;
    }
    canvas.text({plot.x + plot.width / 2, bottom + 42}, axis.label, kLabelStyle.anchored(TextAnchor::Middle));
}

Marker seriesMarker(std::size_t k) {
    constexpr Marker kMarkers[] = {Marker::Disc,    Marker::Square, Marker::Triangle,
                                   Marker::Diamond, Marker::Cross,  Marker::Wedge};
    return kMarkers[k % std::size(kMarkers)];
}

double seriesDash(std::size_t k) {
    constexpr double kDashes[] = {0, 7, 2.5};
    return kDashes[k / 6 % std::size(kDashes)];
}

void drawAxisLeft(Canvas& canvas, const Box& plot, const LogAxis& axis, double labelX) {
    for (const double tick : axis.ticks) {
        const double y = plot.y + plot.height - 1 - std::round(axis.position(tick));
        canvas.fill({plot.x, y, plot.width, 1}, kGrid);
        canvas.fill({plot.x - 1 - kTick, y, kTick, 1}, kInk);
        canvas.text({plot.x - 1 - kTick - kTextGap, y + 0.5 + kSmallStyle.capitalHeight() / 2},
                    axis.text(tick), kSmallStyle.anchored(TextAnchor::End));
    }
    canvas.text({labelX, plot.y + plot.height / 2}, axis.label,
                kLabelStyle.anchored(TextAnchor::Middle, TextDirection::Up));
}

ChartPage::ChartPage(std::string title, std::vector<std::string> footer)
    : title_(std::move(title)), footer_(std::move(footer)) {
    makeRoom(kMargin, title_, kTitleStyle);
    for (const std::string& line : footer_) makeRoom(kMargin, line, kNoteStyle);
}

double ChartPage::top() const {
    return kMargin + (title_.empty() ? 0 : kTitleHeight);
}

void ChartPage::makeRoom(double x, const std::string& text, const TextStyle& style) {
    width_ = std::max(width_, x + textLength(text, style) + kMargin);
}

Canvas& ChartPage::open(const std::filesystem::path& path, double right, double bottom) {
    bottom_ = bottom;
    canvas_ =
        std::make_unique<Canvas>(path, std::ceil(std::max(width_, right)),
                                 bottom + static_cast<double>(footer_.size()) * kFooterLine + kMargin / 2);
    canvas_->text({kMargin, kMargin + 14}, title_, kTitleStyle);
    return *canvas_;
}

void ChartPage::save() {
    Point place{kMargin, bottom_ + 12};
    for (const std::string& line : footer_) {
        canvas_->text(place, line, kNoteStyle);
        place.y += kFooterLine;
    }
    canvas_->save();
}

}  // namespace glycine::picture
