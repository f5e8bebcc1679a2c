#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/picture/canvas.hpp"

namespace glycine::picture {

/// The range of a picture's colours.
struct ColorRange {
    bool isRobust = false;            ///< from the 2nd to the 98th percentile of the values
    std::optional<double> minimum{};  ///< otherwise, if absent, the least value
    std::optional<double> maximum{};  ///< likewise

    bool isGiven() const { return isRobust || minimum || maximum; }
    /// The range for these values, of which only finite ones count; 0 and 1 if there are none.
    std::pair<double, double> endsOf(std::vector<double> values) const;
};

/// A tick on both axes of a square matrix, for matrices whose names do not fit.
struct AxisMark {
    std::size_t item = 0;  ///< from 0
    std::string text;      ///< empty: no tick
    /// Draws a line across the plot before the item, if the plot has room for all lines.
    bool isBoundary = false;
};

/// A joint of two subtrees over the columns. Positions count from 0 at the middle of the first column.
struct HeatMapBracket {
    double left = 0, right = 0;              ///< positions of the two subtrees
    double leftHeight = 0, rightHeight = 0;  ///< heights of the subtrees' own joints
    double height = 0;
};

/// A matrix reduced to the size of a picture. It owns its values, so the matrix may change afterwards.
struct HeatMapPanel {
    std::string title;
    Matrix<float> values;  ///< one per cell; NaN: unknown, drawn in grey; infinite: drawn in stripes
    std::size_t rows = 0;  ///< of the matrix; axis labels count them from 1
    std::size_t columns = 0;
    std::string subtitle;  ///< small line below the title; may be empty
    /// One per row and one per column, shown if cells are large enough for text; empty: numbers are shown.
    std::vector<std::string> rowNames;
    std::vector<std::string> columnNames;
    std::vector<AxisMark> marks{};  ///< instead of numbers; marks without room are left out
    /// One per item, which is both a row and a column: drawn as a strip along both axes; empty: none.
    std::vector<GroupSign> itemSigns{};
    std::vector<HeatMapBracket> brackets{};  ///< a tree of the columns, drawn above them
    bool hasDiagonal = true;                 ///< if not, grey on the diagonal needs no explanation
};

/// Treatment of infinite elements of a matrix.
enum class InfiniteElements {
    Unknown,  ///< like NaN
    Kept,     ///< a cell with an infinite element is infinite
};

/// Reduces a rows × columns matrix to at most `maxSide` cells per side by averaging. `rowValues(row, values)`
/// sets the `columns` values of a row, with NaN for unknown ones; several threads call it. A cell is unknown
/// if more than half of its elements are. Throws UsageError for an empty matrix.
HeatMapPanel makeHeatMapPanel(std::string title, std::size_t rows, std::size_t columns,
                              const std::function<void(std::size_t row, float* values)>& rowValues,
                              std::size_t maxSide = 640,
                              InfiniteElements infinite = InfiniteElements::Unknown);

/// The same for the elements of a matrix.
template <class T>
HeatMapPanel makeHeatMapPanel(std::string title, MatrixView<const T> matrix, std::size_t maxSide = 640,
                              InfiniteElements infinite = InfiniteElements::Unknown) {
    return makeHeatMapPanel(
        std::move(title), matrix.rows(), matrix.columns(),
        [matrix](std::size_t row, float* values) {
            for (std::size_t j = 0; j < matrix.columns(); ++j) values[j] = static_cast<float>(matrix(row, j));
        },
        maxSide, infinite);
}

/// The scale of the colours of some panels.
struct HeatMapScale {
    std::string valueLabel{};         ///< unit next to the colour bar
    std::optional<double> minimum{};  ///< if absent: 0 or the smallest value of the panels
    std::optional<double> maximum{};  ///< if absent: the largest value of the panels
    bool roundScale = false;          ///< rounds both ends of the scale outwards
    /// The colours begin here; smaller values are drawn in light greys.
    std::optional<double> threshold{};
    std::string thresholdLabel{};      ///< next to the threshold on the colour bar: "p = 0.01"
    std::vector<std::string> notes{};  ///< small lines below the colour bar
    std::vector<ColorKey> key{};       ///< also below it: meanings of itemSigns
    ColorMap colors = ColorMap::Usual;
};

/// Panels that share one scale and one colour bar, for comparison by eye.
struct HeatMapSection {
    std::span<const HeatMapPanel> panels;
    std::size_t panelsPerRow = 1;
    HeatMapScale scale{};
};

struct HeatMapPage {
    std::string title{};   ///< above the whole picture; may be empty
    std::string footer{};  ///< small line below the picture: program, command; may be empty
    std::string rowLabel{};
    std::string columnLabel{};
    std::size_t plotSide = 560;  ///< pixels; matrices are enlarged to about this size
    std::size_t maximumCell = std::numeric_limits<std::size_t>::max();  ///< pixels per side
    /// If all panels of a section have the same axes, show them only at its left and lower border.
    bool sharedAxes = false;
    /// Draws to the left of the maps, in a box of plotSide × plotSide; absent: nothing.
    std::function<void(Canvas& canvas, const Box& box)> aside{};
};

/// Checks the page size before values are computed: throws as writeHeatMaps for a page that is too large. The
/// panels' values only affect the width of numbers next to the colour bar.
void checkHeatMaps(const std::filesystem::path& path, std::span<const HeatMapSection> sections,
                   const HeatMapPage& page);

/// Draws the sections that have panels, one below the other, into one PNG, SVG or PDF file (see Canvas),
/// atomically. Throws UsageError if there is no panel, the name has another ending, or the page is too large.
/// Throws Error if the file cannot be written.
void writeHeatMaps(const std::filesystem::path& path, std::span<const HeatMapSection> sections,
                   const HeatMapPage& page);
/// The same with one section.
inline void writeHeatMaps(const std::filesystem::path& path, const HeatMapSection& section,
                          const HeatMapPage& page = {}) {
    writeHeatMaps(path, std::span(&section, 1), page);
}

}  // namespace glycine::picture
