#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"
#include "engine/pairwise/lane_numbers.hpp"

/// The arithmetic core of pairs as ClustalW aligns them: of many pairs with one sequence in common, one in
/// each lane of a register; or of one pair, a row of cells at a time, as many columns as a register has
/// lanes.
namespace glycine::pairwise::cpu {

/// Lanes of the widest registers: so many numbers behind the last column are read and written.
inline constexpr std::size_t kMostClustalLanes = 16;

/// Some rows beside some columns.
struct ClustalBlock {
    const std::uint8_t* rows = nullptr;  ///< codes
    std::ptrdiff_t step = 1;             ///< 1; −1: rows go backwards from the first one
    std::size_t rowCount = 0;
    /// Scores of the columns: those of letter k from profile + k · stride on.
    const std::int32_t* profile = nullptr;
    std::size_t stride = 0;
    std::size_t columns = 0;
    std::int32_t open = 0;
    std::int32_t extend = 0;
    /// findBorder: what a gap at the first corner opens for.
    std::int32_t borderOpen = 0;
    /// columns + 1 + kMostClustalLanes numbers each. findBorder, out: of the last row the best scores, and
    /// those of alignments that end with a gap in the columns' sequence.
    std::int32_t* best = nullptr;
    std::int32_t* gap = nullptr;
    std::int32_t* highest = nullptr;  ///< findEnd and findBegin: scratch, columns + 1 numbers
    std::int32_t enough = 0;          ///< findBegin: the score that it looks for
    /// Called now and then, with `context`; may not return (throw).
    void (*pause)(void* context) = nullptr;
    void* context = nullptr;

    /// findEnd, out: the highest score above 0; findBegin: a score that is enough. And how many letters of
    /// each sequence the first cell that has it has behind it, row by row.
    std::int32_t score = 0;
    std::size_t rowsToScore = 0;
    std::size_t columnsToScore = 0;
};

/// What ClustalLanes keeps of each cell (i, j), a bit a lane. Best is the best local alignment that ends
/// there.
enum class ClustalMark : std::uint8_t {
    Pair,         ///< the best score is that with a_i beside b_j,
    Across,       ///< with b_j in a gap,
    Down,         ///< with a_i in a gap
    AcrossOpens,  ///< a gap that ends with b_j is best opened here, and not so if it goes on
    AcrossGoes,   ///< the other way round; neither: both are as good
    DownOpens,
    DownGoes,
};
inline constexpr std::size_t kClustalMarks = 7;

/// One sequence (rows) with many others (columns), a pair in each lane. Letters are codes.
struct ClustalLanes {
    const std::uint8_t* query = nullptr;  ///< the rows
    std::size_t rows = 0;
    const std::uint8_t* columns = nullptr;  ///< `lanes` letters a column, kBeyondEnd behind the last one
    std::size_t columnCount = 0;            ///< a multiple of columnsAtOnce
    std::size_t letters = 0;                ///< codes that the query may have
    /// kTableSide × kTableSide, on a 64-byte boundary; kClustalNever beside kBeyondEnd.
    const std::int32_t* table = nullptr;
    const std::int32_t* open = nullptr;  ///< of each lane, on a 64-byte boundary
    std::int32_t extend = 0;
    std::int32_t* state = nullptr;    ///< scratch: 2 · lanes numbers a row, on a 64-byte boundary
    std::int32_t* profile = nullptr;  ///< scratch: kTableSide · columnsAtOnce · lanes numbers, likewise
    /// Out: kClustalMarks · markBytes bytes a cell. Cells go by columnsAtOnce columns, in these by rows.
    std::uint8_t* marks = nullptr;
    /// Out, a number a lane, on 64-byte boundaries: the highest score, 0 where none is above, and the first
    /// cell that has it, row by row: letters of each sequence up to it.
    std::int32_t* score = nullptr;
    std::int32_t* row = nullptr;
    std::int32_t* column = nullptr;
};

struct ClustalKernel {
    std::size_t lanes = 0;
    std::size_t columnsAtOnce = 0;
    std::size_t markBytes = 0;  ///< of a mark, a bit a lane
    /// The best local alignments of all lanes.
    void (*findPaths)(const ClustalLanes& lanes) = nullptr;
    /// The best local alignment. Behind the last column the profile is kClustalNever.
    void (*findEnd)(ClustalBlock& block) = nullptr;
    /// Of alignments that begin in the first corner the first that scores enough. Behind the last column as
    /// above.
    void (*findBegin)(ClustalBlock& block) = nullptr;
    /// All rows beside the first columns, from end to end.
    void (*findBorder)(ClustalBlock& block) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static ClustalKernel compiled();
};

}  // namespace glycine::pairwise::cpu
