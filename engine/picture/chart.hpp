#pragma once

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/picture/canvas.hpp"

/// Shared parts of charts: axes, the title above, the footer below. In SVG, the pointer over a
/// bar, part, point or cell gets its value (Canvas::value).

namespace glycine::picture {

/// Uncertainty range of a value; 0 < low ≤ high.
struct ValueRange {
    double low = 0;
    double high = 0;
};

/// An axis over `length` pixels: logarithmic from 10^`lowest` to 10^`highest`, which may be fractional, or
/// linear from `lowest` to `highest`.
struct Axis {
    double length;
    std::string label{};
    std::function<std::string(double)> text{};  ///< text of a tick
    bool isLinear = false;
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    std::vector<double> ticks{};

    /// Widens the axis to include a value, a linear axis also 0. Throws UsageError, naming the value's
    /// `owner`, if it is not finite and above 0; a linear axis accepts 0.
    void include(double value, const std::string& owner);
    /// True before the first `include`.
    bool isEmpty() const { return highest < lowest; }
    /// Pixels from the axis' lower end.
    double position(double value) const {
        return ((isLinear ? value : std::log10(value)) - lowest) / (highest - lowest) * length;
    }
};

/// Shape of the points of the k-th series.
Marker seriesMarker(std::size_t k);
/// Dash length of the k-th series' line, for Canvas::line: dashes distinguish series once shapes and colours
/// repeat.
double seriesDash(std::size_t k);

/// Draws ticks with their texts at the left of a plot, grid lines across it, and the axis' name at `labelX`.
void drawAxisLeft(Canvas& canvas, const Box& plot, const Axis& axis, double labelX);

inline constexpr double kAxisHeight = 56;  ///< pixels below a plot for its axis and label
inline constexpr double kTextGap = 5;      ///< between a tick and its label, and between labels

/// Draws grid lines, ticks, their labels (skipping those that would overlap the previous one), and the axis'
/// label.
void drawAxisBelow(Canvas& canvas, const Box& plot, const Axis& axis);

/// The page of a chart.
class ChartPage {
  public:
    static constexpr double kMargin = 28;

    ChartPage(std::string title, std::vector<std::string> footer);
    /// Top of the chart, below the title.
    double top() const;
    /// Reserves room for a text that begins at `x`.
    void makeRoom(double x, const std::string& text, const TextStyle& style);
    /// Opens a page for a chart that extends to `right` and `bottom`, and draws the title. Title, footer and
    /// reserved texts may extend further to the right.
    Canvas& open(const std::filesystem::path& path, double right, double bottom);
    /// Draws the footer and writes the file.
    void save();

  private:
    std::string title_;
    std::vector<std::string> footer_;
    double width_ = 0;
    double bottom_ = 0;
    std::unique_ptr<Canvas> canvas_;
};

// Grouped horizontal bars on a logarithmic axis, for quantities that span many orders of magnitude.

/// The meaning of one bar in every group.
struct BarSeries {
    std::string name;
    Color color;
};

struct Bar {
    std::optional<double> value{};      ///< above 0
    std::string note{};                 ///< shown in place of the bar if there is no value
    std::optional<ValueRange> range{};  ///< drawn across the bar's end
    bool isHollow = false;              ///< an outline, for a value that was not measured
};

struct BarGroup {
    std::string label;
    std::vector<Bar> bars;  ///< one per series; bars with neither value nor note take no room
    std::string heading{};  ///< line above the group that begins a section; empty: none
};

struct BarChartOptions {
    std::string title{};
    std::string axisLabel{};
    std::vector<std::string> footer{};               ///< lines below the axis
    std::function<std::string(double)> valueText{};  ///< text next to a bar
    std::function<std::string(int)> tickText{};      ///< text at a power of ten on the axis
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically. The axis spans the whole powers of ten around all
/// values; bars begin at its lower end. Throws UsageError if there is no value, or one that is not finite and
/// above 0. Throws Error with path and cause if the file cannot be written.
void writeBarChart(const std::filesystem::path& path, const std::vector<BarSeries>& series,
                   const std::vector<BarGroup>& groups, const BarChartOptions& options);

/// A whole and its parts.
struct ShareBar {
    std::string label;
    std::vector<double> parts;  ///< one per series, each at least 0, and at most 1 in total
    std::string text{};         ///< next to the bar: size of the whole
    std::string note{};         ///< shown in place of the bar if there are no parts
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically: bars of equal length, divided into parts. Of
/// `options`, only title, axisLabel and footer are used. Throws UsageError if no bar has parts, and for parts
/// that are no fractions or differ in number from the series. Throws Error with path and cause if the file
/// cannot be written.
void writeShareChart(const std::filesystem::path& path, const std::vector<BarSeries>& series,
                     const std::vector<ShareBar>& bars, const BarChartOptions& options);

// Efficiency of programs on more and more platforms, each from its best platform to its worst: the cascade
// plot of J. Sewall, S. J. Pennycook, D. Jacobsen, T. Deakin and S. McIntosh-Smith, "Interpreting and
// Visualizing Performance Portability Metrics", P3HPC 2020.

struct CascadeSeries {
    std::string name;
    std::vector<double> efficiencies;  ///< one per platform, 0 … 1, in any order; equally many in each series
    double portability = 0;            ///< the metric over all platforms, shown in the key
};

struct CascadeOptions {
    std::string title{};
    std::string yLabel{};
    std::vector<std::string> footer{};
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically. Solid with markers: the efficiency on the k-th best
/// platform. Dashed: the metric over the best k, whose last value the key repeats. Throws UsageError if there
/// are no series, the numbers of platforms differ, or a number is outside 0 … 1. Throws Error with path and
/// cause if the file cannot be written.
void writeCascadeChart(const std::filesystem::path& path, const std::vector<CascadeSeries>& series,
                       const CascadeOptions& options);

// A table of cells of a few kinds, each with a sign, shade and colour, to show agreement between rows and
// columns.

enum class CellKind {
    Equal,   ///< dark, white sign
    Near,    ///< of middle lightness
    Wrong,   ///< white with a thick border, bold sign
    Absent,  ///< pale
};

struct ChartCell {
    CellKind kind = CellKind::Absent;
    std::string sign{};  ///< a few characters
    std::string
        value{};  ///< what the sign stands for, as SVG says for the pointer over the cell (Canvas::value)
};

struct CellChartOptions {
    std::string title{};
    /// Meanings of the kinds, in the order of the key; kinds without a cell are left out.
    std::vector<std::pair<ChartCell, std::string>> key{};
    std::vector<std::string> footer{};
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically: one row of cells per element of `rows`, one cell
/// per element of `columns`, whose names run upwards. Throws UsageError without rows or columns. Throws Error
/// with path and cause if the file cannot be written.
void writeCellChart(const std::filesystem::path& path, const std::vector<std::string>& rows,
                    const std::vector<std::string>& columns, const std::vector<std::vector<ChartCell>>& cells,
                    const CellChartOptions& options);

// Lines through marked points, to show how a time grows with a size and where backends cross.

struct LineSeries {
    std::string name;
    std::vector<Point> points{};       ///< in the order of the line; above 0, or at least 0 on linear axes
    std::vector<ValueRange> ranges{};  ///< of the y values, a bar through each point; empty: none
    std::vector<bool> isHollow{};      ///< one per point, for values that were not measured; empty: none
    /// Series of the same look share a marker and a colour from seriesColor; by default the place among the
    /// panel's series.
    std::optional<std::size_t> look{};
    bool isDashed = false;
};

/// A plot with its own x axis.
struct LinePanel {
    std::string heading{};
    std::string xLabel{};
    /// Labelled positions on the x axis, e.g. the sizes measured; empty: round numbers.
    std::vector<double> xTicks{};
    std::vector<LineSeries> series{};
};

struct LineChartOptions {
    std::string title{};
    std::string xLabel{};
    std::string yLabel{};
    std::vector<std::string> footer{};           ///< lines below the plot
    std::vector<double> xTicks{};                ///< LinePanel::xTicks
    std::function<std::string(double)> xText{};  ///< text of a tick
    std::function<std::string(double)> yText{};
    bool isLinear = false;  ///< both axes
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically. Series without points are left out of the legend.
/// Throws UsageError if there is no point, or one that its axis cannot hold (Axis::include). Throws Error
/// with path and cause if the file cannot be written.
void writeLineChart(const std::filesystem::path& path, const std::vector<LineSeries>& series,
                    const LineChartOptions& options);

/// Draws panels in rows of two or three, with one legend, in which series of several panels with the same
/// name stand once. Logarithmic y axes have the same range, linear ones their own. Leaves out panels without
/// points. Of `options`, xLabel and xTicks are not used. Throws as writeLineChart does.
void writeLinePanels(const std::filesystem::path& path, std::vector<LinePanel> panels,
                     const LineChartOptions& options);

}  // namespace glycine::picture
