#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/core/instruction_set.hpp"

/// The arithmetic core of pairs as ClustalW aligns them: in each lane of a register a rectangle of its own.
namespace glycine::align::cpu {

/// A side of the table of scores; the last row and column stand for what is beyond a lane's letters.
inline constexpr std::size_t kClustalTableSide = 32;
/// Lanes of the widest registers.
inline constexpr std::size_t kMostClustalLanes = 16;

/// The rectangle of one lane. Letters are codes; `step` is 1, or −1 where they are read backwards from the
/// one that is pointed at.
struct ClustalLane {
    const std::uint8_t* rows = nullptr;
    std::size_t rowCount = 0;
    const std::uint8_t* columns = nullptr;
    std::size_t columnCount = 0;
    std::ptrdiff_t step = 1;
    std::int32_t gapOpen = 0;
    std::int32_t gapExtend = 0;  ///< the same in all lanes
    /// Border: what a gap at the first corner opens for.
    std::int32_t borderOpen = 0;
    /// Border, out: columnCount + 1 numbers each, of the last row: best scores, and those of alignments that
    /// end with a gap in the columns' sequence.
    std::int32_t* best = nullptr;
    std::int32_t* gap = nullptr;
    /// Highest, out: the highest score, and how many letters of each sequence the first cell that has it has
    /// behind it, row by row.
    std::int32_t score = 0;
    std::size_t rowsToScore = 0;
    std::size_t columnsToScore = 0;
};

struct ClustalStrip {
    ClustalLane* lanes = nullptr;  ///< as many as the kernel has; those that are not used have no rows
    /// kClustalTableSide × kClustalTableSide; beyond the letters far below everything.
    const std::int32_t* table = nullptr;
    std::int32_t extend = 0;
    /// 3 · lanes · (most columns + 1) numbers, on a 64-byte boundary.
    std::int32_t* scratch = nullptr;
    /// Called now and then, with `context`; may not return (throw).
    void (*pause)(void* context) = nullptr;
    void* context = nullptr;
};

struct ClustalKernel {
    std::size_t lanes = 0;
    /// The best local alignment: its score and where it ends.
    void (*findEnd)(const ClustalStrip& strip) = nullptr;
    /// Of alignments that begin in the first corner, the best score and where it is reached.
    void (*findBegin)(const ClustalStrip& strip) = nullptr;
    /// All rows beside the first columns, from end to end.
    void (*findBorder)(const ClustalStrip& strip) = nullptr;
};
ClustalKernel clustalKernel(InstructionSet set);

// One a translation unit, each compiled for its instruction set.
ClustalKernel clustalKernelGeneric();
ClustalKernel clustalKernelAvx2();
ClustalKernel clustalKernelAvx512();

}  // namespace glycine::align::cpu
