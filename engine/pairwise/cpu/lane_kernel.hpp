#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"

/// The arithmetic core of `cpu interpair`: one sequence (rows) with many others (columns), one pair per
/// register lane.
namespace glycine::pairwise::cpu {

/// Cells of some columns, in the form of LaneNumbers.
template <class Number>
struct LaneBlock {
    const std::uint8_t* query = nullptr;  ///< codes of the rows
    std::size_t rows = 0;
    const std::uint8_t* columns = nullptr;  ///< codes, `lanes` per column
    std::size_t first = 0;                  ///< first column to compute, from 0
    std::size_t last = 0;                   ///< past the last column: first + a multiple of columnsAtOnce
    std::size_t letters = 0;                ///< number of codes that the query may contain
    /// kTableSide × kTableSide, aligned to 64 bytes: the score of each pair of letters, plus the opening (and
    /// for global alignments two extensions).
    const Number* table = nullptr;
    Number open = 0;
    Number extend = 0;  ///< read by Local only
    /// 2 · lanes numbers per row, kept between calls, aligned to 64 bytes. For the column before `first`: the
    /// best score minus an opening, and the score of alignments that end with a gap in the query.
    Number* state = nullptr;
    Number* profile = nullptr;  ///< scratch: kTableSide · columnsAtOnce · lanes numbers, aligned to 64 bytes
    /// Global: `lanes` numbers per column: the best scores of the last row, minus an opening.
    Number* bottom = nullptr;
    /// Local: `lanes` numbers, kept between calls: the best score of all cells.
    Number* highest = nullptr;
};

template <class Number>
using LaneFunction = void (*)(const LaneBlock<Number>& block);

/// Number: int16, int32, int64.
template <class Number>
struct LaneKernel {
    std::size_t lanes = 0;
    std::size_t columnsAtOnce = 0;
    LaneFunction<Number> compute[3] = {};  ///< by Recurrence

    static constexpr KernelNeeds kNeeds{.bytesAndWords = true};
    template <InstructionSet set>
    static LaneKernel compiled();
};

}  // namespace glycine::pairwise::cpu
