#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/error.hpp"
#include "engine/picture/heat_map.hpp"

namespace glycine::picture {

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
        }
    }
    return panel;
}

}  // namespace glycine::picture
