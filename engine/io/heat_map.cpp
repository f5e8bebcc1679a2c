#include "engine/io/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/core/error.hpp"
#include "engine/io/image.hpp"
#include "engine/io/stroke_font.hpp"

namespace glycine::io {

namespace {

constexpr Color kBackground{255, 255, 255};
constexpr Color kInk{38, 38, 42};
constexpr Color kFaintInk{120, 120, 126};
constexpr Color kUnknown{176, 176, 180};

// Sizes in pixels.
constexpr std::size_t kPlotSide = 560;  ///< small matrices are enlarged to about this
constexpr std::size_t kMargin = 26;
constexpr std::size_t kTitleHeight = 44;
constexpr std::size_t kPanelTitleHeight = 30;
constexpr std::size_t kAxisWidth = 76;   ///< left of a plot: tick labels and the axis' name
constexpr std::size_t kAxisHeight = 50;  ///< below a plot
constexpr std::size_t kPanelGap = 6;
constexpr std::size_t kBarGap = 24;
constexpr std::size_t kBarWidth = 18;
constexpr std::size_t kBarLabelWidth = 84;
constexpr std::size_t kFooterHeight = 22;
constexpr std::size_t kTick = 5;

constexpr TextStyle kTitleStyle{14, 2.0, kInk, TextAnchor::Middle, TextDirection::Right};
constexpr TextStyle kPanelTitleStyle{11, 1.6, kInk, TextAnchor::Middle, TextDirection::Right};
constexpr TextStyle kLabelStyle{9, 1.25, kInk, TextAnchor::Start, TextDirection::Right};
constexpr TextStyle kFooterStyle{8, 1.1, kFaintInk, TextAnchor::Start, TextDirection::Right};

TextStyle withAnchor(TextStyle style, TextAnchor anchor, TextDirection direction = TextDirection::Right) {
    style.anchor = anchor;
    style.direction = direction;
    return style;
}

/// Labels beside a colour bar, about.
constexpr int kBarLabels = 6;

/// 1, 2 or 5 times a power of ten, so that `extent` holds about `count` steps.
double niceStep(double extent, int count) {
    const double rough = extent / count;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double mantissa = rough / power;
    return power * (mantissa < 1.5 ? 1 : mantissa < 3.5 ? 2 : mantissa < 7.5 ? 5 : 10);
}

struct Scale {
    double minimum = 0;
    double maximum = 1;
    bool isRound = false;  ///< both ends are multiples of the step between labels
    bool hasUnknown = false;

    Color colorOf(float value) const {
        if (std::isnan(value)) return kUnknown;
        const double t = std::clamp((value - minimum) / (maximum - minimum), 0.0, 1.0);
        return colorMap()[static_cast<std::size_t>(std::lround(t * 255))];
    }
};

Scale commonScale(const HeatMapPanel* first, const HeatMapPanel* last, const HeatMapOptions& options) {
    double smallest = 0;
    double largest = -std::numeric_limits<double>::infinity();
    Scale scale;
    for (; first != last; ++first)
        for (std::size_t k = 0; k < first->values.size(); ++k) {
            const float value = first->values.data()[k];
            if (std::isnan(value)) {
                scale.hasUnknown = true;
            } else {
                smallest = std::min<double>(smallest, value);
                largest = std::max<double>(largest, value);
            }
        }
    scale.minimum = options.minimum.value_or(smallest);
    scale.maximum = options.maximum.value_or(std::max(largest, smallest));
    // A constant matrix still gets a scale of some extent.
    if (!(scale.maximum > scale.minimum)) scale.maximum = scale.minimum + 1;
    if (options.roundScale) {
        scale.isRound = true;
        const double step = niceStep(scale.maximum - scale.minimum, kBarLabels);
        constexpr double kRounding = 1e-6;  // values are float32
        scale.minimum = std::floor(scale.minimum / step + kRounding) * step;
        scale.maximum = std::ceil(scale.maximum / step - kRounding) * step;
    }
    return scale;
}

/// One panel's plot: where it lies and how large its cells are.
struct Plot {
    std::size_t x = 0;
    std::size_t y = 0;
    std::size_t width = 0;
    std::size_t height = 0;
};

void drawCells(Image& image, const Plot& plot, const HeatMapPanel& panel, const Scale& scale) {
    for (std::size_t y = 0; y < plot.height; ++y)
        for (std::size_t x = 0; x < plot.width; ++x) {
            const std::size_t row = y * panel.values.rows() / plot.height;
            const std::size_t column = x * panel.values.columns() / plot.width;
            image.at(plot.x + x, plot.y + y) = scale.colorOf(panel.values(row, column));
        }
    image.frame(plot.x, plot.y, plot.width, plot.height, kInk);
}

/// Indices counted from 1 at which an axis of `count` items has a tick.
std::vector<std::size_t> axisTicks(std::size_t count) {
    std::vector<std::size_t> ticks{1};
    if (count == 1) return ticks;
    const auto step = static_cast<std::size_t>(std::max(1.0, niceStep(static_cast<double>(count), 5)));
    for (std::size_t tick = step; tick <= count; tick += step)
        if (tick > step / 2 && tick != 1) ticks.push_back(tick);
    return ticks;
}

void drawAxes(Image& image, const Plot& plot, const HeatMapPanel& panel, const std::string& label) {
    for (const std::size_t tick : axisTicks(panel.columns)) {
        const double position = (static_cast<double>(tick) - 0.5) / static_cast<double>(panel.columns);
        const auto x = plot.x + static_cast<std::size_t>(position * static_cast<double>(plot.width));
        image.fill(x, plot.y + plot.height + 1, 1, kTick, kInk);
        drawText(image, static_cast<double>(x) + 0.5, static_cast<double>(plot.y + plot.height + kTick) + 14,
                 fmt::format("{}", tick), withAnchor(kLabelStyle, TextAnchor::Middle));
    }
    for (const std::size_t tick : axisTicks(panel.rows)) {
        const double position = (static_cast<double>(tick) - 0.5) / static_cast<double>(panel.rows);
        const auto y = plot.y + static_cast<std::size_t>(position * static_cast<double>(plot.height));
        image.fill(plot.x - 1 - kTick, y, kTick, 1, kInk);
        drawText(image, static_cast<double>(plot.x - kTick) - 6, static_cast<double>(y) + 5,
                 fmt::format("{}", tick), withAnchor(kLabelStyle, TextAnchor::End));
    }
    drawText(image, static_cast<double>(plot.x) + static_cast<double>(plot.width) / 2,
             static_cast<double>(plot.y + plot.height) + 36, label,
             withAnchor(kLabelStyle, TextAnchor::Middle));
    drawText(image, static_cast<double>(plot.x) - static_cast<double>(kAxisWidth) + 22,
             static_cast<double>(plot.y) + static_cast<double>(plot.height) / 2, label,
             withAnchor(kLabelStyle, TextAnchor::Middle, TextDirection::Up));
}

void drawColorBar(Image& image, const Plot& bar, const Scale& scale, const std::string& unit) {
    for (std::size_t y = 0; y < bar.height; ++y) {
        const double t = 1 - (static_cast<double>(y) + 0.5) / static_cast<double>(bar.height);
        image.fill(bar.x, bar.y + y, bar.width, 1,
                   scale.colorOf(static_cast<float>(scale.minimum + t * (scale.maximum - scale.minimum))));
    }
    image.frame(bar.x, bar.y, bar.width, bar.height, kInk);

    const double extent = scale.maximum - scale.minimum;
    const double step = niceStep(extent, kBarLabels);
    const auto yOf = [&](double value) {
        return static_cast<double>(bar.y) +
               (scale.maximum - value) / extent * static_cast<double>(bar.height);
    };
    const auto label = [&](double value, const std::string& number) {
        const double y = yOf(value);
        image.fill(bar.x + bar.width + 1, static_cast<std::size_t>(std::lround(y - 0.5)), kTick, 1, kInk);
        drawText(image, static_cast<double>(bar.x + bar.width + kTick) + 6, y + 4.5, number, kLabelStyle);
    };
    const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step))));
    const auto text = [&](double value, int digits) {
        constexpr double kTooLong = 1e7;
        return scale.maximum < kTooLong ? fmt::format("{:.{}f}", value, digits)
                                        : fmt::format("{:.4g}", value);
    };
    label(scale.minimum, text(scale.minimum, decimals));
    label(scale.maximum, text(scale.maximum, scale.isRound ? decimals : std::max(decimals, 1)) + " " + unit);
    // The ends are labelled with their own values; a tick too close to them would run into these.
    const double clearance = extent * 18 / static_cast<double>(bar.height);
    for (double value = std::ceil(scale.minimum / step) * step; value < scale.maximum; value += step)
        if (value > scale.minimum + clearance && value < scale.maximum - clearance)
            label(value, text(value, decimals));
}

void drawUnknownKey(Image& image, std::size_t x, std::size_t y) {
    image.fill(x, y, kBarWidth, 12, kUnknown);
    image.frame(x, y, kBarWidth, 12, kInk);
    drawText(image, static_cast<double>(x + kBarWidth + kTick) + 6, static_cast<double>(y) + 10.5, "unknown",
             kLabelStyle);
}

/// Pixels of a plot with this many cells: whole multiples, so that all cells look alike.
std::size_t plotPixels(std::size_t cells) {
    return cells * std::max<std::size_t>(1, (kPlotSide + cells / 2) / cells);
}

}  // namespace

HeatMapPanel makeHeatMapPanel(std::string title, std::size_t rows, std::size_t columns,
                              const std::function<void(std::size_t row, float* values)>& rowValues,
                              std::size_t maxSide) {
    if (rows == 0 || columns == 0 || maxSide == 0) throw UsageError("a heat map of an empty matrix");
    HeatMapPanel panel;
    panel.title = std::move(title);
    panel.rows = rows;
    panel.columns = columns;
    panel.values = Matrix<float>(std::min(rows, maxSide), std::min(columns, maxSide));
    const std::size_t cellRows = panel.values.rows();
    const std::size_t cellColumns = panel.values.columns();
#pragma omp parallel
    {
        std::vector<float> values(columns);
        std::vector<double> sums(cellColumns);
        std::vector<std::size_t> counts(cellColumns);
#pragma omp for schedule(dynamic)
        for (std::size_t cellRow = 0; cellRow < cellRows; ++cellRow) {
            const std::size_t firstRow = cellRow * rows / cellRows;
            const std::size_t lastRow = (cellRow + 1) * rows / cellRows;
            std::fill(sums.begin(), sums.end(), 0);
            std::fill(counts.begin(), counts.end(), 0);
            for (std::size_t row = firstRow; row < lastRow; ++row) {
                rowValues(row, values.data());
                for (std::size_t cell = 0; cell < cellColumns; ++cell)
                    for (std::size_t j = cell * columns / cellColumns; j < (cell + 1) * columns / cellColumns;
                         ++j)
                        if (std::isfinite(values[j])) {
                            sums[cell] += values[j];
                            ++counts[cell];
                        }
            }
            for (std::size_t cell = 0; cell < cellColumns; ++cell) {
                const std::size_t width = (cell + 1) * columns / cellColumns - cell * columns / cellColumns;
                const bool isKnown = 2 * counts[cell] >= width * (lastRow - firstRow);
                panel.values(cellRow, cell) =
                    isKnown ? static_cast<float>(sums[cell] / static_cast<double>(counts[cell]))
                            : std::numeric_limits<float>::quiet_NaN();
            }
        }
    }
    return panel;
}

void writeHeatMaps(const std::filesystem::path& path, const std::vector<HeatMapPanel>& panels,
                   const HeatMapOptions& options) {
    if (panels.empty()) throw UsageError("a picture of heat maps without any");
    const std::size_t perRow = std::clamp<std::size_t>(options.panelsPerRow, 1, panels.size());
    const std::size_t panelRows = (panels.size() + perRow - 1) / perRow;
    std::size_t plotWidth = 0;
    std::size_t plotHeight = 0;
    for (const HeatMapPanel& panel : panels) {
        plotWidth = std::max(plotWidth, plotPixels(panel.values.columns()));
        plotHeight = std::max(plotHeight, plotPixels(panel.values.rows()));
    }
    const std::size_t cellWidth = kAxisWidth + plotWidth + kPanelGap;
    const std::size_t cellHeight = kPanelTitleHeight + plotHeight + kAxisHeight;
    const std::size_t top = kMargin + (options.title.empty() ? 0 : kTitleHeight);
    const std::size_t bottom = kMargin / 2 + (options.footer.empty() ? 0 : kFooterHeight);
    const std::size_t panelsWidth =
        kMargin / 2 + perRow * cellWidth + kBarGap + kBarWidth + kBarLabelWidth + kMargin / 2;
    // A small matrix may be narrower than what is said about it.
    const double textWidth =
        std::max(textLength(options.title, kTitleStyle), textLength(options.footer, kFooterStyle));
    const std::size_t width =
        std::max(panelsWidth, static_cast<std::size_t>(std::ceil(textWidth)) + 2 * kMargin);
    const std::size_t left = kMargin / 2 + (width - panelsWidth) / 2;
    Image image(width, top + panelRows * cellHeight + bottom, kBackground);

    if (!options.title.empty())
        drawText(image, static_cast<double>(image.width()) / 2, kMargin + 14, options.title, kTitleStyle);
    for (std::size_t row = 0; row < panelRows; ++row) {
        const std::size_t first = row * perRow;
        const std::size_t last = std::min(first + perRow, panels.size());
        const Scale scale = commonScale(panels.data() + first, panels.data() + last, options);
        const std::size_t y = top + row * cellHeight + kPanelTitleHeight;
        for (std::size_t k = first; k < last; ++k) {
            const HeatMapPanel& panel = panels[k];
            const Plot plot{left + (k - first) * cellWidth + kAxisWidth, y,
                            plotPixels(panel.values.columns()), plotPixels(panel.values.rows())};
            drawText(image, static_cast<double>(plot.x) + static_cast<double>(plot.width) / 2,
                     static_cast<double>(plot.y) - 11, panel.title, kPanelTitleStyle);
            drawCells(image, plot, panel, scale);
            drawAxes(image, plot, panel, options.axisLabel);
        }
        const std::size_t barX = left + (last - first) * cellWidth + kBarGap;
        drawColorBar(image, {barX, y, kBarWidth, plotHeight}, scale, options.valueLabel);
        if (scale.hasUnknown) drawUnknownKey(image, barX, y + plotHeight + 20);
    }
    if (!options.footer.empty())
        drawText(image, kMargin, static_cast<double>(image.height() - kMargin / 2 - 4), options.footer,
                 kFooterStyle);
    writePng(path, image);
}

}  // namespace glycine::io
