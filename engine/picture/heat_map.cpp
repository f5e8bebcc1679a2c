#include "engine/picture/heat_map.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
#include "engine/picture/heat_map_parts.hpp"

namespace glycine::picture {

using namespace heat_map;

namespace {

// Sizes in pixels.
constexpr double kMargin = 26;
constexpr double kMapTitleHeight = 44;
constexpr double kNoTitleHeight = 6;
constexpr double kPanelTitleHeight = 30;
constexpr double kSubtitleHeight = 15;
constexpr double kPanelGap = 6;
constexpr double kSharedGap = 18;  ///< between panels without axes of their own
constexpr double kColourBarGap = 24;
constexpr double kFooterHeight = 22;
constexpr double kLongestText = 2000;
constexpr double kNarrowPlot = 300;  ///< below it, titles are small

constexpr TextStyle kPanelTitleStyle{.size = 15};

/// Pixels of a plot with this many cells: whole multiples, so that all cells look alike.
double plotPixels(std::size_t cells, const HeatMapPage& page) {
    const std::size_t cell = std::max<std::size_t>(1, (page.plotSide + cells / 2) / cells);
    return static_cast<double>(cells * std::min(cell, page.maximumCell));
}

Box plotOf(const HeatMapPanel& panel, const HeatMapPage& page) {
    return {0, 0, plotPixels(panel.values.columns(), page), plotPixels(panel.values.rows(), page)};
}

bool haveSameAxes(std::span<const HeatMapPanel> panels) {
    return std::all_of(panels.begin(), panels.end(), [&](const HeatMapPanel& panel) {
        return panel.rows == panels[0].rows && panel.columns == panels[0].columns &&
               panel.rowNames == panels[0].rowNames && panel.columnNames == panels[0].columnNames;
    });
}

void drawCells(Canvas& canvas, const Box& plot, const HeatMapPanel& panel, const Scale& scale) {
    const auto cellHeight = static_cast<std::size_t>(plot.height) / panel.values.rows();
    const auto cellWidth = static_cast<std::size_t>(plot.width) / panel.values.columns();
    canvas.image(plot, [&](std::size_t x, std::size_t y) {
        return scale.colorAt(panel.values(y / cellHeight, x / cellWidth), x, y);
    });
    canvas.frame(plot, kInk);
}

/// Pixels above each plot.
double titleHeight(const HeatMapSection& section) {
    double height = kNoTitleHeight;
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
    SectionLayout(const HeatMapSection& section, const HeatMapPage& page, const Box& plot, AxisRoom axes)
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
        plotsHeight_ = static_cast<double>(rows_ - 1) * pitchY_ + plot.height;
    }

    double width() const { return gridWidth() + kColourBarGap + scale_.legendWidth(); }
    double height() const {
        return titleHeight_ + std::max(plotsHeight_ + axes_.below, scale_.leastLegendHeight() + kPanelGap);
    }

    void draw(Canvas& canvas, Point place) const {
        for (std::size_t k = 0; k < section_.panels.size(); ++k) {
            const HeatMapPanel& panel = section_.panels[k];
            Box plot = plotOf(panel, page_);
            plot.x = place.x + axes_.left + static_cast<double>(k % perRow_) * pitchX_;
            plot.y = place.y + titleHeight_ + static_cast<double>(k / perRow_) * pitchY_;
            drawTitle(canvas, plot, panel);
            drawCells(canvas, plot, panel, scale_);
            const bool isLeftmost = k % perRow_ == 0;
            const bool isLowest = k + perRow_ >= section_.panels.size();
            if (isLeftmost || !isShared_) drawRowAxis(canvas, plot, panel, page_.rowLabel, axes_);
            if (isLowest || !isShared_) drawColumnAxis(canvas, plot, panel, page_.columnLabel, axes_);
        }
        scale_.drawLegend(canvas, {place.x + gridWidth() + kColourBarGap, place.y + titleHeight_},
                          plotsHeight_);
    }

  private:
    double gridWidth() const { return static_cast<double>(perRow_) * pitchX_ + (isShared_ ? axes_.left : 0); }
    void drawTitle(Canvas& canvas, const Box& plot, const HeatMapPanel& panel) const {
        // Titles may reach over the axes, but not into each other.
        const double room = perRow_ > 1 ? pitchX_ - kPanelGap : plot.width + 2 * axes_.left;
        const TextStyle style = (isNarrow_ ? kLabelStyle : kPanelTitleStyle).anchored(TextAnchor::Middle);
        const TextStyle small = kNoteStyle.anchored(TextAnchor::Middle);
        Point middle{plot.x + plot.width / 2, plot.y - 11};
        if (!panel.subtitle.empty()) {
            canvas.text(middle, shortenText(panel.subtitle, room, small), small);
            middle.y -= kSubtitleHeight;
        }
        canvas.text(middle, shortenText(panel.title, room, style), style);
    }

    const HeatMapSection& section_;
    const HeatMapPage& page_;
    Scale scale_;
    std::size_t perRow_;
    std::size_t rows_;
    bool isShared_;
    bool isNarrow_;
    AxisRoom axes_;
    double titleHeight_;
    double pitchX_ = 0;
    double pitchY_ = 0;
    double plotsHeight_ = 0;
};

}  // namespace

HeatMapPanel makeHeatMapPanel(std::string title, std::size_t rows, std::size_t columns,
                              const std::function<void(std::size_t row, float* values)>& rowValues,
                              std::size_t maxSide, InfiniteElements infinite) {
    if (rows == 0 || columns == 0 || maxSide == 0) throw UsageError("a heat map of an empty matrix");
    HeatMapPanel panel;
    panel.title = std::move(title);
    panel.rows = rows;
    panel.columns = columns;
    panel.values = Matrix<float>(std::min(rows, maxSide), std::min(columns, maxSide));
    const auto isKnown = [infinite](float value) {
        return infinite == InfiniteElements::Kept ? !std::isnan(value) : std::isfinite(value);
    };
    const std::size_t cellRows = panel.values.rows();
    const std::size_t cellColumns = panel.values.columns();
    struct Workspace {
        std::vector<float> values;
        std::vector<double> sums;
        std::vector<std::size_t> counts;
    };
    const int threads = omp_get_max_threads();
    std::vector<Workspace> workspaces(static_cast<std::size_t>(threads));
    parallelFor(threads, cellRows, [&](std::size_t cellRow, std::size_t thread) {
        auto& [values, sums, counts] = workspaces[thread];
        values.resize(columns);
        sums.assign(cellColumns, 0);
        counts.assign(cellColumns, 0);
        const std::size_t firstRow = cellRow * rows / cellRows;
        const std::size_t lastRow = (cellRow + 1) * rows / cellRows;
        for (std::size_t row = firstRow; row < lastRow; ++row) {
            throwIfCancellationRequested();
            rowValues(row, values.data());
            for (std::size_t cell = 0; cell < cellColumns; ++cell)
                for (std::size_t j = cell * columns / cellColumns; j < (cell + 1) * columns / cellColumns;
                     ++j)
                    if (isKnown(values[j])) {
                        sums[cell] += values[j];
                        ++counts[cell];
                    }
        }
        for (std::size_t cell = 0; cell < cellColumns; ++cell) {
            const std::size_t width = (cell + 1) * columns / cellColumns - cell * columns / cellColumns;
            const bool isCellKnown = 2 * counts[cell] >= width * (lastRow - firstRow);
            panel.values(cellRow, cell) =
                isCellKnown ? static_cast<float>(sums[cell] / static_cast<double>(counts[cell]))
                            : std::numeric_limits<float>::quiet_NaN();
        }
    });
    return panel;
}

void writeHeatMaps(const std::filesystem::path& path, std::span<const HeatMapSection> sections,
                   const HeatMapPage& page) {
    Box plot;
    AxisRoom axes;
    for (const HeatMapSection& section : sections)
        for (const HeatMapPanel& panel : section.panels) {
            const Box own = plotOf(panel, page);
            const AxisRoom room = roomForAxes(panel, own);
            plot = {0, 0, std::max(plot.width, own.width), std::max(plot.height, own.height)};
            axes = {std::max(axes.left, room.left), std::max(axes.below, room.below)};
        }

    std::vector<SectionLayout> layouts;
    double contentWidth = 0;
    double contentHeight = 0;
    for (const HeatMapSection& section : sections) {
        if (section.panels.empty()) continue;
        const SectionLayout& layout = layouts.emplace_back(section, page, plot, axes);
        contentWidth = std::max(contentWidth, kMargin / 2 + layout.width() + kMargin / 2);
        contentHeight += layout.height();
    }
    if (layouts.empty()) throw UsageError("a picture of heat maps without any");
    const double top = kMargin + (page.title.empty() ? 0 : kMapTitleHeight);
    const double bottom = kMargin / 2 + (page.footer.empty() ? 0 : kFooterHeight);
    // A small matrix may be narrower than what is said about it, but a long command is no reason for a
    // picture that fits no screen.
    const double textRoom = std::max(contentWidth - 2 * kMargin, kLongestText);
    const std::string title = shortenText(page.title, textRoom, kTitleStyle);
    const std::string footer = shortenText(page.footer, textRoom, kNoteStyle);
    const double textWidth = std::max(textLength(title, kTitleStyle), textLength(footer, kNoteStyle));
    const double width = std::max(contentWidth, std::ceil(textWidth) + 2 * kMargin);
    const double height = std::ceil(top + contentHeight + bottom);
    Canvas canvas(path, width, height);

    canvas.text({width / 2, kMargin + 14}, title, kTitleStyle.anchored(TextAnchor::Middle));
    Point place{kMargin / 2 + std::floor((width - contentWidth) / 2), top};
    for (const SectionLayout& layout : layouts) {
        layout.draw(canvas, place);
        place.y += layout.height();
    }
    canvas.text({kMargin, height - kMargin / 2 - 4}, footer, kNoteStyle);
    canvas.save();
}

}  // namespace glycine::picture
