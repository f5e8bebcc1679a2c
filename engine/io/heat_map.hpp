#pragma once

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/matrix.hpp"

namespace glycine::io {

/// A matrix reduced to the size of a picture. It owns its values, so it can show a matrix that changed
/// meanwhile.
struct HeatMapPanel {
    std::string title;
    Matrix<float> values;  ///< one value a cell; NaN: unknown, drawn in grey
    std::size_t rows = 0;  ///< of the matrix; axis labels count them from 1
    std::size_t columns = 0;
};

/// Reduces a rows × columns matrix to at most `maxSide` cells a side by averaging. `rowValues(row, values)`
/// fills in the `columns` values of a row, NaN or infinite where nothing is known; it is called from several
/// threads. A cell is unknown when more than half of its elements are. Throws UsageError for an empty matrix.
HeatMapPanel makeHeatMapPanel(std::string title, std::size_t rows, std::size_t columns,
                              const std::function<void(std::size_t row, float* values)>& rowValues,
                              std::size_t maxSide = 640);

/// The same for the elements of a matrix.
template <class T>
HeatMapPanel makeHeatMapPanel(std::string title, MatrixView<const T> matrix, std::size_t maxSide = 640) {
    return makeHeatMapPanel(
        std::move(title), matrix.rows(), matrix.columns(),
        [matrix](std::size_t row, float* values) {
            for (std::size_t j = 0; j < matrix.columns(); ++j) values[j] = static_cast<float>(matrix(row, j));
        },
        maxSide);
}

struct HeatMapOptions {
    std::string title;             ///< over the whole picture; may be empty
    std::string footer;            ///< small line below: program, command; may be empty
    std::string valueLabel = "Å";  ///< unit beside the colour bars
    std::string axisLabel = "atom";
    std::size_t panelsPerRow = 2;
    std::optional<double> minimum;  ///< of the scale; 0 or the smallest value of the row of panels if absent
    std::optional<double> maximum;  ///< of the scale; the largest value of the row of panels if absent
    bool roundScale = false;        ///< both ends of the scale are moved outwards to a round number
};

/// Draws the panels in rows of `panelsPerRow` and writes one PNG file, atomically. The panels of one row
/// share one scale and one colour bar, so that they can be compared by eye. Throws UsageError when there is
/// no panel, Error when the file cannot be written.
void writeHeatMaps(const std::filesystem::path& path, const std::vector<HeatMapPanel>& panels,
                   const HeatMapOptions& options = {});

}  // namespace glycine::io
