#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/device/launch.hpp"

/// All pairs of two groups of instances, in device memory.
///
/// Operands lie "k-major": one row for every 32-bit word, one column for every instance, so that threads
/// which work on neighbouring instances read neighbouring words. Rows start on 16-byte boundaries.
namespace glycine::cuda {

/// Instances of a window are padded to a multiple of this, so that no kernel needs an edge case. What the
/// padding holds does not matter.
inline constexpr std::size_t kPairPadding = 256;

/// Instances to compare: each of `rows` with each of `columns`. On the diagonal both are the same, and only
/// pairs with column < row are wanted.
struct PairWindow {
    MatrixOnDevice<const std::uint32_t> rows;
    MatrixOnDevice<const std::uint32_t> columns;
    unsigned depth;        ///< rows of both operands
    unsigned rowCount;     ///< instances, a multiple of kPairPadding
    unsigned columnCount;  ///< the same
    bool isDiagonal;
    unsigned usedRows = 0;  ///< of rowCount, what comes before the padding; 0: nobody told
    unsigned usedColumns = 0;
};

/// What one launch does of a window.
struct PairPortion {
    unsigned firstRow;  ///< multiple of kPairPadding
    unsigned rowCount;  ///< the same
    unsigned firstDepth;
    unsigned depth;
};

/// Whether results begin anew or are added to.
enum class Accumulate { No, Yes };

}  // namespace glycine::cuda
