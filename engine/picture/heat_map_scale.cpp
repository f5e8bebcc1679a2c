#include "engine/picture/heat_map_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace glycine::io::heat_map {

namespace {

constexpr Color kUnknown{176, 176, 180};

// Sizes in pixels.
constexpr std::size_t kBarWidth = 18;
constexpr std::size_t kLabelWidth = 84;
constexpr std::size_t kLeastBar = 150;
constexpr std::size_t kLongestBar = 760;
constexpr std::size_t kNotesGap = 20;
constexpr std::size_t kKeyHeight = 12;
constexpr std::size_t kKeyPitch = 20;
constexpr std::size_t kNotePitch = 15;
constexpr double kTextGap = 6;  ///< between a tick and its label

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

std::size_t Scale::legendWidth() const {
    double width = kBarWidth + kLabelWidth;
    for (const std::string& note : wanted_.notes) width = std::max(width, textLength(note, kFooterStyle));
    if (!wanted_.thresholdLabel.empty())
        width = std::max(
            width, kBarWidth + kTick + kTextGap + textLength("0.00 " + wanted_.thresholdLabel, kLabelStyle));
    return static_cast<std::size_t>(std::ceil(width));
}

std::size_t Scale::notesHeight() const {
    const std::size_t keys = (hasUnknown_ ? 1 : 0) + (hasInfinite_ ? 1 : 0);
    if (keys == 0 && wanted_.notes.empty()) return 0;
    return kNotesGap + keys * kKeyPitch + wanted_.notes.size() * kNotePitch;
}

std::size_t Scale::leastLegendHeight() const {
    return kLeastBar + notesHeight();
}

void Scale::drawLegend(Image& image, std::size_t x, std::size_t y, std::size_t plotsHeight) const {
    // A single key finds its place beside the axis below the plots.
    const bool isBeside = wanted_.notes.empty() && !hasInfinite_;
    const std::size_t room = plotsHeight - (isBeside ? 0 : std::min(plotsHeight, notesHeight()));
    const Plot bar{x, y, kBarWidth, std::clamp(room, kLeastBar, kLongestBar)};
    drawBar(image, bar);
    drawNotes(image, x, y + bar.height + kNotesGap);
}

void Scale::drawBar(Image& image, const Plot& bar) const {
    const double extent = maximum_ - minimum_;
    const auto height = static_cast<double>(bar.height);
    for (std::size_t y = 0; y < bar.height; ++y) {
        const double t = 1 - (static_cast<double>(y) + 0.5) / height;
        image.fill(bar.x, bar.y + y, bar.width, 1, colorOf(static_cast<float>(minimum_ + t * extent)));
    }
    image.frame(bar.x, bar.y, bar.width, bar.height, kInk);

    const double step = niceStep(extent, kBarLabels);
    const auto label = [&](double value, const std::string& number) {
        const double y = static_cast<double>(bar.y) + (maximum_ - value) / extent * height;
        image.fill(bar.x + bar.width + 1, static_cast<std::size_t>(std::lround(y - 0.5)), kTick, 1, kInk);
        drawText(image, static_cast<double>(bar.x + bar.width + kTick) + kTextGap, y + 4.5, number,
                 kLabelStyle);
    };
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step))));
    const auto text = [&](double value, int digits) {
        constexpr double kTooLong = 1e7;
        return maximum_ < kTooLong ? fmt::format("{:.{}f}", value, digits) : fmt::format("{:.4g}", value);
    };
    label(minimum_, text(minimum_, decimals));
    label(maximum_,
          text(maximum_, wanted_.roundScale ? decimals : std::max(decimals, 1)) + " " + wanted_.valueLabel);
    if (wanted_.threshold)
        label(*wanted_.threshold, fmt::format("{:.3g} {}", *wanted_.threshold, wanted_.thresholdLabel));
    // Ends and threshold are labelled with their own values; a tick too close to them would run into these.
    const double clearance = extent * 18 / height;
    for (double value = std::ceil(minimum_ / step) * step; value < maximum_; value += step) {
        const bool isAtThreshold = wanted_.threshold && std::abs(value - *wanted_.threshold) < clearance;
        if (value > minimum_ + clearance && value < maximum_ - clearance && !isAtThreshold)
            label(value, text(value, decimals));
    }
}

void Scale::drawNotes(Image& image, std::size_t x, std::size_t y) const {
    const auto key = [&](float value, const char* meaning) {
        for (std::size_t dy = 0; dy < kKeyHeight; ++dy)
            for (std::size_t dx = 0; dx < kBarWidth; ++dx)
                image.at(x + dx, y + dy) = colorAt(value, x + dx, y + dy);
        image.frame(x, y, kBarWidth, kKeyHeight, kInk);
        drawText(image, static_cast<double>(x + kBarWidth + kTick) + kTextGap, static_cast<double>(y) + 10.5,
                 meaning, kLabelStyle);
        y += kKeyPitch;
    };
    if (hasUnknown_) key(std::numeric_limits<float>::quiet_NaN(), "unknown");
    if (hasInfinite_) key(std::numeric_limits<float>::infinity(), "infinite");
    for (const std::string& note : wanted_.notes) {
        drawText(image, static_cast<double>(x), static_cast<double>(y) + 10, note, kFooterStyle);
        y += kNotePitch;
    }
}

}  // namespace glycine::io::heat_map
