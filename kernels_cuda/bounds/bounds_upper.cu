#include "kernels_cuda/bounds/bounds_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/tropical_product.cuh"

/// Blocked Floyd-Warshall: the closure of a diagonal block and the products around it.
namespace glycine::cuda {

namespace {

template <class T>
__device__ T* dynamicShared() {
    extern __shared__ __align__(16) unsigned char memory[];
    return reinterpret_cast<T*>(memory);
}

/// Lets `kernel` use more than the default 48 KiB of shared memory where the tile's pipeline needs it.
template <class Shape, class Kernel>
void allowSharedMemory(Kernel kernel) {
    if (Shape::kSharedBytes > 48 * 1024)
        GLYCINE_CUDA(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::kSharedBytes));
}

// --- Rectangular products
// -----------------------------------------------------------------------------------------

template <class T, class Shape, class Ring>
__global__ void __launch_bounds__(Shape::kThreads, 2) productKernel(Product<T> product) {
    const std::size_t row = std::size_t(blockIdx.y) * Shape::kSide;
    const std::size_t column = std::size_t(blockIdx.x) * Shape::kSide;
    TileFragment<T, Shape> tile;
    tile.load(product.start.at(row, column), product.start.stride);
    accumulateProduct<T, Shape, Ring>(tile, dynamicShared<T>(), product.a.at(0, row), product.a.stride,
                                      product.b.at(0, column), product.b.stride, int(product.depth),
                                      ConsecutiveRows{});
    tile.store(product.c.at(row, column), product.c.stride);
}

template <class T, class Shape, class Ring>
void launchProductAs(const Launch& launch, const Product<T>& product) {
    allowSharedMemory<Shape>(productKernel<T, Shape, Ring>);
    const dim3 tiles(unsigned(product.columns / Shape::kSide), unsigned(product.rows / Shape::kSide));
    productKernel<T, Shape, Ring><<<tiles, Shape::kThreads, Shape::kSharedBytes, launch.stream>>>(product);
    checkLaunch("product");
}

template <class T, class Ring>
void launchProductIn(const Launch& launch, const Product<T>& product) {
    const std::size_t wideTiles = product.rows * product.columns / (WideTile<T>::kSide * WideTile<T>::kSide);
    if (wideTiles < std::size_t(launch.multiprocessors))
        launchProductAs<T, NarrowTile<T>, Ring>(launch, product);
    else
        launchProductAs<T, WideTile<T>, Ring>(launch, product);
}

// --- Closure of a small block
// ---------------------------------------------------------------------------------------

/// Floyd-Warshall on one tile, held in registers. Row k goes through shared memory; column k is the same by
/// symmetry. Two row buffers in turn, so that one barrier a k suffices.
template <class T, class Shape>
__global__ void __launch_bounds__(Shape::kThreads)
    closeTileKernel(MatrixOnDevice<T> block, std::size_t first) {
    static_assert(Shape::kGroups == 1);
    constexpr int vector = Shape::kVector;
    __shared__ T pivotRow[2][Shape::kSide];
    using Fragment = TileFragment<T, Shape>;
    Fragment tile;
    T* corner = block.at(first, first);
    tile.load(corner, block.stride);
    const int rows = Fragment::threadRow();
    const int columns = Fragment::threadColumn();
    for (int owner = 0; owner < Shape::kSide / vector; ++owner) {
#pragma unroll
        for (int part = 0; part < vector; ++part) {
            T* pivot = pivotRow[part % 2];  // vector is even: the buffers alternate across owners too
            if (rows == owner) {
#pragma unroll
                for (int v = 0; v < vector; ++v) pivot[columns * vector + v] = tile.value[part][v];
            }
            __syncthreads();
            T toPivot[vector];
            T fromPivot[vector];
#pragma unroll
            for (int v = 0; v < vector; ++v) {
                toPivot[v] = pivot[rows * vector + v];
                fromPivot[v] = pivot[columns * vector + v];
            }
#pragma unroll
            for (int i = 0; i < vector; ++i) {
#pragma unroll
                for (int j = 0; j < vector; ++j)
                    tile.value[i][j] = MinPlus<T>::relax(tile.value[i][j], toPivot[i], fromPivot[j]);
            }
        }
    }
    tile.store(corner, block.stride);
}

/// Relaxes the rows of the closed diagonal tile through the tile itself. Each thread block reads only the
/// columns that it writes, and reads all of them before it writes.
template <class T, class Shape>
__global__ void __launch_bounds__(Shape::kThreads, 2)
    closeRowKernel(MatrixOnDevice<T> block, std::size_t first) {
    const std::size_t column = std::size_t(blockIdx.x) * Shape::kSide;
    if (column == first) return;
    TileFragment<T, Shape> tile;
    T* target = block.at(first, column);
    tile.load(target, block.stride);
    accumulateProduct<T, Shape, MinPlus<T>>(tile, dynamicShared<T>(), block.at(first, first), block.stride,
                                            target, block.stride, Shape::kSide, ConsecutiveRows{});
    __syncthreads();
    tile.store(target, block.stride);
}

/// All other rows, relaxed through the rows that closeRowKernel finished.
template <class T, class Shape>
__global__ void __launch_bounds__(Shape::kThreads, 2)
    closeRestKernel(MatrixOnDevice<T> block, std::size_t first) {
    const std::size_t row = std::size_t(blockIdx.y) * Shape::kSide;
    const std::size_t column = std::size_t(blockIdx.x) * Shape::kSide;
    if (row == first) return;
    TileFragment<T, Shape> tile;
    tile.load(block.at(row, column), block.stride);
    accumulateProduct<T, Shape, MinPlus<T>>(tile, dynamicShared<T>(), block.at(first, row), block.stride,
                                            block.at(first, column), block.stride, Shape::kSide,
                                            ConsecutiveRows{});
    tile.store(block.at(row, column), block.stride);
}

// --- Relaxation of the upper triangle through a panel
// -------------------------------------------------------------

/// Tile numbers with the range [begin, end) taken out.
struct TileGap {
    unsigned begin;
    unsigned end;
    __device__ unsigned skip(unsigned tile) const { return tile < begin ? tile : tile + (end - begin); }
};

template <class T, class Shape>
__device__ void relaxTile(MatrixOnDevice<T> matrix, MatrixOnDevice<const T> panel, int depth,
                          unsigned tileRow, unsigned tileColumn) {
    const std::size_t row = std::size_t(tileRow) * Shape::kSide;
    const std::size_t column = std::size_t(tileColumn) * Shape::kSide;
    TileFragment<T, Shape> tile;
    tile.load(matrix.at(row, column), matrix.stride);
    accumulateProduct<T, Shape, MinPlus<T>>(tile, dynamicShared<T>(), panel.at(0, row), panel.stride,
                                            panel.at(0, column), panel.stride, depth, ConsecutiveRows{});
    tile.store(matrix.at(row, column), matrix.stride);
}

template <class T, class Shape>
__global__ void __launch_bounds__(Shape::kThreads, 2)
    relaxBandKernel(MatrixOnDevice<T> matrix, MatrixOnDevice<const T> panel, int depth, TileGap finished,
                    unsigned bandBegin, unsigned bandEnd) {
    const unsigned other = finished.skip(blockIdx.x);
    const unsigned inBand = bandBegin + blockIdx.y;
    // A tile with both its row and its column in the band has two blocks of threads: one leaves.
    if (other >= bandBegin && other < bandEnd && other > inBand) return;
    relaxTile<T, Shape>(matrix, panel, depth, min(other, inBand), max(other, inBand));
}

/// Folds a triangle of `side` tiles per side into a rectangle, so that no idle blocks are launched.
__device__ void unfoldTriangle(unsigned side, unsigned x, unsigned y, unsigned& row, unsigned& column) {
    if (side % 2 == 0) {  // side/2 rows of side + 1
        const bool direct = x > y;
        row = direct ? y : side - 1 - y;
        column = direct ? x - 1 : side - 1 - x;
    } else {  // (side + 1)/2 rows of side
        const bool direct = x >= y;
        row = direct ? y : side - y;
        column = direct ? x : side - 1 - x;
    }
}
dim3 foldedTriangle(unsigned side) {
    return dim3(side % 2 == 0 ? side + 1 : side, (side + 1) / 2);
}

template <class T, class Shape>
__global__ void __launch_bounds__(Shape::kThreads, 2)
    relaxRestKernel(MatrixOnDevice<T> matrix, MatrixOnDevice<const T> panel, int depth, TileGap skipped,
                    unsigned tilesLeft) {
    unsigned row = 0;
    unsigned column = 0;
    unfoldTriangle(tilesLeft, blockIdx.x, blockIdx.y, row, column);
    relaxTile<T, Shape>(matrix, panel, depth, skipped.skip(row), skipped.skip(column));
}

template <class T, class Shape>
void launchRelaxBandAs(const Launch& launch, MatrixOnDevice<T> matrix, std::size_t side,
                       MatrixOnDevice<const T> panel, std::size_t depth, Range finished, Range band) {
    allowSharedMemory<Shape>(relaxBandKernel<T, Shape>);
    const TileGap gap{unsigned(finished.begin / Shape::kSide), unsigned(finished.end / Shape::kSide)};
    const dim3 tiles(unsigned((side - finished.size()) / Shape::kSide), unsigned(band.size() / Shape::kSide));
    relaxBandKernel<T, Shape><<<tiles, Shape::kThreads, Shape::kSharedBytes, launch.stream>>>(
        matrix, panel, int(depth), gap, unsigned(band.begin / Shape::kSide),
        unsigned(band.end / Shape::kSide));
    checkLaunch("relax band");
}

template <class T, class Shape>
void launchRelaxRestAs(const Launch& launch, MatrixOnDevice<T> matrix, std::size_t side,
                       MatrixOnDevice<const T> panel, std::size_t depth, Range skipped) {
    allowSharedMemory<Shape>(relaxRestKernel<T, Shape>);
    const TileGap gap{unsigned(skipped.begin / Shape::kSide), unsigned(skipped.end / Shape::kSide)};
    const auto tilesLeft = unsigned((side - skipped.size()) / Shape::kSide);
    relaxRestKernel<T, Shape>
        <<<foldedTriangle(tilesLeft), Shape::kThreads, Shape::kSharedBytes, launch.stream>>>(
            matrix, panel, int(depth), gap, tilesLeft);
    checkLaunch("relax rest");
}

}  // namespace

template <class T>
void launchProduct(const Launch& launch, Semiring semiring, const Product<T>& product) {
    if (product.rows == 0 || product.columns == 0) return;
    if (semiring == Semiring::MinPlus)
        launchProductIn<T, MinPlus<T>>(launch, product);
    else
        launchProductIn<T, MaxPlus<T>>(launch, product);
}

template <class T>
void launchClosure(const Launch& launch, MatrixOnDevice<T> block, std::size_t side) {
    using Shape = NarrowTile<T>;
    const auto tiles = unsigned(side / Shape::kSide);
    for (std::size_t first = 0; first < side; first += Shape::kSide) {
        closeTileKernel<T, Shape><<<1, Shape::kThreads, 0, launch.stream>>>(block, first);
        checkLaunch("close tile");
        closeRowKernel<T, Shape>
            <<<tiles, Shape::kThreads, Shape::kSharedBytes, launch.stream>>>(block, first);
        checkLaunch("close row");
        closeRestKernel<T, Shape>
            <<<dim3(tiles, tiles), Shape::kThreads, Shape::kSharedBytes, launch.stream>>>(block, first);
        checkLaunch("close rest");
    }
}

template <class T>
void launchRelaxBand(const Launch& launch, MatrixOnDevice<T> matrix, std::size_t side,
                     MatrixOnDevice<const T> panel, std::size_t depth, Range finished, Range band) {
    if (band.size() == 0 || side == finished.size()) return;
    const std::size_t wideTiles =
        (side - finished.size()) * band.size() / (WideTile<T>::kSide * WideTile<T>::kSide);
    if (wideTiles < std::size_t(launch.multiprocessors))
        launchRelaxBandAs<T, NarrowTile<T>>(launch, matrix, side, panel, depth, finished, band);
    else
        launchRelaxBandAs<T, WideTile<T>>(launch, matrix, side, panel, depth, finished, band);
}

template <class T>
void launchRelaxRest(const Launch& launch, MatrixOnDevice<T> matrix, std::size_t side,
                     MatrixOnDevice<const T> panel, std::size_t depth, Range skipped) {
    if (side == skipped.size()) return;
    const std::size_t wideSide = (side - skipped.size()) / WideTile<T>::kSide;
    if (wideSide * (wideSide + 1) / 2 < std::size_t(launch.multiprocessors))
        launchRelaxRestAs<T, NarrowTile<T>>(launch, matrix, side, panel, depth, skipped);
    else
        launchRelaxRestAs<T, WideTile<T>>(launch, matrix, side, panel, depth, skipped);
}

#define GLYCINE_INSTANTIATE(T)                                                                               \
    template void launchProduct<T>(const Launch&, Semiring, const Product<T>&);                              \
    template void launchClosure<T>(const Launch&, MatrixOnDevice<T>, std::size_t);                           \
    template void launchRelaxBand<T>(const Launch&, MatrixOnDevice<T>, std::size_t, MatrixOnDevice<const T>, \
                                     std::size_t, Range, Range);                                             \
    template void launchRelaxRest<T>(const Launch&, MatrixOnDevice<T>, std::size_t, MatrixOnDevice<const T>, \
                                     std::size_t, Range);
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(double)
GLYCINE_INSTANTIATE(std::int32_t)
#undef GLYCINE_INSTANTIATE

}  // namespace glycine::cuda
