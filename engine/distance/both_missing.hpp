#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/matrix.hpp"

namespace glycine::distance {

/// Which entries some instances lack, over a block of attributes: bit b of word w of a row is 1 where the
/// instance has no value for attribute 64·w + b of the block.
using MissingMasks = MatrixView<const std::uint64_t>;

/// Calls visit(bit) for every bit of `word` that is 1, in ascending order.
template <class Visit>
void forEachBit(std::uint64_t word, const Visit& visit) {
    for (; word != 0; word &= word - 1) visit(static_cast<std::size_t>(std::countr_zero(word)));
}

/// Adds to sums(r, c) the weights of the attributes that row r of `rows` and row c of `columns` both lack,
/// for c < r if `isDiagonal` (rows and columns are the same instances then), else for all c. `weights`: one
/// an attribute. Exact modulo 2⁶⁴. Runs on `threads` threads.
void addBothMissing(MissingMasks rows, MissingMasks columns, bool isDiagonal,
                    std::span<const std::uint64_t> weights, MatrixView<std::uint64_t> sums, int threads);

}  // namespace glycine::distance
