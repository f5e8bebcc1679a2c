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

/// How bits code symbols. Bit b of word w of plane p belongs to attribute 32·w + b; rows of operands are the
/// words in order, and for each word the planes in order.
struct PlaneFormat {
    unsigned planes = 2;      ///< 1 … 8 that tell symbols apart
    bool hasMissing = false;  ///< one plane more: entries that are there. Missing entries are 0 in all planes
    bool isThermometer = false;  ///< two planes, symbols 00, 01 and 11 (the high plane written first)
    unsigned stored() const { return planes + (hasMissing ? 1U : 0U); }
};

/// Instances to compare: each of `rows` with each of `columns`. On the diagonal both are the same, and only
/// pairs with column < row are wanted.
struct PairWindow {
    MatrixOnDevice<const std::uint32_t> rows;
    MatrixOnDevice<const std::uint32_t> columns;
    unsigned depth;        ///< rows of both operands
    unsigned rowCount;     ///< instances, a multiple of kPairPadding
    unsigned columnCount;  ///< the same
    bool isDiagonal;
};

/// Counts of a window, rowCount × columnCount each, rows `stride` elements apart (a multiple of 4); null
/// where not wanted. Elements above the diagonal of a window on it may hold anything afterwards.
struct CountsOnDevice {
    std::uint32_t* differing = nullptr;
    std::uint32_t* opposite = nullptr;  ///< both planes differ
    std::uint32_t* valid = nullptr;     ///< both entries are there
    std::size_t stride = 0;
};

/// Whether results begin anew or are added to.
enum class Accumulate { No, Yes };

}  // namespace glycine::cuda
