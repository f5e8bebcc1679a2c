#pragma once

#include <cstdint>

#include "kernels_cuda/pairwise/align_cells.hpp"

/// One pair of sequences by all warps of a block, for pairs that are long and few. Columns are cut into
/// stripes, a stripe a warp, some columns of it a lane. A lane is one row behind the lane before it, and a
/// warp kStripeLag rows behind the warp before it. What a stripe hands to the next one, two numbers a row,
/// lies in a ring in shared memory: after every kStripeSteps steps the warps wait for each other, so that
/// what is read was written before such a wait, and what is written over was read before one. Where there are
/// more columns than a block has stripes (a panel), what its last stripe hands on lies in the device's
/// memory, a row each, until the next panel.
///
/// Plain C++ but for the exchange between lanes, so that it is tested without a device.
namespace glycine::cuda {

inline constexpr unsigned kStripeColumns = 8;  ///< of a lane
inline constexpr unsigned kStripeWarps = 16;   ///< of a block, at most
inline constexpr unsigned kStripeSteps = 32;   ///< between two waits
inline constexpr unsigned kStripeLag = 64;
inline constexpr unsigned kStripeRing = 128;  ///< rows
static_assert(kStripeLag - (kAlignLanes - 1) >= kStripeSteps, "a row is written a wait before it is read");
static_assert(kStripeRing >= kStripeLag - (kAlignLanes - 1) + kStripeSteps,
              "and read a wait before the next one takes its place");
static_assert(kStripeSteps == kAlignLanes, "a lane fetches a row of what is read until the next wait");

/// What a cell hands to the one behind it in a row.
template <class Number>
struct StripeBorder {
    Number left, across;
};

/// How a pair is shared out.
struct StripeShape {
    unsigned rows, columns, warps;  ///< of the block

    GLYCINE_HOST_DEVICE static unsigned stripesOf(unsigned columns) {
        return (columns + kStripeColumns * kAlignLanes - 1) / (kStripeColumns * kAlignLanes);
    }
    GLYCINE_HOST_DEVICE unsigned panels() const { return (stripesOf(columns) + warps - 1) / warps; }
    /// Warps that have a stripe of the panel.
    GLYCINE_HOST_DEVICE unsigned warpsOf(unsigned panel) const {
        const unsigned left = stripesOf(columns) - panel * warps;
        return left < warps ? left : warps;
    }
    GLYCINE_HOST_DEVICE unsigned stepsOf(unsigned panel) const {
        return rows + (warpsOf(panel) - 1) * kStripeLag + kAlignLanes - 1;
    }
};

/// The columns of one lane.
template <class Lane, Recurrence kRecurrence>
struct StripeLane {
    using Number = typename Lane::Number;
    static constexpr bool kIsLocal = kRecurrence == Recurrence::Local;

    Number best[kStripeColumns];
    Number gap[kStripeColumns];
    unsigned letters[kStripeColumns];
    Number corner;
    Number highest = Lane::of(0);
    StripeBorder<Number> out;  ///< of the last row that was computed
    unsigned delay;            ///< rows that the lane is behind the first one of the panel
    unsigned first;            ///< column
    bool isFirst;              ///< of its panel
    bool hasColumns;

    GLYCINE_HOST_DEVICE void open(const StripeShape& shape, const std::uint8_t* codes, unsigned panel,
                                  unsigned warp, unsigned lane, Number minusOpen, Number border) {
        first = ((panel * shape.warps + warp) * kAlignLanes + lane) * kStripeColumns;
        delay = warp * kStripeLag + lane;
        isFirst = delay == 0;
        hasColumns = first < shape.columns;
        for (unsigned c = 0; c < kStripeColumns; ++c) {
            letters[c] = first + c < shape.columns ? codes[first + c] : kAlignCodes - 1;
            best[c] = border;
            gap[c] = border;
        }
        corner = first == 0 ? minusOpen : border;
        out = {border, border};
    }
    /// Whether the lane has a cell in this step; `row`: of which row.
    GLYCINE_HOST_DEVICE bool rowAt(const StripeShape& shape, unsigned step, unsigned& row) const {
        row = step - delay;
        return step >= delay && row < shape.rows && hasColumns;
    }
    /// `scores`: of the row's letter, in the table; `in`: of the column before the lane's first one.
    GLYCINE_HOST_DEVICE void work(const Number* scores, StripeBorder<Number> in, Number minusOpen,
                                  Number minusExtend) {
        AlignRow<Lane> row{corner, in.left, in.across};
        corner = in.left;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (unsigned c = 0; c < kStripeColumns; ++c)
            alignCell<Lane, kRecurrence>(scores[letters[c]], minusOpen, minusExtend, row, best[c], gap[c],
                                         highest);
        out = {row.left, row.across};
    }
    /// After the last row: whether the lane has the last column, and then its number.
    GLYCINE_HOST_DEVICE bool hasLast(const StripeShape& shape, Number& number) const {
        if (!hasColumns || shape.columns - 1 - first >= kStripeColumns) return false;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (unsigned c = 0; c < kStripeColumns; ++c)
            if (first + c == shape.columns - 1) number = best[c];
        return true;
    }
};

}  // namespace glycine::cuda
