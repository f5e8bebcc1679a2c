#include "kernels_cuda/bounds/bounds_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/tropical_product.cuh"

/// Pruned (max, +) products for the lower bounds.
namespace glycine::cuda {

namespace {

/// Number of k whose test results are kept in shared memory at a time.
constexpr int kSegment = 4096;

/// One warp a (k, tile): the largest of the tile's part of row k.
template <class T, int tileSide>
__global__ void largestInRowKernel(MatrixOnDevice<const T> matrix, std::size_t depth, bool ignoreDiagonal,
                                   T* largest) {
    const std::size_t k = std::size_t(blockIdx.x) * blockDim.y + threadIdx.y;
    const std::size_t tile = blockIdx.y;
    const std::size_t first = tile * tileSide;
    // Less than any sum; two of them do not overflow.
    T value = -kFarAway<T>;
#pragma unroll
    for (int i = 0; i < tileSide; i += 32) {
        const std::size_t column = first + i + threadIdx.x;
        if (ignoreDiagonal && column == k) continue;
        value = MaxPlus<T>::best(value, *matrix.at(k, column));
    }
    for (int distance = 16; distance > 0; distance /= 2)
        value = MaxPlus<T>::best(value, __shfl_xor_sync(0xffffffffu, value, distance));
    if (threadIdx.x == 0) largest[tile * depth + k] = value;
}

/// One block of 256 threads per tile: the smallest element that is, of a matrix of `atoms`, neither padding
/// nor on the diagonal.
template <class T, int tileSide>
__global__ void smallestInTileKernel(MatrixOnDevice<const T> matrix, std::size_t atoms, T* smallest) {
    T value = kFarAway<T>;
    const std::size_t firstRow = std::size_t(blockIdx.y) * tileSide;
    const std::size_t firstColumn = std::size_t(blockIdx.x) * tileSide;
    for (int i = threadIdx.x; i < tileSide * tileSide; i += blockDim.x) {
        const std::size_t row = firstRow + i / tileSide;
        const std::size_t column = firstColumn + i % tileSide;
        if (atoms == 0 || (row < atoms && column < atoms && row != column))
            value = MinPlus<T>::best(value, *matrix.at(row, column));
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
    // Repeated sums do not change the maximum.
    if (int(threadIdx.x) < padded - total) list[total + threadIdx.x] = list[0];
    __syncthreads();
    return padded;
}

template <class T, class Shape>
__global__ void __launch_bounds__(Shape::kThreads, 2)
    prunedProductKernel(PrunedProduct<T> product, PruningTables<T> tables, unsigned firstTileRow,
                        unsigned firstTileColumn, unsigned long long* relaxedSteps) {
    const std::size_t tileRow = firstTileRow + blockIdx.y;
    const std::size_t tileColumn = firstTileColumn + blockIdx.x;
    if (product.upperTriangleOnly && tileColumn < tileRow) return;
    extern __shared__ __align__(16) unsigned char dynamicShared[];
    __shared__ std::uint16_t list[kSegment];
    __shared__ int count;
    const std::size_t row = tileRow * Shape::kSide;
    const std::size_t column = tileColumn * Shape::kSide;
    TileFragment<T, Shape> tile;
    tile.load(product.start.at(row, column), product.start.stride);
    const T smallestStart = tables.smallestStart[tileRow * (product.columns / Shape::kSide) + tileColumn];
    unsigned long long steps = 0;
    for (std::size_t first = 0; first < product.depth; first += kSegment) {
        const int segmentSize = int(min(std::size_t(kSegment), product.depth - first));
        const int depth = listQualifying<T, Shape>(tables.largestA + tileRow * product.depth + first,
                                                   tables.largestB + tileColumn * product.depth + first,
                                                   smallestStart, segmentSize, list, count);
        accumulateProduct<T, Shape, MaxPlus<T>>(
            tile, reinterpret_cast<T*>(dynamicShared), product.a.at(first, row), product.a.stride,
            product.b.at(first, column), product.b.stride, depth, ListedRows{list});
        steps += depth;
        __syncthreads();  // before list and pipeline are written again
    }
    if (steps > 0 || product.c.data != product.start.data)
        tile.store(product.c.at(row, column), product.c.stride);
    if (threadIdx.x == 0 && relaxedSteps != nullptr) atomicAdd(relaxedSteps, steps);
}

template <class T, class Shape>
void launchLargestAs(const Launch& launch, const PrunedProduct<T>& product, const PruningTables<T>& tables) {
    const dim3 threads(32, 8);
    const auto blocks = unsigned(product.depth / threads.y);
    largestInRowKernel<T, Shape::kSide>
        <<<dim3(blocks, unsigned(product.rows / Shape::kSide)), threads, 0, launch.stream>>>(
            product.a, product.depth, false, tables.largestA);
    checkLaunch("largest in row");
    largestInRowKernel<T, Shape::kSide>
        <<<dim3(blocks, unsigned(product.columns / Shape::kSide)), threads, 0, launch.stream>>>(
            product.b, product.depth, product.ignoreOwnColumn, tables.largestB);
    checkLaunch("largest in row");
}

template <class T, class Shape>
void launchSmallestAs(const Launch& launch, const PrunedProduct<T>& product, const PruningTables<T>& tables) {
    const dim3 tiles(unsigned(product.columns / Shape::kSide), unsigned(product.rows / Shape::kSide));
    smallestInTileKernel<T, Shape::kSide>
        <<<tiles, 256, 0, launch.stream>>>(product.start, product.atoms, tables.smallestStart);
    checkLaunch("smallest in tile");
}

template <class T, class Shape>
void launchPrunedProductAs(const Launch& launch, const PrunedProduct<T>& product,
                           const PruningTables<T>& tables, Range tileRows, Range tileColumns,
                           unsigned long long* relaxedSteps) {
    // The pipeline takes 48 KiB, the list of one segment another 8 KiB.
    GLYCINE_CUDA(cudaFuncSetAttribute(prunedProductKernel<T, Shape>,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::kSharedBytes));
    const dim3 tiles(unsigned(tileColumns.size()), unsigned(tileRows.size()));
    prunedProductKernel<T, Shape><<<tiles, Shape::kThreads, Shape::kSharedBytes, launch.stream>>>(
        product, tables, unsigned(tileRows.begin), unsigned(tileColumns.begin), relaxedSteps);
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
std::size_t pruningTableSize(std::size_t rows, std::size_t columns, std::size_t depth, std::size_t tileSide) {
    return (rows + columns) / tileSide * depth + rows / tileSide * (columns / tileSide);
}

template <class T>
PruningTables<T> pruningTables(const PrunedProduct<T>& product, std::size_t tileSide, T* memory) {
    T* const largestB = memory + product.rows / tileSide * product.depth;
    return {memory, largestB, largestB + product.columns / tileSide * product.depth};
}

template <class T>
void launchLargest(const Launch& launch, const PrunedProduct<T>& product, std::size_t tileSide,
                   const PruningTables<T>& tables) {
    if (tileSide == WideTile<T>::kSide)
        launchLargestAs<T, WideTile<T>>(launch, product, tables);
    else
        launchLargestAs<T, NarrowTile<T>>(launch, product, tables);
}

template <class T>
void launchSmallest(const Launch& launch, const PrunedProduct<T>& product, std::size_t tileSide,
                    const PruningTables<T>& tables) {
    if (tileSide == WideTile<T>::kSide)
        launchSmallestAs<T, WideTile<T>>(launch, product, tables);
    else
        launchSmallestAs<T, NarrowTile<T>>(launch, product, tables);
}

template <class T>
void launchPrunedProduct(const Launch& launch, const PrunedProduct<T>& product, std::size_t tileSide,
                         const PruningTables<T>& tables, Range tileRows, Range tileColumns,
                         unsigned long long* relaxedSteps) {
    if (tileSide == WideTile<T>::kSide)
        launchPrunedProductAs<T, WideTile<T>>(launch, product, tables, tileRows, tileColumns, relaxedSteps);
    else
        launchPrunedProductAs<T, NarrowTile<T>>(launch, product, tables, tileRows, tileColumns, relaxedSteps);
}

#define GLYCINE_INSTANTIATE(T)                                                                    \
    template std::size_t prunedTileSide<T>(const Launch&, std::size_t);                           \
    template std::size_t pruningTableSize<T>(std::size_t, std::size_t, std::size_t, std::size_t); \
    template PruningTables<T> pruningTables<T>(const PrunedProduct<T>&, std::size_t, T*);         \
    template void launchLargest<T>(const Launch&, const PrunedProduct<T>&, std::size_t,           \
                                   const PruningTables<T>&);                                      \
    template void launchSmallest<T>(const Launch&, const PrunedProduct<T>&, std::size_t,          \
                                    const PruningTables<T>&);                                     \
    template void launchPrunedProduct<T>(const Launch&, const PrunedProduct<T>&, std::size_t,     \
                                         const PruningTables<T>&, Range, Range, unsigned long long*);
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(double)
GLYCINE_INSTANTIATE(std::int32_t)
#undef GLYCINE_INSTANTIATE

}  // namespace glycine::cuda
