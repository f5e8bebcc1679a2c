#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/device/launch.hpp"
#include "kernels_cuda/pairwise/intertask_kernels.hpp"

/// Launches of Khaladkar's kernel: one pair of sequences, cut into blocks of 16 × 16 cells, all blocks of one
/// anti-diagonal a launch; within a block the cells of an anti-diagonal at once.
///
/// Source: C. S. Khaladkar, "An Efficient Implementation of Needleman Wunsch Algorithm on Graphical
/// Processing Units", University of Western Australia (2009), 5.2.1. Unlike there, blocks beside the
/// anti-diagonal are not launched at all, and no whole matrix is kept: blocks hand their borders on.
namespace glycine::cuda {

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
void launchAntidiagonals(const Launch& launch, AlignRecurrence recurrence, const AntidiagonalPair& pair);

/// Copies that are as small as a sequence or a number, from and to ordinary memory, in the stream's order.
/// `host` may be used again when sendToDevice returns, and is filled when fetchFromDevice does.
void sendToDevice(StreamHandle stream, const void* host, void* device, std::size_t bytes);
void fetchFromDevice(StreamHandle stream, const void* device, void* host, std::size_t bytes);

}  // namespace glycine::cuda
