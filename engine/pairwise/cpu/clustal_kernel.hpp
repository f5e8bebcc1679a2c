#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"

/// The arithmetic core of pairs aligned as by ClustalW. It takes many pairs that share a sequence, one per
/// register lane; or a single pair, row by row, with as many columns at once as a register has lanes.
namespace glycine::pairwise::cpu {

/// Lanes of the widest registers. This many numbers past the last column are read and written.
inline constexpr std::size_t kMaxClustalLanes = 16;

/// A block of rows and columns of one pair.
struct ClustalBlock {
    const std::uint8_t* rows = nullptr;  ///< codes
    std::ptrdiff_t step = 1;             ///< 1; −1: rows run backwards from the first one
    std::size_t rowCount = 0;
    /// Scores of the columns; those of letter k start at profile + k · stride.
    const std::int32_t* profile = nullptr;
    std::size_t stride = 0;
    std::size_t columns = 0;
    std::int32_t open = 0;
    std::int32_t extend = 0;
    /// findBorder: the opening penalty of a gap at the first corner.
    std::int32_t borderOpen = 0;
    /// columns + 1 + kMaxClustalLanes numbers each. Output of findBorder: for the last row the best scores,
    /// and the scores of alignments that end with a gap in the columns' sequence.
    std::int32_t* best = nullptr;
    std::int32_t* gap = nullptr;
    std::int32_t* highest = nullptr;  ///< findEnd and findBegin: scratch, columns + 1 numbers
    std::int32_t enough = 0;          ///< findBegin: the score to be reached
    /// Called from time to time with `context`; may throw.
    void (*pause)(void* context) = nullptr;
    void* context = nullptr;

    /// Output. findEnd: the highest score above 0; findBegin: a score of at least `enough`. The other two:
    /// the numbers of letters of each sequence up to the first such cell, row by row.
    std::int32_t score = 0;
    std::size_t rowsToScore = 0;
    std::size_t columnsToScore = 0;
};

/// The marks that ClustalLanes stores for each cell (i, j), one bit per lane. "Best" means the best local
/// alignment that ends there.
enum class ClustalMark : std::uint8_t {
    Pair,           ///< the best alignment pairs a_i with b_j
    Across,         ///< the best has b_j in a gap
    Down,           ///< the best has a_i in a gap
    AcrossOpens,    ///< the best gap that ends with b_j opens here; extending is worse
    AcrossExtends,  ///< extending is better; neither mark: both are equal
    DownOpens,
    DownExtends,
};
inline constexpr std::size_t kClustalMarks = 7;

/// One sequence (rows) with many others (columns), one pair per lane. Letters are codes.
struct ClustalLanes {
    const std::uint8_t* query = nullptr;  ///< the rows
    std::size_t rows = 0;
    const std::uint8_t* columns = nullptr;  ///< `lanes` letters per column, kPaddingCode after the last one
    std::size_t columnCount = 0;            ///< a multiple of columnsAtOnce
    std::size_t letters = 0;                ///< number of codes that the query may contain
    /// kTableSide × kTableSide, aligned to 64 bytes; kClustalNever for kPaddingCode.
    const std::int32_t* table = nullptr;
    const std::int32_t* open = nullptr;  ///< one per lane, aligned to 64 bytes
    std::int32_t extend = 0;
    std::int32_t* state = nullptr;    ///< scratch: 2 · lanes numbers per row, aligned to 64 bytes
    std::int32_t* profile = nullptr;  ///< scratch: kTableSide · columnsAtOnce · lanes numbers, aligned
    /// Output: kClustalMarks · markBytes bytes per cell. Cells are grouped by columnsAtOnce columns, and
    /// within a group ordered by rows.
    std::uint8_t* marks = nullptr;
    /// Output, one number per lane, aligned to 64 bytes: the highest score (0 if none is above it) and the
    /// first cell with it, row by row, as numbers of letters of each sequence.
    std::int32_t* score = nullptr;
    std::int32_t* row = nullptr;
    std::int32_t* column = nullptr;
};

struct ClustalKernel {
    std::size_t lanes = 0;
    std::size_t columnsAtOnce = 0;
    std::size_t markBytes = 0;  ///< bytes of a mark, one bit per lane
    /// Finds the best local alignments of all lanes.
    void (*findPaths)(const ClustalLanes& lanes) = nullptr;
    /// Finds the end of the best local alignment. Past the last column, the profile must be kClustalNever.
    void (*findEnd)(ClustalBlock& block) = nullptr;
    /// Finds the first cell, row by row, in which an alignment from the first corner reaches the score. Past
    /// the last column as above.
    void (*findBegin)(ClustalBlock& block) = nullptr;
    /// Aligns all rows with each prefix of the columns, from end to end.
    void (*findBorder)(ClustalBlock& block) = nullptr;

    static constexpr KernelNeeds kNeeds{};
    template <InstructionSet set>
    static ClustalKernel compiled();
};

}  // namespace glycine::pairwise::cpu
