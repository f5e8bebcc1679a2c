#include "kernels_cuda/bounds/bounds_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/tropical_product.cuh"

/// Pruned (max, +) products for the lower bounds.
namespace glycine::cuda {

namespace {

/// Number of k whose test results are kept in shared memory at a time.
constexpr int kSegment = 4096;

/// Where the three tables of one product lie: the largest a_ki of each (tile row, k), the largest b_kj of
/// each (tile column, k), the smallest start_ij of each tile.
template <class T>
struct PruningTables {
    T* largestA;
    T* largestB;
    T* smallestStart;
    __host__ __device__ PruningTables(T* data, std::size_t side, std::size_t tileSide)
        : largestA(data),
          largestB(data + side / tileSide * side),
          smallestStart(data + 2 * (side / tileSide * side)) {}
};

/// One warp a (k, tile): the largest of the tile's part of row k.
template <class T, int tileSide>
__global__ void largestInRowKernel(const T* matrix, std::size_t side, bool ignoreDiagonal, T* largest) {
    const std::size_t k = std::size_t(blockIdx.x) * blockDim.y + threadIdx.y;
    const std::size_t tile = blockIdx.y;
    const std::size_t first = tile * tileSide;
    // Seen from any sum, "nothing there": two of them do not overflow.
    T value = -kFarAway<T>;
#pragma unroll
    for (int i = 0; i < tileSide; i += 32) {
        const std::size_t column = first + i + threadIdx.x;
        if (ignoreDiagonal && column == k) continue;
        value = MaxPlus<T>::best(value, matrix[k * side + column]);
    }
    for (int distance = 16; distance > 0; distance /= 2)
        value = MaxPlus<T>::best(value, __shfl_xor_sync(0xffffffffu, value, distance));
    if (threadIdx.x == 0) largest[tile * side + k] = value;
}

/// One block of 256 threads a tile: the smallest element that is neither padding nor on the diagonal.
template <class T, int tileSide>
__global__ void smallestInTileKernel(const T* matrix, std::size_t side, std::size_t atoms, T* smallest) {
    T value = kFarAway<T>;
    const std::size_t firstRow = std::size_t(blockIdx.y) * tileSide;
    const std::size_t firstColumn = std::size_t(blockIdx.x) * tileSide;
    for (int i = threadIdx.x; i < tileSide * tileSide; i += blockDim.x) {
        const std::size_t row = firstRow + i / tileSide;
        const std::size_t column = firstColumn + i % tileSide;
        if (row < atoms && column < atoms && row != column)
            value = MinPlus<T>::best(value, matrix[row * side + column]);
    }
    for (int distance = 16; distance > 0; distance /= 2)
        value = MinPlus<T>::best(value, __shfl_xor_sync(0xffffffffu, value, distance));
    __shared__ T ofWarp[8];
    if (threadIdx.x % 32 == 0) ofWarp[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; ++warp) value = MinPlus<T>::best(value, ofWarp[warp]);
        smallest[blockIdx.y * gridDim.x + blockIdx.x] = value;
    }
}

/// Writes the k of one segment that pass the test to `list`, padded with repetitions to whole pipeline
/// stages. Returns their padded number; all threads take part.
template <class T, class Shape>
__device__ int listQualifying(const T* largestA, const T* largestB, T smallestStart, int segmentSize,
                              std::uint16_t* list, int& count) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < segmentSize; k += Shape::kThreads) {
        const bool qualifies = largestA[k] + largestB[k] > smallestStart;
        // Segments are whole multiples of a warp: all 32 lanes come here together.
        const unsigned votes = __ballot_sync(0xffffffffu, qualifies);
        int base = 0;
        if (threadIdx.x % 32 == 0) base = atomicAdd(&count, __popc(votes));
        base = __shfl_sync(0xffffffffu, base, 0);
        if (qualifies) list[base + __popc(votes & ((1u << threadIdx.x % 32) - 1))] = std::uint16_t(k);
    }
    __syncthreads();
    const int total = count;
    const int padded = (total + Shape::kDepth - 1) / Shape::kDepth * Shape::kDepth;
    // Taking a sum twice changes no maximum.
    if (int(threadIdx.x) < padded - total) list[total + threadIdx.x] = list[0];
    __syncthreads();
    return padded;
}

template <class T, class Shape>
__global__ void __launch_bounds__(Shape::kThreads, 2)
    prunedProductKernel(PrunedProduct<T> product, PruningTables<T> tables, unsigned firstTileRow,
                        unsigned long long* relaxedSteps) {
    const std::size_t tileRow = firstTileRow + blockIdx.y;
    const std::size_t tileColumn = blockIdx.x;
    if (product.upperTriangleOnly && tileColumn < tileRow) return;
    extern __shared__ __align__(16) unsigned char dynamicShared[];
    __shared__ std::uint16_t list[kSegment];
    __shared__ int count;
    const std::size_t side = product.side;
    const std::size_t row = tileRow * Shape::kSide;
    const std::size_t column = tileColumn * Shape::kSide;
    TileFragment<T, Shape> tile;
    tile.load(product.start + row * side + column, side);
    const T smallestStart = tables.smallestStart[tileRow * gridDim.x + tileColumn];
    unsigned long long steps = 0;
    for (std::size_t first = 0; first < side; first += kSegment) {
        const int segmentSize = int(min(std::size_t(kSegment), side - first));
        const int depth = listQualifying<T, Shape>(tables.largestA + tileRow * side + first,
                                                   tables.largestB + tileColumn * side + first, smallestStart,
                                                   segmentSize, list, count);
        accumulateProduct<T, Shape, MaxPlus<T>>(
            tile, reinterpret_cast<T*>(dynamicShared), product.a + first * side + row, side,
            product.b + first * side + column, side, depth, ListedRows{list});
        steps += depth;
        __syncthreads();  // before list and pipeline are written again
    }
    tile.store(product.c + row * side + column, side);
    if (threadIdx.x == 0) atomicAdd(relaxedSteps, steps);
}

template <class T, class Shape>
void launchPruningTablesAs(const Launch& launch, const PrunedProduct<T>& product, T* data) {
    const PruningTables<T> tables(data, product.side, Shape::kSide);
    const auto tiles = unsigned(product.side / Shape::kSide);
    const dim3 rowThreads(32, 8);
    const dim3 rowBlocks(unsigned(product.side / rowThreads.y), tiles);
    largestInRowKernel<T, Shape::kSide>
        <<<rowBlocks, rowThreads, 0, launch.stream>>>(product.a, product.side, false, tables.largestA);
    checkLaunch("largest in row");
    largestInRowKernel<T, Shape::kSide><<<rowBlocks, rowThreads, 0, launch.stream>>>(
        product.b, product.side, product.ignoreOwnColumn, tables.largestB);
    checkLaunch("largest in row");
    smallestInTileKernel<T, Shape::kSide><<<dim3(tiles, tiles), 256, 0, launch.stream>>>(
        product.start, product.side, product.atoms, tables.smallestStart);
    checkLaunch("smallest in tile");
}

template <class T, class Shape>
void launchPrunedProductAs(const Launch& launch, const PrunedProduct<T>& product, const T* data,
                           std::size_t firstTileRow, std::size_t tileRows, unsigned long long* relaxedSteps) {
    // The pipeline takes 48 KiB, the list of one segment 8 KiB beside it.
    GLYCINE_CUDA(cudaFuncSetAttribute(prunedProductKernel<T, Shape>,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::kSharedBytes));
    const PruningTables<T> tables(const_cast<T*>(data), product.side, Shape::kSide);
    const dim3 tiles(unsigned(product.side / Shape::kSide), unsigned(tileRows));
    prunedProductKernel<T, Shape><<<tiles, Shape::kThreads, Shape::kSharedBytes, launch.stream>>>(
        product, tables, unsigned(firstTileRow), relaxedSteps);
    checkLaunch("pruned product");
}

}  // namespace

template <class T>
std::size_t prunedTileSide(const Launch& launch, std::size_t side) {
    const std::size_t wideTiles = side / WideTile<T>::kSide;
    return wideTiles * wideTiles < std::size_t(launch.multiprocessors) ? NarrowTile<T>::kSide
                                                                       : WideTile<T>::kSide;
}

template <class T>
std::size_t pruningTableSize(std::size_t side, std::size_t tileSide) {
    const std::size_t tiles = side / tileSide;
    return 2 * tiles * side + tiles * tiles;
}

template <class T>
void launchPruningTables(const Launch& launch, const PrunedProduct<T>& product, std::size_t tileSide,
                         T* tables) {
    if (tileSide == WideTile<T>::kSide)
        launchPruningTablesAs<T, WideTile<T>>(launch, product, tables);
    else
        launchPruningTablesAs<T, NarrowTile<T>>(launch, product, tables);
}

template <class T>
void launchPrunedProduct(const Launch& launch, const PrunedProduct<T>& product, std::size_t tileSide,
                         const T* tables, std::size_t firstTileRow, std::size_t tileRows,
                         unsigned long long* relaxedSteps) {
    if (tileSide == WideTile<T>::kSide)
        launchPrunedProductAs<T, WideTile<T>>(launch, product, tables, firstTileRow, tileRows, relaxedSteps);
    else
        launchPrunedProductAs<T, NarrowTile<T>>(launch, product, tables, firstTileRow, tileRows,
                                                relaxedSteps);
}

#define GLYCINE_INSTANTIATE(T)                                                                          \
    template std::size_t prunedTileSide<T>(const Launch&, std::size_t);                                 \
    template std::size_t pruningTableSize<T>(std::size_t, std::size_t);                                 \
    template void launchPruningTables<T>(const Launch&, const PrunedProduct<T>&, std::size_t, T*);      \
    template void launchPrunedProduct<T>(const Launch&, const PrunedProduct<T>&, std::size_t, const T*, \
                                         std::size_t, std::size_t, unsigned long long*);
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(double)
GLYCINE_INSTANTIATE(std::int32_t)
#undef GLYCINE_INSTANTIATE

}  // namespace glycine::cuda
