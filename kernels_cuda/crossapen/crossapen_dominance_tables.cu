#include "kernels_cuda/crossapen/crossapen_kernels.hpp"
#include "kernels_cuda/crossapen/crossapen_ranks.hpp"
#include "kernels_cuda/crossapen/crossapen_template.cuh"
#include "kernels_cuda/device/cuda_check.hpp"

/// Rank grids of signals, in three steps: ranks by time, the rows and columns of cells, the prefix counts.
namespace glycine::cuda {

namespace {

constexpr unsigned kTableThreads = 256;
constexpr unsigned kTableWarps = kTableThreads / kWarp;

__global__ void __launch_bounds__(kTableThreads)
    invertOrder(const std::uint16_t* times, std::size_t samples, std::size_t elements, std::uint16_t* ranks) {
    const std::size_t index = std::size_t(blockIdx.x) * kTableThreads + threadIdx.x;
    if (index >= elements) return;
    const std::size_t k = index % samples;
    ranks[index - k + times[index]] = std::uint16_t(k);
}

/// Place of the lane's number among those of the warp, equal ones by lane.
__device__ unsigned placeInWarp(unsigned value) {
    unsigned place = 0;
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        const unsigned other = __shfl_sync(kWholeWarp, value, int(lane));
        place += other < value || (other == value && lane < threadIdx.x % kWarp);
    }
    return place;
}

/// Writes, for n ≤ 32, the set of the n lanes whose places are the first to prefixes[n].
__device__ void writePrefixSets(unsigned place, std::uint32_t* prefixes) {
    const unsigned lane = threadIdx.x % kWarp;
    unsigned set = 0;
    for (unsigned other = 0; other < kWarp; ++other)
        set |= (__shfl_sync(kWholeWarp, place, int(other)) < lane ? 1U : 0U) << other;
    prefixes[lane] = set;
    if (lane == 0) prefixes[kWarp] = kWholeWarp;
}

/// A warp a cell: 32 consecutive ranks as a row of the grid and as a column.
__global__ void __launch_bounds__(kTableThreads)
    fillCells(const std::uint16_t* allTimes, std::size_t signals, unsigned samples, RankTables tables) {
    const unsigned cells = rankCells(samples);
    const std::size_t warp = std::size_t(blockIdx.x) * kTableWarps + threadIdx.x / kWarp;
    const std::size_t signal = warp / cells;
    if (signal >= signals) return;
    const unsigned cell = unsigned(warp % cells);
    const std::uint16_t* times = allTimes + signal * samples;
    const std::uint16_t* ranks = tables.ranks + signal * samples;

    const unsigned k = cell * kRankCell + threadIdx.x % kWarp;
    std::uint16_t successor = kNoRank;
    std::uint16_t predecessor = kNoRank;
    if (k < samples) {
        const unsigned time = times[k];
        if (time + 1 < samples) successor = ranks[time + 1];
        if (time > 0) predecessor = ranks[time - 1];
        tables.successors[signal * samples + k] = successor;
    }
    std::uint32_t* rows = tables.grids + signal * rankGridWords(samples) + std::size_t(cells + 1) * cells;
    std::uint32_t* columns = rows + cells * (kRankCell + 1);
    writePrefixSets(placeInWarp(successor), rows + cell * (kRankCell + 1));
    const unsigned place = placeInWarp(predecessor);
    writePrefixSets(place, columns + cell * (kRankCell + 1));
    tables.predecessors[(signal * cells + cell) * kRankCell + place] = predecessor;
}

/// A warp a row of the counts: 32 columns at a time.
__global__ void __launch_bounds__(kTableThreads)
    fillCounts(std::size_t signals, unsigned samples, RankTables tables) {
    const unsigned cells = rankCells(samples);
    const unsigned lane = threadIdx.x % kWarp;
    const std::size_t warp = std::size_t(blockIdx.x) * kTableWarps + threadIdx.x / kWarp;
    const std::size_t signal = warp / (cells + 1);
    if (signal >= signals) return;
    const unsigned row = unsigned(warp % (cells + 1));
    const unsigned end = min(row * kRankCell, unsigned(kNoRank));
    const std::uint16_t* predecessors = tables.predecessors + signal * cells * kRankCell;
    std::uint32_t* counts = tables.grids + signal * rankGridWords(samples) + std::size_t(row) * cells;

    unsigned before = 0;
    for (unsigned first = 0; first < cells; first += kWarp) {
        const unsigned column = first + lane;
        unsigned inColumn = 0;  // its points with first rank < end: a prefix of those in ascending order
        if (column < cells) {
            const std::uint16_t* ascending = predecessors + column * kRankCell;
            for (unsigned step = kRankCell / 2; step > 0; step /= 2)
                if (ascending[inColumn + step - 1] < end) inColumn += step;
            inColumn += ascending[inColumn] < end;
        }
        unsigned sum = inColumn;
        for (unsigned step = 1; step < kWarp; step *= 2) {
            const unsigned other = __shfl_up_sync(kWholeWarp, sum, step);
            if (lane >= step) sum += other;
        }
        if (column < cells) counts[column] = (before + sum - inColumn) | inColumn << 16;
        before += __shfl_sync(kWholeWarp, sum, kWarp - 1);
    }
}

}  // namespace

void launchRankTables(const Launch& launch, const MatchShape& shape, const std::uint16_t* times,
                      const RankTables& tables) {
    const std::size_t signals = shape.signals();
    const std::size_t elements = signals * shape.samples;
    const std::size_t cells = rankCells(shape.samples);
    const auto blocks = [](std::size_t count, std::size_t ofBlock) {
        return unsigned((count + ofBlock - 1) / ofBlock);
    };
    const unsigned samples = unsigned(shape.samples);
    invertOrder<<<blocks(elements, kTableThreads), kTableThreads, 0, launch.stream>>>(times, samples,
                                                                                      elements, tables.ranks);
    checkLaunch("invert order");
    fillCells<<<blocks(signals * cells, kTableWarps), kTableThreads, 0, launch.stream>>>(times, signals,
                                                                                         samples, tables);
    checkLaunch("fill rank cells");
    fillCounts<<<blocks(signals * (cells + 1), kTableWarps), kTableThreads, 0, launch.stream>>>(
        signals, samples, tables);
    checkLaunch("fill rank counts");
}

}  // namespace glycine::cuda
