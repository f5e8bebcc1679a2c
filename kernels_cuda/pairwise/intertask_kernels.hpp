#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/pairwise/recurrences.hpp"
#include "kernels_cuda/device/launch.hpp"

/// Launches of alignments of pairs, one in each thread of a warp: a query with 32 others.
namespace glycine::cuda {

/// Pairs that a warp takes at once.
inline constexpr unsigned kAlignLanes = 32;
/// Sides of a table of scores: codes, of which the last stands for what is beyond the end of a sequence.
inline constexpr unsigned kAlignCodes = 32;
/// Warps of a block.
inline constexpr unsigned kAlignWarps = 8;

/// What cells are: score · 2^bits + identities, so that the larger one is the better alignment and sums are
/// sums of both. Global alignments are skewed: a cell (i, j) has i + j extensions added, which a gap that
/// goes on then costs nothing, and two more of which a pair of letters earns. Cells are kept less an opening.
enum class AlignNumber {
    Pair16,  ///< of two queries, 16 bits each, side by side
    Int32,
    Int64,
};
using pairwise::Recurrence;

/// A query, or two of them where numbers are pairs, with up to 32 other sequences: places in the lists of a
/// tile.
struct AlignTask {
    std::uint32_t query;
    std::uint32_t column;
};

/// Tasks of a tile, whose rows and columns are listed in ascending order of length.
struct AlignWork {
    const std::uint8_t* codes;     ///< of all sequences, one behind the other
    const std::uint64_t* begins;   ///< of each sequence, and behind the last one
    const std::uint32_t* rows;     ///< sequences
    const std::uint32_t* columns;  ///< sequences; of a tile on the diagonal the same list
    std::uint32_t rowCount, columnCount;
    bool isDiagonal;  ///< only pairs of a query with columns before it are wanted
    const AlignTask* tasks;
    std::uint32_t taskCount;
    std::uint32_t* nextTask;  ///< 0
    /// kAlignCodes² numbers: what a pair of letters adds, the opening (and of global alignments two
    /// extensions) included.
    const std::int64_t* table;
    std::int64_t open, extend;
    std::uint32_t letters;    ///< codes of the alphabet
    void* state;              ///< of each warp: 2 · stateRows · 32 numbers
    std::uint32_t stateRows;  ///< letters of the longest query
    std::uint32_t blocks;     ///< that state has room for
    /// The number of each pair: of the last cell, less an opening; of local alignments of the best one.
    MatrixOnDevice<std::int64_t> results;
    std::uint32_t firstRow, firstColumn;  ///< sequences of the first row and column of the results
};

/// Bytes of shared memory that a block takes.
std::size_t alignSharedBytes(AlignNumber number, unsigned letters);
/// Bytes of AlignWork::state for a block.
std::size_t alignStateBytes(AlignNumber number, std::size_t longest);
/// Blocks that a multiprocessor runs at once.
int alignBlocksAtOnce(AlignNumber number, Recurrence recurrence, unsigned letters);
void launchAlignments(const Launch& launch, AlignNumber number, Recurrence recurrence, const AlignWork& work);

/// Bytes of AlignWork::state for a block that works on stripes of a pair.
std::size_t stripeStateBytes(std::size_t longest);
/// The same tasks, each pair by all warps of a block; numbers are not pairs. `longestColumns`: letters of the
/// longest sequence among the columns.
void launchStripes(const Launch& launch, AlignNumber number, Recurrence recurrence, unsigned longestColumns,
                   const AlignWork& work);

// ---- Khaladkar's kernel

// Launches of Khaladkar's kernel: one pair of sequences, cut into blocks of 16 × 16 cells, all blocks of one
// anti-diagonal a launch; within a block the cells of an anti-diagonal at once.
//
// Source: C. S. Khaladkar, "An Efficient Implementation of Needleman Wunsch Algorithm on Graphical
// Processing Units", University of Western Australia (2009), 5.2.1. Unlike there, blocks beside the
// anti-diagonal are not launched at all, and no whole matrix is kept: blocks hand their borders on.

/// Sides of a block; a thread a cell.
inline constexpr unsigned kAntidiagonalSide = 16;

/// What a cell hands on: numbers as of AlignWork (score · 2^bits + identities, skewed by the extensions).
struct AntidiagonalBorder {
    long long best;  ///< less an opening
    long long gap;   ///< of the alignments that end with a gap which goes on into the next block
};

/// One alignment.
struct AntidiagonalPair {
    const std::uint8_t* rows;             ///< codes of the sequence down the matrix
    const std::uint8_t* columns;          ///< and of the one across
    std::uint32_t rowCount, columnCount;  ///< at least 1 each
    /// As AlignWork::table.
    const std::int64_t* table;
    std::int64_t open, extend;
    AntidiagonalBorder* lastRow;     ///< columnCount: of the blocks above, the last row
    AntidiagonalBorder* lastColumn;  ///< rowCount: of the blocks to the left, the last column
    long long* corners;              ///< antidiagonalCorners(): last cells of the blocks before, diagonally
    long long* result;  ///< of the last cell, less an opening; of local alignments of the best one
};

/// Elements of AntidiagonalPair::corners.
std::size_t antidiagonalCorners(std::size_t rowCount, std::size_t columnCount);
/// Anti-diagonals of blocks, which are launches.
std::size_t antidiagonalLaunches(std::size_t rowCount, std::size_t columnCount);
/// Queues all launches of a pair. Pairs in one stream may share the borders.
void launchAntidiagonals(const Launch& launch, Recurrence recurrence, const AntidiagonalPair& pair);

// Khaladkar's kernels as printed (5.2.1, figures 5.2 to 5.6): a pair's whole matrix in global memory, a grid
// over all of it for initialiseMatrix, and for calculateMatrix once for each LOOP NUMBER.

/// One alignment by 1, −1 and −2. A number is score · 2^bits + identities.
struct PrintedPair {
    const std::uint8_t* rows;             ///< codes of Sequence1
    const std::uint8_t* columns;          ///< and of Sequence2
    std::uint32_t rowCount, columnCount;  ///< LENGTH OF SEQUENCES
    std::int32_t* matrix;                 ///< (rowCount + 1) × (columnCount + 1)
    std::int32_t equal, other, gap;       ///< what a step adds

    GLYCINE_HOST_DEVICE std::uint32_t cells() const { return (rowCount + 1) * (columnCount + 1); }
};
/// Letters of a sequence at most, whose numbers have 14 bits of identities and fit 32.
inline constexpr std::uint32_t kMostPrintedLetters = (1U << 14) - 1;

void launchInitialiseMatrix(const Launch& launch, const PrintedPair& pair);
void launchCalculateMatrix(const Launch& launch, const PrintedPair& pair);
/// calculateMatrix itself, for what it takes of a device; 16 × 16 threads a block.
const void* calculateMatrixKernel();

/// Copies that are as small as a sequence or a number, from and to ordinary memory, in the stream's order.
/// `host` may be used again when sendToDevice returns, and is filled when fetchFromDevice does.
void sendToDevice(StreamHandle stream, const void* host, void* device, std::size_t bytes);
void fetchFromDevice(StreamHandle stream, const void* device, void* host, std::size_t bytes);

}  // namespace glycine::cuda
