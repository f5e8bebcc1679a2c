#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels_cuda/pairwise/intertask_kernels.hpp"

/// The step from cell to cell of an alignment, for all kernels that keep a pair's numbers in registers. It
/// also compiles as plain C++, so that it can be tested without a device.
namespace glycine::cuda {

/// One number per thread.
template <class T, int kColumnsAtOnce>
struct Single {
    using Number = T;
    static constexpr int kColumns = kColumnsAtOnce;  ///< columns kept in registers
    static constexpr int kQueries = 1;
    GLYCINE_HOST_DEVICE static Number of(std::int64_t value) { return Number(value); }
    GLYCINE_HOST_DEVICE static Number add(Number a, Number b) { return a + b; }
    GLYCINE_HOST_DEVICE static Number larger(Number a, Number b) { return a > b ? a : b; }
    /// max(a + b, c)
    GLYCINE_HOST_DEVICE static Number addLarger(Number a, Number b, Number c) { return larger(a + b, c); }
    GLYCINE_HOST_DEVICE static std::int64_t query(Number number, int) { return number; }
    /// Number of rows of the table in shared memory.
    GLYCINE_HOST_DEVICE static unsigned rows(unsigned) { return kAlignCodes; }
    GLYCINE_HOST_DEVICE static unsigned rowOf(unsigned letter, unsigned, unsigned) { return letter; }
    GLYCINE_HOST_DEVICE static Number entry(const std::int64_t* table, unsigned, unsigned row,
                                            unsigned column) {
        return Number(table[row * kAlignCodes + column]);
    }
};

/// The number at the borders. There the best score is −opening (0 for linear gaps), and 0 in the corner; for
/// local alignments it is 0 everywhere. All are stored minus an opening.
template <class Lane, Recurrence kRecurrence>
GLYCINE_HOST_DEVICE typename Lane::Number alignBorder(std::int64_t open) {
    return Lane::of(kRecurrence == Recurrence::Local ? -open : -2 * open);
}

/// Returns the result of `choose` for a recurrence, which it receives as std::integral_constant.
template <class Choose>
auto ofRecurrence(Recurrence recurrence, const Choose& choose) {
    switch (recurrence) {
        case Recurrence::Linear:
            return choose(std::integral_constant<Recurrence, Recurrence::Linear>{});
        case Recurrence::Affine:
            return choose(std::integral_constant<Recurrence, Recurrence::Affine>{});
        case Recurrence::Local:
            break;
    }
    return choose(std::integral_constant<Recurrence, Recurrence::Local>{});
}

/// The values passed from cell to cell along a row.
template <class Lane>
struct AlignRow {
    typename Lane::Number diagonal;  ///< of the row above, previous column
    typename Lane::Number left;      ///< the best score of the previous column
    typename Lane::Number across;    ///< of a gap that continues along the row
};

/// Computes the next cell of a row. `best` and `gap` of its column are those of the row above, and are
/// replaced by this row's. `highest` is the maximum of all cells (local alignments).
template <class Lane, Recurrence kRecurrence>
GLYCINE_HOST_DEVICE void alignCell(typename Lane::Number score, typename Lane::Number minusOpen,
                                   typename Lane::Number minusExtend, AlignRow<Lane>& row,
                                   typename Lane::Number& best, typename Lane::Number& gap,
                                   typename Lane::Number& highest) {
    using Number = typename Lane::Number;
    const Number above = best;
    if constexpr (kRecurrence == Recurrence::Linear) {
        row.left = Lane::addLarger(row.diagonal, score, Lane::larger(row.left, above));
    } else {
        row.across = Lane::larger(row.across, row.left);
        gap = Lane::larger(gap, above);
        if constexpr (kRecurrence == Recurrence::Local) {
            row.across = Lane::add(row.across, minusExtend);
            gap = Lane::add(gap, minusExtend);
        }
        Number cell = Lane::larger(Lane::addLarger(row.diagonal, score, gap), row.across);
        if constexpr (kRecurrence == Recurrence::Local) {
            cell = Lane::larger(cell, Lane::of(0));
            highest = Lane::larger(highest, cell);
        }
        row.left = Lane::add(cell, minusOpen);
    }
    row.diagonal = above;
    best = row.left;
}

}  // namespace glycine::cuda
