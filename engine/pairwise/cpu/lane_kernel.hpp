#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"
#include "engine/pairwise/lane_numbers.hpp"

/// The arithmetic core of `cpu interpair`: one sequence (rows) with many others (columns), a pair in each
/// lane of a register.
namespace glycine::pairwise::cpu {

/// Cells of some columns, as LaneNumbers has them.
template <class Number>
struct LaneBlock {
    const std::uint8_t* query = nullptr;  ///< codes of the rows
    std::size_t rows = 0;
    const std::uint8_t* columns = nullptr;  ///< codes, `lanes` a column
    std::size_t first = 0;                  ///< of the columns that are computed now, from 0
    std::size_t last = 0;                   ///< behind them: first + a multiple of columnsAtOnce
    std::size_t letters = 0;                ///< codes that the query may have
    /// kTableSide × kTableSide, on a 64-byte boundary: what a pair of letters adds, the opening (and of
    /// global alignments two extensions) included.
    const Number* table = nullptr;
    Number open = 0;
    Number extend = 0;  ///< Local reads it
    /// 2 · lanes numbers a row, kept from call to call, on a 64-byte boundary: of the column before `first`
    /// the best score less an opening, and that of alignments that end with a gap in the query.
    Number* state = nullptr;
    Number* profile =
        nullptr;  ///< scratch: kTableSide · columnsAtOnce · lanes numbers, on a 64-byte boundary
    /// Global: `lanes` numbers a column: the last row's best scores, less an opening.
    Number* bottom = nullptr;
    /// Local: `lanes` numbers, kept from call to call: the best score of all cells.
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
