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

/// The ends of a picture's colours.
struct ColorRange {
    bool isRobust = false;            ///< from the 2nd to the 98th percentile of the values
    std::optional<double> minimum{};  ///< otherwise, where absent, the least value
    std::optional<double> maximum{};  ///< likewise

    bool isGiven() const { return isRobust || minimum || maximum; }
    /// Of finite values; 0 and 1 without any.
    std::pair<double, double> endsOf(std::vector<double> values) const;
};

/// A tick of both axes of a square matrix, where names do not fit.
struct AxisMark {
    std::size_t item = 0;     ///< counts from 0
    std::string text;         ///< empty: no tick
    bool isBoundary = false;  ///< a line across the plot before the item
};

/// What joins two parts of a tree: of columns, which count from 0 in the middle of the first one.
struct HeatMapBracket {
    double left = 0, right = 0;              ///< where the two parts begin
    double leftHeight = 0, rightHeight = 0;  ///< at which they were joined themselves
    double height = 0;
};

/// A matrix reduced to the size of a picture. It owns its values, so it can show a matrix that changed
/// meanwhile.
struct HeatMapPanel {
    std::string title;
    Matrix<float> values;  ///< one value a cell; NaN: unknown, drawn in grey; infinite: drawn in stripes
    std::size_t rows = 0;  ///< of the matrix; axis labels count them from 1
    std::size_t columns = 0;
    std::string subtitle;  ///< small line below the title; may be empty
    /// One a row and one a column, shown where cells are large enough for text; empty: numbers are shown.
    std::vector<std::string> rowNames;
    std::vector<std::string> columnNames;
    std::vector<AxisMark> marks{};  ///< in place of numbers; those for which there is no room are left out
    /// One a row, which is a column, too: a strip of them along both axes; empty: none.
    std::vector<Color> itemColors{};
    std::vector<HeatMapBracket> brackets{};  ///< a tree of the columns, above them
};

/// What becomes of infinite elements of a matrix.
enum class InfiniteElements {
    Unknown,  ///< as NaN
    Kept,     ///< a cell with one of them is infinite
};

/// Reduces a rows × columns matrix to at most `maxSide` cells a side by averaging. `rowValues(row, values)`
/// fills in the `columns` values of a row, NaN where nothing is known; it is called from several threads. A
/// cell is unknown when more than half of its elements are. Throws UsageError for an empty matrix.
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

/// What the colours of some panels stand for.
struct HeatMapScale {
    std::string valueLabel{};         ///< unit beside the colour bar
    std::optional<double> minimum{};  ///< 0 or the smallest value of the panels if absent
    std::optional<double> maximum{};  ///< the largest value of the panels if absent
    bool roundScale = false;          ///< both ends of the scale are moved outwards to a round number
    /// The colours begin here, and smaller values are drawn in light greys.
    std::optional<double> threshold{};
    std::string thresholdLabel{};      ///< beside the threshold on the colour bar: "p = 0.01"
    std::vector<std::string> notes{};  ///< small lines below the colour bar
    std::vector<ColorKey> key{};       ///< below it, too: what itemColors mean
    ColorMap colors = ColorMap::Usual;
};

/// Panels that share one scale and one colour bar, so that they can be compared by eye.
struct HeatMapSection {
    std::span<const HeatMapPanel> panels;
    std::size_t panelsPerRow = 1;
    HeatMapScale scale{};
};

struct HeatMapPage {
    std::string title{};   ///< over the whole picture; may be empty
    std::string footer{};  ///< small line below: program, command; may be empty
    std::string rowLabel{};
    std::string columnLabel{};
    std::size_t plotSide = 560;  ///< pixels; matrices are enlarged to about this
    std::size_t maximumCell = std::numeric_limits<std::size_t>::max();  ///< pixels a side
    /// Where all panels of a section have the same axes, only those at its left and lower border show them.
    bool sharedAxes = false;
    /// What is drawn to the left of the maps, in a box of plotSide × plotSide; absent: nothing.
    std::function<void(Canvas& canvas, const Box& box)> beside{};
};

/// Throws as writeHeatMaps for a page that is too large: before there are values. Those of the panels decide
/// the width of numbers beside the colour bar alone.
void checkHeatMaps(const std::filesystem::path& path, std::span<const HeatMapSection> sections,
                   const HeatMapPage& page);

/// Draws the sections, those that have panels, one below the other and writes one file, PNG, SVG or PDF
/// (see Canvas), atomically. Throws UsageError when there is no panel, the name has another ending or the
/// page is too large, Error when the file cannot be written.
void writeHeatMaps(const std::filesystem::path& path, std::span<const HeatMapSection> sections,
                   const HeatMapPage& page);
/// The same with one section.
inline void writeHeatMaps(const std::filesystem::path& path, const HeatMapSection& section,
                          const HeatMapPage& page = {}) {
    writeHeatMaps(path, std::span(&section, 1), page);
}

}  // namespace glycine::picture
