#pragma once

#include <algorithm>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/pairs/pair_tile.cuh"

/// The host's side of a launch of tiles of pairs.
namespace glycine::cuda {

/// Number of parts into which the depth is cut so that each multiprocessor has something to do. A part is
/// some units long at least: shorter ones take less time than zeroing the results for them.
inline unsigned splitsFor(const Launch& launch, std::size_t tiles, unsigned depth, unsigned unit) {
    constexpr std::size_t kBlocksAMultiprocessor = 4;
    constexpr unsigned kLeastUnits = 4;
    const std::size_t wanted = kBlocksAMultiprocessor * std::size_t(launch.multiprocessors);
    if (tiles == 0 || tiles >= wanted) return 1;
    return unsigned(std::clamp<std::size_t>(wanted / tiles, 1, std::max(1U, depth / (kLeastUnits * unit))));
}

/// Launches kernel(task, results, extra…) with one block of threads a tile. `unit`: the depth that stays
/// together, a multiple of the stage's; results of several parts of the depth are added up, and zeroed before
/// by clearResults(launch, portion, columns, results), which is declared beside the type of the results.
template <class Tile, class Kernel, class Results, class... Extra>
void launchPairs(const Launch& launch, const char* name, Kernel kernel, const PairWindow& window,
                 const PairPortion& portion, unsigned unit, Accumulate accumulate, const Results& results,
                 Extra... extra) {
    const dim3 tiles(window.columnCount / Tile::kColumns, portion.rowCount / Tile::kRows);
    std::size_t working = std::size_t(tiles.x) * tiles.y;
    if (window.isDiagonal) working = (working + 1) / 2;
    const unsigned splits = splitsFor(launch, working, portion.depth, unit);
    PairTask task{window, portion, (portion.depth + splits * unit - 1) / (splits * unit) * unit, false};
    const unsigned parts = (portion.depth + task.depthOfSplit - 1) / task.depthOfSplit;
    if (parts > 1 && accumulate == Accumulate::No) clearResults(launch, portion, window.columnCount, results);
    task.adds = parts > 1 || accumulate == Accumulate::Yes;
    if (Tile::kSharedBytes > 48 * 1024)
        GLYCINE_CUDA(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Tile::kSharedBytes));
    kernel<<<dim3(tiles.x, tiles.y, parts), Tile::kThreads, Tile::kSharedBytes, launch.stream>>>(
        task, results, extra...);
    checkLaunch(name);
}

}  // namespace glycine::cuda
