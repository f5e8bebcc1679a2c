#pragma once

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/picture/style.hpp"

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

}  // namespace glycine::picture
