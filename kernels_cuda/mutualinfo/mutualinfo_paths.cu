#include <cub/device/device_radix_sort.cuh>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/tropical_product.cuh"
#include "kernels_cuda/mutualinfo/path_kernels.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kThreads = 256;

unsigned blocksOf(std::size_t count) {
    return unsigned((count + kThreads - 1) / kThreads);
}

// ---- Ranks

/// Sorts, or with a null `scratch` only stores the required size in `bytes`.
void sort(void* scratch, std::size_t& bytes, cub::DoubleBuffer<std::uint64_t>& values,
          cub::DoubleBuffer<std::uint32_t>& places, std::size_t count, StreamHandle stream) {
    GLYCINE_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, values, places, int(count), 0, 64, stream));
}

__global__ void __launch_bounds__(kThreads) numberPlaces(std::uint32_t* places, std::size_t count) {
    const std::size_t index = std::size_t(blockIdx.x) * kThreads + threadIdx.x;
    if (index < count) places[index] = std::uint32_t(index);
}

/// Equal values get different ranks in any order, but the maximum and the minimum of ranks still lead to the
/// same value.
__global__ void __launch_bounds__(kThreads)
    scatterRanks(const std::uint32_t* places, std::size_t count, std::uint32_t* ranks) {
    const std::size_t index = std::size_t(blockIdx.x) * kThreads + threadIdx.x;
    if (index < count) ranks[places[index]] = std::uint32_t(index);
}

// ---- Paths

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, 2) strongestPathsKernel(PathWindow window) {
    const std::size_t row = window.firstRow + std::size_t(blockIdx.y) * Shape::kSide;
    const std::size_t column = std::size_t(blockIdx.x) * Shape::kSide;
    if (window.isDiagonal && column >= row + Shape::kSide) return;
    extern __shared__ __align__(16) unsigned char memory[];
    TileFragment<std::int32_t, Shape> tile;
    std::int32_t least = 0;
    // Hides from the compiler that it is 0. Otherwise it would peel the first steps and spill registers.
    asm volatile("" : "+r"(least));
#pragma unroll
    for (int i = 0; i < Shape::kPerThread; ++i) {
#pragma unroll
        for (int j = 0; j < Shape::kPerThread; ++j) tile.value[i][j] = least;
    }
    accumulateProduct<std::int32_t, Shape, MaxMin<std::int32_t>>(
        tile, reinterpret_cast<std::int32_t*>(memory), window.rows.at(0, row), window.rows.stride,
        window.columns.at(0, column), window.columns.stride, int(window.mediators), ConsecutiveRows{});
    double* results = window.results.at(row + tile.offset(tile.threadRow(), 0),
                                        column + tile.offset(tile.threadColumn(), 0));
    const double* sorted = window.sorted;
    std::size_t stride = window.results.stride;
    // Keeps the compiler from computing addresses before the product, which would spill registers.
    asm volatile("" : "+l"(results), "+l"(sorted), "+l"(stride));
#pragma unroll
    for (int i = 0; i < Shape::kPerThread; ++i) {
        double* const own = results + tile.offset(0, i) * stride;
#pragma unroll
        for (int g = 0; g < Shape::kGroups; ++g) {
            double strongest[Shape::kVector];
#pragma unroll
            for (int v = 0; v < Shape::kVector; ++v)
                strongest[v] = sorted[tile.value[i][g * Shape::kVector + v]];
            double* const target = own + tile.offset(0, g * Shape::kVector);
            if (window.raises) {
#pragma unroll
                for (int v = 0; v < Shape::kVector; ++v) strongest[v] = fmax(strongest[v], target[v]);
            }
#pragma unroll
            for (int v = 0; v < Shape::kVector; ++v) target[v] = strongest[v];
        }
    }
}

template <class Shape>
void launchPathsAs(const Launch& launch, const PathWindow& window) {
    static_assert(kPathPadding % Shape::kSide == 0 && kMediatorStep % Shape::kDepth == 0 &&
                  kPathStep % Shape::kVector == 0);
    if (Shape::kSharedBytes > 48 * 1024)
        GLYCINE_CUDA(cudaFuncSetAttribute(strongestPathsKernel<Shape>,
                                          cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::kSharedBytes));
    const dim3 tiles(window.columnCount / Shape::kSide, window.rowCount / Shape::kSide);
    strongestPathsKernel<Shape><<<tiles, Shape::kThreads, Shape::kSharedBytes, launch.stream>>>(window);
    checkLaunch("strongest paths");
}

}  // namespace

std::size_t scratchBytesForRanks(std::size_t count) {
    std::size_t bytes = 0;
    cub::DoubleBuffer<std::uint64_t> values;
    cub::DoubleBuffer<std::uint32_t> places;
    sort(nullptr, bytes, values, places, count, nullptr);
    return bytes;
}

RankedValues launchRanks(const Launch& launch, const RankBuffers& buffers, std::size_t count) {
    numberPlaces<<<blocksOf(count), kThreads, 0, launch.stream>>>(buffers.places[0], count);
    checkLaunch("numbers of values");
    cub::DoubleBuffer<std::uint64_t> values(buffers.values[0], buffers.values[1]);
    cub::DoubleBuffer<std::uint32_t> places(buffers.places[0], buffers.places[1]);
    std::size_t bytes = buffers.scratchBytes;
    sort(buffers.scratch, bytes, values, places, count, launch.stream);
    scatterRanks<<<blocksOf(count), kThreads, 0, launch.stream>>>(places.Current(), count,
                                                                  places.Alternate());
    checkLaunch("ranks");
    return {reinterpret_cast<const std::int32_t*>(places.Alternate()),
            reinterpret_cast<const double*>(values.Current())};
}

void launchStrongestPaths(const Launch& launch, const PathWindow& window) {
    if (window.rowCount == 0 || window.columnCount == 0) return;
    using Wide = WideTile<std::int32_t>;
    const std::size_t wideTiles =
        std::size_t(window.rowCount) * window.columnCount / (Wide::kSide * Wide::kSide);
    if (wideTiles < std::size_t(launch.multiprocessors))
        launchPathsAs<NarrowTile<std::int32_t>>(launch, window);
    else
        launchPathsAs<Wide>(launch, window);
}

}  // namespace glycine::cuda
