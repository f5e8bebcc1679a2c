#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/device/launch.hpp"

/// All pairs of two groups of instances, in device memory.
///
/// Operands are stored "k-major": one row per 32-bit word, one column per instance, so that threads working
/// on neighbouring instances read neighbouring words. Rows start on 16-byte boundaries.
namespace glycine::cuda {

/// Instances of a window are padded to a multiple of this, so that kernels need no edge cases. The contents
/// of the padding do not matter.
inline constexpr std::size_t kPairPadding = 256;

/// Compares each instance of `rows` with each of `columns`. On the diagonal both are the same, and only pairs
/// with column < row are needed.
struct PairWindow {
    MatrixOnDevice<const std::uint32_t> rows;
    MatrixOnDevice<const std::uint32_t> columns;
    unsigned depth;        ///< rows of both operands
    unsigned rowCount;     ///< instances, a multiple of kPairPadding
    unsigned columnCount;  ///< the same
    bool isDiagonal;
    unsigned usedRows = 0;  ///< part of rowCount before the padding; 0: unknown
    unsigned usedColumns = 0;
};

/// The part of a window that one launch processes.
struct PairPortion {
    unsigned firstRow;  ///< multiple of kPairPadding
    unsigned rowCount;  ///< the same
    unsigned firstDepth;
    unsigned depth;
};

/// Whether results are overwritten or added to.
enum class Accumulate { No, Yes };

}  // namespace glycine::cuda
