#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/pairs/row_digest.hpp"
#include "kernels_cuda/device/launch.hpp"

namespace glycine::cuda {

/// A pair of a piece, with indices within it.
struct PlacedValue {
    std::uint32_t row, column, value;
    std::uint32_t inCommon;
};

/// Values of a piece on the device, rows × columns starting at (0, 0).
struct DigestedValues {
    MatrixOnDevice<const std::uint32_t> values;
    MatrixOnDevice<const std::uint32_t> inCommon;  ///< null: all pairs have a value
    std::size_t rows = 0, columns = 0;
    bool isDiagonal = false;  ///< only pairs with column < row
    std::uint32_t leastInCommon = 0;
    std::uint32_t largest = 0;  ///< largest value of close pairs
};

/// Computes digests[row] of all rows, and the close pairs. `found`, initially 0, counts them; `close`
/// receives the first `room` of them, in any order.
void launchDigest(const Launch& launch, const DigestedValues& input, pairs::RowDigest* digests,
                  PlacedValue* close, std::uint32_t room, std::uint32_t* found);
/// Sets `value` and `inCommon` of the pairs at the given places.
void launchGather(const Launch& launch, const DigestedValues& input, PlacedValue* pairs, std::size_t count);

}  // namespace glycine::cuda
