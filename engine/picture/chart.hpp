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

/// What charts have in common: logarithmic axes, a title above, small lines below.

namespace glycine::picture {

/// Where a value lies with some certainty; 0 < low ≤ high.
struct ValueRange {
    double low = 0;
    double high = 0;
};

/// A logarithmic axis over whole or broken powers of ten, `lowest` to `highest`, of `length` pixels.
struct LogAxis {
    double length;
    std::string label{};
    std::function<std::string(double)> text{};  ///< of a tick
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -lowest;
    std::vector<double> ticks{};

    /// Widens the axis to a value. Throws UsageError, naming the value's `owner`, when it is not above 0 and
    /// finite.
    void include(double value, const std::string& owner);
    /// Before `include`.
    bool isEmpty() const { return highest < lowest; }
    /// Pixels from the axis' lower end.
    double position(double value) const { return (std::log10(value) - lowest) / (highest - lowest) * length; }
};

/// Shape of the k-th series' points.
Marker seriesMarker(std::size_t k);
/// Dashes of its line, for Canvas::line: where shapes and colours begin anew, dashes tell series apart.
double seriesDash(std::size_t k);

/// Ticks at the left of a plot with their texts, lines of the grid across it, and the axis' name at `labelX`.
void drawAxisLeft(Canvas& canvas, const Box& plot, const LogAxis& axis, double labelX);

inline constexpr double kAxisHeight = 56;  ///< pixels below a plot that its axis takes, with its label
inline constexpr double kTextGap = 5;      ///< between a tick and its label, and between labels

/// Lines of the grid, ticks, their labels (those that do not run into the one before) and the axis' label.
void drawAxisBelow(Canvas& canvas, const Box& plot, const LogAxis& axis);

/// The page of a chart.
class ChartPage {
  public:
    static constexpr double kMargin = 28;

    ChartPage(std::string title, std::vector<std::string> footer);
    /// Where the chart begins, below the title.
    double top() const;
    /// Makes room for a text that begins at `x`.
    void makeRoom(double x, const std::string& text, const TextStyle& style);
    /// The page of a chart that reaches to `right` and `bottom`, with the title drawn. Title, footer and what
    /// has asked for room may reach further to the right.
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

// Horizontal bars in groups on a logarithmic axis, for quantities that span many orders of magnitude.

/// What one bar of every group stands for.
struct BarSeries {
    std::string name;
    Color color;
};

struct Bar {
    std::optional<double> value{};      ///< above 0
    std::string note{};                 ///< stands in the bar's place when there is no value
    std::optional<ValueRange> range{};  ///< drawn across the bar's end
};

struct BarGroup {
    std::string label;
    std::vector<Bar> bars;  ///< one a series; those with neither value nor note take no room
    std::string heading{};  ///< a line above the group, that begins a section; empty: none
};

struct BarChartOptions {
    std::string title{};
    std::string axisLabel{};
    std::vector<std::string> footer{};               ///< lines below the axis
    std::function<std::string(double)> valueText{};  ///< beside a bar
    std::function<std::string(int)> tickText{};      ///< on the axis, for a power of ten
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically. The axis runs over whole powers of ten that hold
/// all values; bars begin at its lower end. Throws UsageError when there is no value, or one that is not
/// above 0 and finite; Error with path and cause when the file cannot be written.
void writeBarChart(const std::filesystem::path& path, const std::vector<BarSeries>& series,
                   const std::vector<BarGroup>& groups, const BarChartOptions& options);

/// A whole, and the parts of it.
struct ShareBar {
    std::string label;
    std::vector<double> parts;  ///< one a series, at least 0, and at most 1 together
    std::string text{};         ///< beside the bar: how much the whole is
    std::string note{};         ///< stands in the bar's place when there are no parts
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically: bars of one length, divided into their parts.
/// `options`: title, axisLabel and footer count. Throws UsageError without any parts, and for parts that are
/// no shares or of another number than the series; Error with path and cause when the file cannot be written.
void writeShareChart(const std::filesystem::path& path, const std::vector<BarSeries>& series,
                     const std::vector<ShareBar>& bars, const BarChartOptions& options);

// How efficient programs are on more and more platforms, each from its best platform to its worst: the
// cascade plot of J. Sewall, S. J. Pennycook, D. Jacobsen, T. Deakin and S. McIntosh-Smith, "Interpreting
// and Visualizing Performance Portability Metrics", P3HPC 2020.

struct CascadeSeries {
    std::string name;
    std::vector<double> efficiencies;  ///< of one platform each, 0 … 1, in any order; as many in each series
    double portability = 0;            ///< the metric over all platforms, shown in the key
};

struct CascadeOptions {
    std::string title{};
    std::string yLabel{};
    std::vector<std::string> footer{};
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically. Solid with markers: the efficiency on the k-th
/// best platform; dashed: the metric over the best k, whose last value the key repeats. Throws UsageError
/// without series, for differing numbers of platforms and for what lies outside 0 … 1; Error with path and
/// cause when the file cannot be written.
void writeCascadeChart(const std::filesystem::path& path, const std::vector<CascadeSeries>& series,
                       const CascadeOptions& options);

// A table of few kinds of cells, each with a sign, a shade and a colour: who agrees with whom.

enum class CellKind {
    Equal,   ///< dark, white sign
    Near,    ///< of middle lightness
    Wrong,   ///< white with a thick border, bold sign
    Absent,  ///< pale
};

struct ChartCell {
    CellKind kind = CellKind::Absent;
    std::string sign{};  ///< a few characters
};

struct CellChartOptions {
    std::string title{};
    /// What the kinds mean, in the order of the key; those without a cell are left out.
    std::vector<std::pair<ChartCell, std::string>> key{};
    std::vector<std::string> footer{};
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically: a row of cells for each of `rows`, as many cells as
/// `columns`, whose names run upwards. Throws UsageError without rows or columns; Error with path and cause
/// when the file cannot be written.
void writeCellChart(const std::filesystem::path& path, const std::vector<std::string>& rows,
                    const std::vector<std::string>& columns, const std::vector<std::vector<ChartCell>>& cells,
                    const CellChartOptions& options);

// Lines through marked points on two logarithmic axes: how a time grows with a size, and where backends
// cross.

/// Each series has a marker and, from seriesColor, a colour of its own.
struct LineSeries {
    std::string name;
    std::vector<Point> points;         ///< in the order in which the line joins them; above 0
    std::vector<ValueRange> ranges{};  ///< of the y values, a bar through each point; empty: none
};

struct LineChartOptions {
    std::string title{};
    std::string xLabel{};
    std::string yLabel{};
    std::vector<std::string> footer{};  ///< lines below the plot
    /// Where the x axis has labels, e.g. the sizes measured; empty: at round numbers.
    std::vector<double> xTicks{};
    std::function<std::string(double)> xText{};  ///< of a tick
    std::function<std::string(double)> yText{};
};

/// Draws a PNG, SVG or PDF file (see Canvas), atomically. Series without points have no place in the legend.
/// Throws UsageError when there is no point, or one that is not above 0 and finite; Error with path and cause
/// when the file cannot be written.
void writeLineChart(const std::filesystem::path& path, const std::vector<LineSeries>& series,
                    const LineChartOptions& options);

}  // namespace glycine::picture
