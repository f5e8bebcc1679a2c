#include "engine/distance/pair_sum.hpp"

#include <algorithm>
#include <cmath>

namespace glycine::distance {

void repairSums(MatrixView<const float> coordinates, SumTerm term, const PairTile& tile,
                MatrixView<double> sums) {
    const std::size_t attributes = coordinates.columns();
    const double smallest =
        term == SumTerm::SquaredDifference ? static_cast<double>(attributes) * 0x1p-126 : 0;
    const auto rows = static_cast<std::ptrdiff_t>(sums.rows());
#pragma omp parallel for schedule(dynamic, 16) if (sums.rows() * sums.columns() > 100000)
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
        const auto i = static_cast<std::size_t>(r);
        const float* row = coordinates.row(tile.rows.begin + i);
        const std::size_t end = tile.isDiagonal() ? i : sums.columns();
        for (std::size_t j = 0; j < end; ++j) {
            if (sums(i, j) >= smallest && std::isfinite(sums(i, j))) continue;
            const float* column = coordinates.row(tile.columns.begin + j);
            // Equal rows have the sum 0 anyway.
            if (!std::equal(row, row + attributes, column))
                sums(i, j) = sumOfTerms(row, column, attributes, term);
        }
    }
}

}  // namespace glycine::distance
