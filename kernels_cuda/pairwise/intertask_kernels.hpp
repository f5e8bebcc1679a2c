#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/pairwise/recurrences.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Kernels for alignments of pairs, one per thread of a warp: a query with 32 others.
namespace glycine::cuda {

/// Pairs that a warp computes at once.
inline constexpr unsigned kAlignLanes = 32;
/// The side of a table of scores, indexed by codes. The last code stands for positions past the end of a
/// sequence.
inline constexpr unsigned kAlignCodes = 32;
/// Warps per block.
inline constexpr unsigned kAlignWarps = 8;

/// The numbers in cells: score · 2^bits + identities. The larger number is the better alignment, and sums add
/// both parts. Global alignments are skewed: i + j extensions are added to cell (i, j). Extending a gap then
/// costs nothing, and a pair of letters gains two extensions. Cells are stored minus an opening.
enum class AlignNumber {
    Pair16,  ///< two queries with 16 bits each
    Int32,
    Int64,
};
using pairwise::Recurrence;

/// A query (or two, for Pair16) with up to 32 other sequences, given by places in the lists of a tile.
struct AlignTask {
    std::uint32_t query;
    std::uint32_t column;
};

/// The tasks of a tile, whose rows and columns are listed in ascending order of length.
struct AlignWork {
    const std::uint8_t* codes;     ///< of all sequences, one after another
    const std::uint64_t* begins;   ///< offset of each sequence, and the end
    const std::uint32_t* rows;     ///< sequences
    const std::uint32_t* columns;  ///< sequences; the same list for a tile on the diagonal
    std::uint32_t rowCount, columnCount;
    bool isDiagonal;  ///< only pairs of a query with columns before it
    const AlignTask* tasks;
    std::uint32_t taskCount;
    std::uint32_t* nextTask;  ///< initially 0
    /// kAlignCodes² numbers: the score of each pair of letters, plus the opening (and for global alignments
    /// two extensions).
    const std::int64_t* table;
    std::int64_t open, extend;
    std::uint32_t letters;    ///< number of codes of the alphabet
    void* state;              ///< 2 · stateRows · 32 numbers per warp
    std::uint32_t stateRows;  ///< letters of the longest query
    std::uint32_t blocks;     ///< that `state` has room for
    /// The number of each pair: the last cell, minus an opening, or for local alignments the best cell.
    MatrixOnDevice<std::int64_t> results;
    std::uint32_t firstRow, firstColumn;  ///< sequences of the first row and column of the results
};

/// Bytes of shared memory per block.
std::size_t alignSharedBytes(AlignNumber number, unsigned letters);
/// Bytes of AlignWork::state per block.
std::size_t alignStateBytes(AlignNumber number, std::size_t longest);
/// Blocks that a multiprocessor runs at once.
int alignBlocksAtOnce(AlignNumber number, Recurrence recurrence, unsigned letters);
void launchAlignments(const Launch& launch, AlignNumber number, Recurrence recurrence, const AlignWork& work);

/// Bytes of AlignWork::state per block that computes stripes of a pair.
std::size_t stripeStateBytes(std::size_t longest);
/// Computes the same tasks with all warps of a block on each pair; not for Pair16. `longestColumns`: the
/// length of the longest sequence among the columns.
void launchStripes(const Launch& launch, AlignNumber number, Recurrence recurrence, unsigned longestColumns,
                   const AlignWork& work);

// ---- Khaladkar's kernel

// Launches of Khaladkar's kernel. One pair of sequences is cut into blocks of 16 × 16 cells. Each launch
// computes all blocks of one anti-diagonal; within a block, the cells of an anti-diagonal are computed at
// once.
//
// Source: C. S. Khaladkar, "An Efficient Implementation of Needleman Wunsch Algorithm on Graphical Processing
// Units", University of Western Australia (2009), 5.2.1. Unlike the thesis, this version does not launch
// blocks off the anti-diagonal and keeps no whole matrix: blocks pass on only their borders.

/// Side of a block; one thread per cell.
inline constexpr unsigned kAntidiagonalSide = 16;

/// The values that a cell passes on: numbers as in AlignWork (score · 2^bits + identities, skewed by the
/// extensions).
struct AntidiagonalBorder {
    long long best;  ///< minus an opening
    long long gap;   ///< of alignments that end with a gap that may continue in the next block
};

/// One alignment.
struct AntidiagonalPair {
    const std::uint8_t* rows;             ///< codes of the sequence along the rows
    const std::uint8_t* columns;          ///< codes of the sequence along the columns
    std::uint32_t rowCount, columnCount;  ///< at least 1 each
    /// See AlignWork::table.
    const std::int64_t* table;
    std::int64_t open, extend;
    AntidiagonalBorder* lastRow;     ///< columnCount: last row of the blocks above
    AntidiagonalBorder* lastColumn;  ///< rowCount: last column of the blocks to the left
    long long* corners;              ///< antidiagonalCorners(): last cells of the blocks diagonally before
    long long* result;               ///< the last cell, minus an opening; local: the best cell
};

/// Size of AntidiagonalPair::corners.
std::size_t antidiagonalCorners(std::size_t rowCount, std::size_t columnCount);
/// Number of anti-diagonals of blocks, which equals the number of launches.
std::size_t antidiagonalLaunches(std::size_t rowCount, std::size_t columnCount);
/// Queues all launches of a pair. Pairs in the same stream may share the borders.
void launchAntidiagonals(const Launch& launch, Recurrence recurrence, const AntidiagonalPair& pair);

// Khaladkar's kernels as printed (5.2.1, figures 5.2 to 5.6). A pair's whole matrix is in global memory.
// initialiseMatrix runs on a grid over all of it, calculateMatrix once for each LOOP NUMBER.

/// One alignment with scores 1, −1 and −2. A number is score · 2^bits + identities.
struct PrintedPair {
    const std::uint8_t* rows;             ///< codes of Sequence1
    const std::uint8_t* columns;          ///< codes of Sequence2
    std::uint32_t rowCount, columnCount;  ///< LENGTH OF SEQUENCES
    std::int32_t* matrix;                 ///< (rowCount + 1) × (columnCount + 1)
    std::int32_t equal, other, gap;       ///< added by a step

    GLYCINE_HOST_DEVICE std::uint32_t cells() const { return (rowCount + 1) * (columnCount + 1); }
};
/// The longest sequence whose numbers, with 14 bits of identities, fit in 32 bits.
inline constexpr std::uint32_t kMaxPrintedLetters = (1U << 14) - 1;

void launchInitialiseMatrix(const Launch& launch, const PrintedPair& pair);
void launchCalculateMatrix(const Launch& launch, const PrintedPair& pair);
/// The kernel calculateMatrix, for queries about its resource use; 16 × 16 threads per block.
const void* calculateMatrixKernel();

/// Small copies (a sequence or a number) between pageable memory and the device, in stream order. `host` may
/// be reused when sendToDevice returns, and is filled when fetchFromDevice returns.
void sendToDevice(StreamHandle stream, const void* host, void* device, std::size_t bytes);
void fetchFromDevice(StreamHandle stream, const void* device, void* host, std::size_t bytes);

}  // namespace glycine::cuda
