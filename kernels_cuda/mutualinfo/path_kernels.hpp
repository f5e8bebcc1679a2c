#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/device/launch.hpp"

/// Launches of the strongest indirect paths. Minima and maxima ask for nothing but the order of numbers: the
/// values of a piece of the matrix are sorted, and each is told by its place in that order, an integer of 32
/// bits. The largest place of all ways leads back to the value.
namespace glycine::cuda {

/// Windows begin at multiples of the first and are padded to multiples of the second, so that no kernel has
/// an edge case; mediators are padded to multiples of the third.
inline constexpr std::size_t kPathStep = 4;
inline constexpr std::size_t kPathPadding = 128;
inline constexpr std::size_t kMediatorStep = 16;

/// What sorting takes, for `count` values each. Either buffer of a pair may hold what was found.
struct RankBuffers {
    std::uint64_t* values[2];  ///< the first: bits of numbers that are not negative
    std::uint32_t* places[2];
    void* scratch;
    std::size_t scratchBytes;
};
/// Where it lies afterwards.
struct RankedValues {
    const std::int32_t* ranks = nullptr;  ///< of each value, as they lay
    const double* sorted = nullptr;       ///< ascending
};

/// Most values that can be ranked.
inline constexpr std::size_t kMostRanked = 0x7fffff00;
std::size_t scratchBytesForRanks(std::size_t count);
RankedValues launchRanks(const Launch& launch, const RankBuffers& buffers, std::size_t count);

/// The strongest path of each of rowCount × columnCount pairs of genes, whose windows may reach beyond the
/// last gene.
struct PathWindow {
    MatrixOnDevice<const std::int32_t> rows;     ///< mediators × genes: the first mediator of the first gene
    MatrixOnDevice<const std::int32_t> columns;  ///< the same
    unsigned mediators;                          ///< multiple of kMediatorStep
    unsigned firstRow;                           ///< of what is to be done; multiple of kPathPadding
    unsigned rowCount;                           ///< the same
    unsigned columnCount;                        ///< the same
    bool isDiagonal;                             ///< only pairs with column < row are wanted
    const double* sorted;                        ///< values by their ranks
    bool raises;                                 ///< what is there already, else writes
    MatrixOnDevice<double> results;              ///< of row 0 and column 0
};
void launchStrongestPaths(const Launch& launch, const PathWindow& window);

}  // namespace glycine::cuda
