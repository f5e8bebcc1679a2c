#include "engine/picture/heat_map.hpp"

#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/picture/heat_map_axes.hpp"
#include "engine/picture/heat_map_scale.hpp"
#include "engine/picture/heat_map_style.hpp"
#include "engine/picture/image.hpp"
#include "engine/picture/short_text.hpp"
#include "engine/picture/stroke_font.hpp"

namespace glycine::io {

using namespace heat_map;

namespace {

// Sizes in pixels.
constexpr std::size_t kMargin = 26;
constexpr std::size_t kTitleHeight = 44;
constexpr std::size_t kNoTitleHeight = 6;
constexpr std::size_t kPanelTitleHeight = 30;
constexpr std::size_t kSubtitleHeight = 15;
constexpr std::size_t kPanelGap = 6;
constexpr std::size_t kSharedGap = 18;  ///< between panels without axes of their own
constexpr std::size_t kBarGap = 24;
constexpr std::size_t kFooterHeight = 22;
constexpr std::size_t kLongestText = 2000;
constexpr std::size_t kNarrowPlot = 300;  ///< below it, titles are small

/// Pixels of a plot with this many cells: whole multiples, so that all cells look alike.
std::size_t plotPixels(std::size_t cells, const HeatMapPage& page) {
    const std::size_t cell = std::max<std::size_t>(1, (page.plotSide + cells / 2) / cells);
    return cells * std::min(cell, page.maximumCell);
}

Plot plotOf(const HeatMapPanel& panel, const HeatMapPage& page) {
    return {0, 0, plotPixels(panel.values.columns(), page), plotPixels(panel.values.rows(), page)};
}

bool haveSameAxes(std::span<const HeatMapPanel> panels) {
    return std::all_of(panels.begin(), panels.end(), [&](const HeatMapPanel& panel) {
        return panel.rows == panels[0].rows && panel.columns == panels[0].columns &&
               panel.rowNames == panels[0].rowNames && panel.columnNames == panels[0].columnNames;
    });
}

void drawCells(Image& image, const Plot& plot, const HeatMapPanel& panel, const Scale& scale) {
    for (std::size_t y = plot.y; y < plot.y + plot.height; ++y)
        for (std::size_t x = plot.x; x < plot.x + plot.width; ++x) {
            const std::size_t row = (y - plot.y) * panel.values.rows() / plot.height;
            const std::size_t column = (x - plot.x) * panel.values.columns() / plot.width;
            image.at(x, y) = scale.colorAt(panel.values(row, column), x, y);
        }
    image.frame(plot.x, plot.y, plot.width, plot.height, kInk);
}

/// Pixels above each plot.
std::size_t titleHeight(const HeatMapSection& section) {
    std::size_t height = kNoTitleHeight;
    for (const HeatMapPanel& panel : section.panels) {
        if (!panel.title.empty()) height = std::max(height, kPanelTitleHeight);
        if (!panel.subtitle.empty()) height = kPanelTitleHeight + kSubtitleHeight;
    }
    return height;
}

/// The panels of a section, placed in rows, with the legend to their right.
class SectionLayout {
  public:
    /// All plots of the page have room for `plot`, and `axes` beside it. Section and page must outlive the
    /// layout.
    SectionLayout(const HeatMapSection& section, const HeatMapPage& page, const Plot& plot, AxisRoom axes)
        : section_(section),
          page_(page),
          scale_(section.panels, section.scale),
          perRow_(std::clamp<std::size_t>(section.panelsPerRow, 1, section.panels.size())),
          rows_((section.panels.size() + perRow_ - 1) / perRow_),
          isShared_(page.sharedAxes && haveSameAxes(section.panels)),
          isNarrow_(plot.width < kNarrowPlot),
          axes_(axes),
          titleHeight_(titleHeight(section)) {
        pitchX_ = plot.width + (isShared_ ? kSharedGap : axes_.left + kPanelGap);
        pitchY_ = titleHeight_ + plot.height + (isShared_ ? kPanelGap : axes_.below);
        plotsHeight_ = (rows_ - 1) * pitchY_ + plot.height;
    }

    std::size_t gridWidth() const { return perRow_ * pitchX_ + (isShared_ ? axes_.left : 0); }
    std::size_t width() const { return gridWidth() + kBarGap + scale_.legendWidth(); }
    std::size_t height() const {
        return titleHeight_ + std::max(plotsHeight_ + axes_.below, scale_.leastLegendHeight() + kPanelGap);
    }

    void draw(Image& image, std::size_t left, std::size_t top) const {
        for (std::size_t k = 0; k < section_.panels.size(); ++k) {
            const HeatMapPanel& panel = section_.panels[k];
            Plot plot = plotOf(panel, page_);
            plot.x = left + axes_.left + k % perRow_ * pitchX_;
            plot.y = top + titleHeight_ + k / perRow_ * pitchY_;
            drawTitle(image, plot, panel);
            drawCells(image, plot, panel, scale_);
            const bool isLeftmost = k % perRow_ == 0;
            const bool isLowest = k + perRow_ >= section_.panels.size();
            if (isLeftmost || !isShared_) drawRowAxis(image, plot, panel, page_.rowLabel, axes_);
            if (isLowest || !isShared_) drawColumnAxis(image, plot, panel, page_.columnLabel, axes_);
        }
        scale_.drawLegend(image, left + gridWidth() + kBarGap, top + titleHeight_, plotsHeight_);
    }

  private:
    void drawTitle(Image& image, const Plot& plot, const HeatMapPanel& panel) const {
        const double middle = static_cast<double>(plot.x) + static_cast<double>(plot.width) / 2;
        // Titles may reach over the axes, but not into each other.
        const double room =
            static_cast<double>(perRow_ > 1 ? pitchX_ - kPanelGap : plot.width + 2 * axes_.left);
        const TextStyle style = isNarrow_ ? kSmallTitleStyle : kPanelTitleStyle;
        double y = static_cast<double>(plot.y) - 11;
        if (!panel.subtitle.empty()) {
            drawText(image, middle, y, shortenText(panel.subtitle, room, kSubtitleStyle), kSubtitleStyle);
            y -= kSubtitleHeight;
        }
        drawText(image, middle, y, shortenText(panel.title, room, style), style);
    }

    const HeatMapSection& section_;
    const HeatMapPage& page_;
    Scale scale_;
    std::size_t perRow_;
    std::size_t rows_;
    bool isShared_;
    bool isNarrow_;
    AxisRoom axes_;
    std::size_t titleHeight_;
    std::size_t pitchX_ = 0;
    std::size_t pitchY_ = 0;
    std::size_t plotsHeight_ = 0;
};

}  // namespace

void writeHeatMaps(const std::filesystem::path& path, std::span<const HeatMapSection> sections,
                   const HeatMapPage& page) {
    Plot plot;
    AxisRoom axes;
    for (const HeatMapSection& section : sections)
        for (const HeatMapPanel& panel : section.panels) {
            const Plot own = plotOf(panel, page);
            const AxisRoom room = roomForAxes(panel, own);
            plot = {0, 0, std::max(plot.width, own.width), std::max(plot.height, own.height)};
            axes = {std::max(axes.left, room.left), std::max(axes.below, room.below)};
        }

    std::vector<SectionLayout> layouts;
    std::size_t contentWidth = 0;
    std::size_t contentHeight = 0;
    for (const HeatMapSection& section : sections) {
        if (section.panels.empty()) continue;
        const SectionLayout& layout = layouts.emplace_back(section, page, plot, axes);
        contentWidth = std::max(contentWidth, kMargin / 2 + layout.width() + kMargin / 2);
        contentHeight += layout.height();
    }
    if (layouts.empty()) throw UsageError("a picture of heat maps without any");
    const std::size_t top = kMargin + (page.title.empty() ? 0 : kTitleHeight);
    const std::size_t bottom = kMargin / 2 + (page.footer.empty() ? 0 : kFooterHeight);
    // A small matrix may be narrower than what is said about it, but a long command is no reason for a
    // picture that fits no screen.
    const double textRoom = static_cast<double>(std::max(contentWidth - 2 * kMargin, kLongestText));
    const std::string title = shortenText(page.title, textRoom, kTitleStyle);
    const std::string footer = shortenText(page.footer, textRoom, kFooterStyle);
    const double textWidth = std::max(textLength(title, kTitleStyle), textLength(footer, kFooterStyle));
    const std::size_t width =
        std::max(contentWidth, static_cast<std::size_t>(std::ceil(textWidth)) + 2 * kMargin);
    const std::size_t left = kMargin / 2 + (width - contentWidth) / 2;
    Image image(width, top + contentHeight + bottom, kBackground);

    if (!page.title.empty())
        drawText(image, static_cast<double>(image.width()) / 2, kMargin + 14, title, kTitleStyle);
    std::size_t y = top;
    for (const SectionLayout& layout : layouts) {
        layout.draw(image, left, y);
        y += layout.height();
    }
    if (!page.footer.empty())
        drawText(image, kMargin, static_cast<double>(image.height() - kMargin / 2 - 4), footer, kFooterStyle);
    writePng(path, image);
}

void writeHeatMaps(const std::filesystem::path& path, const std::vector<HeatMapPanel>& panels,
                   const HeatMapOptions& options) {
    const std::size_t perRow = std::max<std::size_t>(1, options.panelsPerRow);
    std::vector<HeatMapSection> sections;
    for (std::size_t first = 0; first < panels.size(); first += perRow) {
        HeatMapSection& section = sections.emplace_back();
        section.panels = std::span(panels).subspan(first, std::min(perRow, panels.size() - first));
        section.panelsPerRow = perRow;
        section.scale.valueLabel = options.valueLabel;
        section.scale.minimum = options.minimum;
        section.scale.maximum = options.maximum;
        section.scale.roundScale = options.roundScale;
    }
    HeatMapPage page;
    page.title = options.title;
    page.footer = options.footer;
    page.rowLabel = page.columnLabel = options.axisLabel;
    writeHeatMaps(path, sections, page);
}

}  // namespace glycine::io
