#pragma once

#include <cstdint>

#include "kernels_cuda/pairwise/align_cells.hpp"

/// One pair of sequences computed by all warps of a block, for long and few pairs. Columns are cut into
/// stripes, one per warp, and a stripe into a few columns per lane. Each lane is one row behind the lane
/// before it, and each warp kStripeLag rows behind the warp before it. The values passed from stripe to
/// stripe, two numbers per row, are in a ring in shared memory. After every kStripeSteps steps the warps
/// synchronise: values are written before such a barrier and read after it, and overwritten only after
/// another. If a block has fewer stripes (a panel) than the columns need, the values passed on by its last
/// stripe are kept in device memory, one set per row, until the next panel.
///
/// Plain C++ except for the exchange between lanes, so that it can be tested without a device.
namespace glycine::cuda {

inline constexpr unsigned kStripeColumns = 8;  ///< per lane
inline constexpr unsigned kStripeWarps = 16;   ///< per block, at most
inline constexpr unsigned kStripeSteps = 32;   ///< between two barriers
inline constexpr unsigned kStripeLag = 64;
inline constexpr unsigned kStripeRing = 128;  ///< rows
static_assert(kStripeLag - (kAlignLanes - 1) >= kStripeSteps,
              "a row must be written a wait before it is read");
static_assert(kStripeRing >= kStripeLag - (kAlignLanes - 1) + kStripeSteps,
              "a row must be read a wait before the next one replaces it");
static_assert(kStripeSteps == kAlignLanes,
              "each lane fetches one of the rows that are read until the next wait");

/// The values passed from a cell to the next cell of its row.
template <class Number>
struct StripeBorder {
    Number left, across;
};

/// The division of a pair among warps.
struct StripeShape {
    unsigned rows, columns, warps;  ///< of the block

    GLYCINE_HOST_DEVICE static unsigned stripesOf(unsigned columns) {
        return (columns + kStripeColumns * kAlignLanes - 1) / (kStripeColumns * kAlignLanes);
    }
    GLYCINE_HOST_DEVICE unsigned panels() const { return (stripesOf(columns) + warps - 1) / warps; }
    /// The number of warps with a stripe in the panel.
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
    StripeBorder<Number> out;  ///< of the last computed row
    unsigned delay;            ///< rows that the lane is behind the panel's first lane
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
    /// Whether the lane has a cell in this step; `row` is its row.
    GLYCINE_HOST_DEVICE bool rowAt(const StripeShape& shape, unsigned step, unsigned& row) const {
        row = step - delay;
        return step >= delay && row < shape.rows && hasColumns;
    }
    /// `scores`: the table row of the row's letter; `in`: the border from the column before the lane's first
    /// one.
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
    /// After the last row: whether the lane has the last column; `number` is then its value.
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
