#include "kernels_cuda/bounds/bounds_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

/// Mirroring, padding, gathering and comparing of bound matrices, by squares of 32 × 32 elements through
/// shared memory, so that transposed accesses are coalesced too.
namespace glycine::cuda {

namespace {

constexpr int kSquare = 32;
constexpr int kRowsAtOnce = 8;
const dim3 kSquareThreads(kSquare, kRowsAtOnce);

template <class T>
using Square = T[kSquare][kSquare + 1];  // one column more, so that columns do not fall into one bank

template <class T>
__device__ void readSquare(Square<T>& square, const T* source, std::size_t stride) {
    for (int row = threadIdx.y; row < kSquare; row += kRowsAtOnce)
        square[row][threadIdx.x] = source[row * stride + threadIdx.x];
}

template <class T>
__device__ void writeSquare(const Square<T>& square, bool transposed, T* target, std::size_t stride) {
    for (int row = threadIdx.y; row < kSquare; row += kRowsAtOnce)
        target[row * stride + threadIdx.x] = transposed ? square[threadIdx.x][row] : square[row][threadIdx.x];
}

template <class T>
__global__ void symmetrizeKernel(T* matrix, std::size_t atoms, std::size_t side, T padding) {
    if (blockIdx.x < blockIdx.y) return;
    __shared__ Square<T> square;
    const std::size_t firstRow = std::size_t(blockIdx.y) * kSquare;
    const std::size_t firstColumn = std::size_t(blockIdx.x) * kSquare;
    readSquare(square, matrix + firstRow * side + firstColumn, side);
    __syncthreads();
    const std::size_t column = firstColumn + threadIdx.x;
    for (int row = threadIdx.y; row < kSquare; row += kRowsAtOnce) {
        const bool isPadding = firstRow + row >= atoms || column >= atoms;
        if (blockIdx.x != blockIdx.y || int(threadIdx.x) >= row)
            square[row][threadIdx.x] = isPadding ? padding : square[row][threadIdx.x] + T(0);
    }
    __syncthreads();
    if (blockIdx.x == blockIdx.y) {
        for (int row = threadIdx.y; row < kSquare; row += kRowsAtOnce)
            matrix[(firstRow + row) * side + column] =
                int(threadIdx.x) >= row ? square[row][threadIdx.x] : square[threadIdx.x][row];
    } else {
        writeSquare(square, false, matrix + firstRow * side + firstColumn, side);
        writeSquare(square, true, matrix + firstColumn * side + firstRow, side);
    }
}

template <class T>
__global__ void negateKernel(const T* source, T* target, std::size_t count) {
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
        target[i] = -source[i];
}

template <class T, bool gather>
__global__ void panelKernel(MatrixOnDevice<T> matrix, MatrixOnDevice<T> panel, std::size_t firstRow) {
    __shared__ Square<T> square;
    const std::size_t panelRow = std::size_t(blockIdx.y) * kSquare;
    const std::size_t row = firstRow + panelRow;
    const std::size_t column = std::size_t(blockIdx.x) * kSquare;
    const bool transposed = column < row;
    // Of the band's own square, the part above the diagonal counts.
    if (!gather && transposed && column >= firstRow) return;
    T* inMatrix = transposed ? matrix.at(column, row) : matrix.at(row, column);
    T* inPanel = panel.at(panelRow, column);
    readSquare(square, gather ? inMatrix : inPanel, gather ? matrix.stride : panel.stride);
    __syncthreads();
    writeSquare(square, transposed, gather ? inPanel : inMatrix, gather ? panel.stride : matrix.stride);
}

template <class T>
__global__ void transposeKernel(MatrixOnDevice<const T> source, MatrixOnDevice<T> target) {
    __shared__ Square<T> square;
    const std::size_t row = std::size_t(blockIdx.y) * kSquare;
    const std::size_t column = std::size_t(blockIdx.x) * kSquare;
    readSquare(square, source.at(row, column), source.stride);
    __syncthreads();
    writeSquare(square, true, target.at(column, row), target.stride);
}

template <class T>
__global__ void maxAbsDifferenceKernel(MatrixOnDevice<const T> a, MatrixOnDevice<const T> b, std::size_t n,
                                       double* result) {
    double largest = 0;
    for (std::size_t row = blockIdx.x; row < n; row += gridDim.x)
        for (std::size_t column = threadIdx.x; column < n; column += blockDim.x)
            if (row != column)
                largest = fmax(largest, fabs(double(*a.at(row, column)) - double(*b.at(row, column))));
    for (int distance = 16; distance > 0; distance /= 2)
        largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    // Doubles that are not negative order as their bit patterns do.
    if (threadIdx.x % 32 == 0)
        atomicMax(reinterpret_cast<unsigned long long*>(result),
                  static_cast<unsigned long long>(__double_as_longlong(largest)));
}

dim3 squares(std::size_t rows, std::size_t columns) {
    return dim3(unsigned(columns / kSquare), unsigned(rows / kSquare));
}

}  // namespace

template <class T>
void launchSymmetrize(const Launch& launch, T* matrix, std::size_t atoms, std::size_t side, T padding) {
    symmetrizeKernel<T>
        <<<squares(side, side), kSquareThreads, 0, launch.stream>>>(matrix, atoms, side, padding);
    checkLaunch("symmetrize");
}

template <class T>
void launchNegate(const Launch& launch, const T* source, T* target, std::size_t count) {
    negateKernel<T><<<launch.multiprocessors * 8, 256, 0, launch.stream>>>(source, target, count);
    checkLaunch("negate");
}

template <class T>
void launchGatherPanel(const Launch& launch, MatrixOnDevice<const T> matrix, std::size_t side, Range band,
                       MatrixOnDevice<T> panel) {
    // One kernel serves both directions; gathering only reads the matrix.
    panelKernel<T, true><<<squares(band.size(), side), kSquareThreads, 0, launch.stream>>>(
        {const_cast<T*>(matrix.data), matrix.stride}, panel, band.begin);
    checkLaunch("gather panel");
}

template <class T>
void launchScatterPanel(const Launch& launch, MatrixOnDevice<const T> panel, std::size_t side, Range band,
                        MatrixOnDevice<T> matrix) {
    panelKernel<T, false><<<squares(band.size(), side), kSquareThreads, 0, launch.stream>>>(
        matrix, {const_cast<T*>(panel.data), panel.stride}, band.begin);
    checkLaunch("scatter panel");
}

template <class T>
void launchTranspose(const Launch& launch, MatrixOnDevice<const T> source, std::size_t rows,
                     std::size_t columns, MatrixOnDevice<T> target) {
    transposeKernel<T><<<squares(rows, columns), kSquareThreads, 0, launch.stream>>>(source, target);
    checkLaunch("transpose");
}

template <class T>
void launchMaxAbsDifference(const Launch& launch, MatrixOnDevice<const T> a, MatrixOnDevice<const T> b,
                            std::size_t n, double* result) {
    GLYCINE_CUDA(cudaMemsetAsync(result, 0, sizeof(double), launch.stream));
    maxAbsDifferenceKernel<T><<<launch.multiprocessors * 4, 256, 0, launch.stream>>>(a, b, n, result);
    checkLaunch("maximum absolute difference");
}

#define GLYCINE_INSTANTIATE(T)                                                                               \
    template void launchSymmetrize<T>(const Launch&, T*, std::size_t, std::size_t, T);                       \
    template void launchNegate<T>(const Launch&, const T*, T*, std::size_t);                                 \
    template void launchGatherPanel<T>(const Launch&, MatrixOnDevice<const T>, std::size_t, Range,           \
                                       MatrixOnDevice<T>);                                                   \
    template void launchScatterPanel<T>(const Launch&, MatrixOnDevice<const T>, std::size_t, Range,          \
                                        MatrixOnDevice<T>);                                                  \
    template void launchTranspose<T>(const Launch&, MatrixOnDevice<const T>, std::size_t, std::size_t,       \
                                     MatrixOnDevice<T>);                                                     \
    template void launchMaxAbsDifference<T>(const Launch&, MatrixOnDevice<const T>, MatrixOnDevice<const T>, \
                                            std::size_t, double*);
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(double)
GLYCINE_INSTANTIATE(std::int32_t)
#undef GLYCINE_INSTANTIATE

}  // namespace glycine::cuda
