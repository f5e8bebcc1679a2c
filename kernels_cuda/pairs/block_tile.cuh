#pragma once

#include <cuda_pipeline.h>

#include <algorithm>
#include <cstdint>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/pairs/pair_window.hpp"

/// How one thread block loads the operands of a tile of pairs into shared memory, stage by stage.
namespace glycine::cuda {

/// A tile of `rows` × `columns` pairs. A stage holds `depth` words of each instance: those of the rows, those
/// of the columns, then `padding` words that avoid bank conflicts.
template <int rows, int columns, int threads, int depth, int stages, int padding = 0>
struct BlockTile {
    static constexpr int kRows = rows;
    static constexpr int kColumns = columns;
    static constexpr int kThreads = threads;
    static constexpr int kDepth = depth;
    static constexpr int kStages = stages;
    static constexpr int kPitch = rows + columns + padding;
    static constexpr int kStageWords = depth * kPitch;
    static constexpr int kSharedBytes = stages * kStageWords * int(sizeof(std::uint32_t));
    static_assert(kPairPadding % rows == 0 && kPairPadding % columns == 0, "windows hold whole tiles");
};

/// Device-side parameters of a launch.
struct PairTask {
    PairWindow window;
    PairPortion portion;
    unsigned depthOfSplit;  ///< depth that the blocks of one z index process
    bool adds;              ///< adds to the existing results
};

/// The work of one thread block: its tile and its share of the depth.
template <class Tile>
struct PairBlock {
    unsigned row, column;  ///< first instances, counted within the window
    unsigned begin, end;   ///< of the depth

    __device__ explicit PairBlock(const PairTask& task)
        : row(task.portion.firstRow + blockIdx.y * Tile::kRows),
          column(blockIdx.x * Tile::kColumns),
          begin(task.portion.firstDepth + blockIdx.z * task.depthOfSplit),
          end(min(begin + task.depthOfSplit, task.portion.firstDepth + task.portion.depth)) {}
    /// Whether no pair of the tile is below the diagonal.
    __device__ bool isAboveDiagonal(const PairTask& task) const {
        return task.window.isDiagonal && column >= row + Tile::kRows;
    }
};

/// Starts copying `depth` words of each instance into a stage; words from `end` on are 0.
template <class Tile>
__device__ inline void loadPairStage(std::uint32_t* stage, const PairWindow& window,
                                     const PairBlock<Tile>& block, unsigned first, int depth) {
    constexpr int rowVectors = Tile::kRows / 4;
    constexpr int vectors = (Tile::kRows + Tile::kColumns) / 4;
    const int all = depth * vectors;
#pragma unroll
    for (int start = 0; start < Tile::kDepth * vectors; start += Tile::kThreads) {
        const int index = start + int(threadIdx.x);
        if (index >= all) break;
        const int d = index / vectors;
        const int vector = index % vectors;
        const bool isPresent = first + d < block.end;
        const std::size_t word = isPresent ? first + d : block.begin;
        const std::uint32_t* source = vector < rowVectors
                                          ? window.rows.at(word, block.row + vector * 4)
                                          : window.columns.at(word, block.column + (vector - rowVectors) * 4);
        __pipeline_memcpy_async(stage + d * Tile::kPitch + vector * 4, source, 16, isPresent ? 0 : 16);
    }
}

/// Calls use(stage) over the whole depth of the block, `depth` ≤ Tile::kDepth words at a time.
template <class Tile, class Use>
__device__ inline void forEachPairStage(std::uint32_t* shared, const PairWindow& window,
                                        const PairBlock<Tile>& block, int depth, Use&& use) {
    unsigned loading = block.begin;
#pragma unroll
    for (int stage = 0; stage < Tile::kStages - 1; ++stage) {
        if (loading < block.end)
            loadPairStage(shared + stage * Tile::kStageWords, window, block, loading, depth);
        __pipeline_commit();
        loading += depth;
    }
    int reading = 0;
    int writing = Tile::kStages - 1;
#pragma unroll 1
    for (unsigned first = block.begin; first < block.end; first += depth) {
        __pipeline_wait_prior(Tile::kStages - 2);
        // After this barrier, the stage has arrived for all threads, and no thread reads the stage that is
        // refilled next.
        __syncthreads();
        if (loading < block.end)
            loadPairStage(shared + writing * Tile::kStageWords, window, block, loading, depth);
        __pipeline_commit();
        loading += depth;
        use(shared + reading * Tile::kStageWords);
        reading = reading + 1 == Tile::kStages ? 0 : reading + 1;
        writing = writing + 1 == Tile::kStages ? 0 : writing + 1;
    }
    __pipeline_wait_prior(0);
}

/// Reads four consecutive words of a stage.
__device__ inline void readVector(const std::uint32_t* source, std::uint32_t (&target)[4]) {
    const uint4 vector = *reinterpret_cast<const uint4*>(source);
    target[0] = vector.x;
    target[1] = vector.y;
    target[2] = vector.z;
    target[3] = vector.w;
}

/// Writes, or adds, four counts of consecutive columns.
__device__ inline void writeCounts(std::uint32_t* target, bool adds, std::uint32_t a, std::uint32_t b,
                                   std::uint32_t c, std::uint32_t d) {
    if (adds) {
        atomicAdd(target, a);
        atomicAdd(target + 1, b);
        atomicAdd(target + 2, c);
        atomicAdd(target + 3, d);
    } else {
        *reinterpret_cast<uint4*>(target) = make_uint4(a, b, c, d);
    }
}

/// Position of a thread if a warp covers 8 × 4 threads: a warp then reads 64 bytes of the rows and 128 bytes
/// of the columns in one access. `across`: threads along the columns, 8 or 16.
template <int across>
struct ThreadGrid {
    static_assert(across == 8 || across == 16);
    __device__ static int column() {
        return across == 8 ? threadIdx.x % 8 : threadIdx.x % 8 + threadIdx.x / 32 % 2 * 8;
    }
    __device__ static int row() {
        return across == 8 ? threadIdx.x / 8 : threadIdx.x / 8 % 4 + threadIdx.x / 64 * 4;
    }
};

// Host side of a launch.

/// Number of parts into which the depth is cut so that each multiprocessor has work. A part has at least some
/// units, because shorter parts take less time than zeroing their results.
inline unsigned splitsFor(const Launch& launch, std::size_t tiles, unsigned depth, unsigned unit) {
    constexpr std::size_t kBlocksAMultiprocessor = 4;
    constexpr unsigned kLeastUnits = 4;
    const std::size_t wanted = kBlocksAMultiprocessor * std::size_t(launch.multiprocessors);
    if (tiles == 0 || tiles >= wanted) return 1;
    return unsigned(std::clamp<std::size_t>(wanted / tiles, 1, std::max(1U, depth / (kLeastUnits * unit))));
}

/// Launches kernel(task, results, extra…) with one thread block per tile. `unit`: depth that is not split, a
/// multiple of the stage's. Results of several parts of the depth are added up, after clearResults(launch,
/// portion, columns, results), declared next to the type of the results, has zeroed them.
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
