#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/device/launch.hpp"

namespace glycine::cuda {

/// Where an element of the N × N result is stored, as in pairs::PairLayout.
struct StoredLayout {
    std::size_t instances = 0;
    std::size_t references = 0;  ///< above 0: a rectangle
    bool isCondensed = false;

    GLYCINE_HOST_DEVICE std::size_t index(std::size_t row, std::size_t column) const {
        if (isCondensed) return row * (2 * instances - row - 1) / 2 + (column - row - 1);
        return references > 0 ? (row - references) * references + column : row * instances + column;
    }
    GLYCINE_HOST_DEVICE bool holdsBelow() const { return !isCondensed; }
    GLYCINE_HOST_DEVICE bool holdsAbove() const { return references == 0; }
    GLYCINE_HOST_DEVICE bool isSquare() const { return !isCondensed && references == 0; }
};

/// Numbers of a piece of the result; element (0, 0) belongs to instances firstRow and firstColumn. Only pairs
/// with column < row count.
template <class Source>
struct PieceOnDevice {
    MatrixOnDevice<const Source> numbers;
    std::size_t rows, columns;
    std::size_t firstRow, firstColumn;
};

/// How values are computed from numbers: pairs::DeviceFinish.
struct ValueRule {
    bool isRoot;
    double factor, least;
    bool isFinite;             ///< infinite and NaN values do not fit
    const double* onDiagonal;  ///< in device memory, one per instance; null: `diagonal`
    double diagonal;
};

/// Stores the values of a piece as Target: float, double or int32 (NaN becomes the smallest number).
/// Sets `misfits`, initially 0, if a value does not fit.
template <class Source, class Target>
void launchStore(StreamHandle stream, const PieceOnDevice<Source>& piece, const ValueRule& rule,
                 const StoredLayout& layout, Target* target, unsigned* misfits);

}  // namespace glycine::cuda
