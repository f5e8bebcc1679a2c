#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/device/launch.hpp"

/// Kernel launches for the strongest indirect paths. Minima and maxima depend only on the order of numbers.
/// Therefore the values of a piece of the matrix are sorted, and each is represented by its rank, a 32-bit
/// integer. The largest rank over all paths then yields the value.
namespace glycine::cuda {

/// Windows begin at multiples of kPathStep and are padded to multiples of kPathPadding, so that kernels have
/// no edge cases. Mediators are padded to multiples of kMediatorStep.
inline constexpr std::size_t kPathStep = 4;
inline constexpr std::size_t kPathPadding = 128;
inline constexpr std::size_t kMediatorStep = 16;

/// Buffers for sorting, with `count` elements each. Either buffer of a pair may hold the result.
struct RankBuffers {
    std::uint64_t* values[2];  ///< first buffer: bits of non-negative numbers
    std::uint32_t* places[2];
    void* scratch;
    std::size_t scratchBytes;
};
/// Result of launchRanks.
struct RankedValues {
    const std::int32_t* ranks = nullptr;  ///< of each value, in the original order
    const double* sorted = nullptr;       ///< ascending
};

/// The most values that can be ranked.
inline constexpr std::size_t kMaxRankedValues = 0x7fffff00;
std::size_t scratchBytesForRanks(std::size_t count);
RankedValues launchRanks(const Launch& launch, const RankBuffers& buffers, std::size_t count);

/// Computes the strongest path of each of rowCount × columnCount pairs of genes. The windows may extend
/// beyond the last gene.
struct PathWindow {
    MatrixOnDevice<const std::int32_t> rows;     ///< mediators × genes: the first mediator of the first gene
    MatrixOnDevice<const std::int32_t> columns;  ///< the same
    unsigned mediators;                          ///< multiple of kMediatorStep
    unsigned firstRow;                           ///< to process; multiple of kPathPadding
    unsigned rowCount;                           ///< the same
    unsigned columnCount;                        ///< the same
    bool isDiagonal;                             ///< only pairs with column < row are needed
    const double* sorted;                        ///< values indexed by rank
    bool raises;                                 ///< raises existing results instead of overwriting them
    MatrixOnDevice<double> results;              ///< start of row 0 and column 0
};
void launchStrongestPaths(const Launch& launch, const PathWindow& window);

}  // namespace glycine::cuda
