#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/core/cancellation.hpp"
#include "engine/core/error.hpp"
#include "engine/core/parallel.hpp"
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

}  // namespace glycine::picture
