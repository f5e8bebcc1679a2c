#pragma once

#include <cstddef>

#include "kernels_cuda/device/launch.hpp"

/// Transposition by squares of 32 × 32 elements through shared memory.
namespace glycine::cuda {

inline constexpr int kSquare = 32;
inline constexpr int kRowsAtOnce = 8;
inline const dim3 kSquareThreads(kSquare, kRowsAtOnce);

inline unsigned squares(std::size_t count) {
    return unsigned((count + kSquare - 1) / kSquare);
}

/// target(j, i) = source(i, j), converted.
template <class From, class To>
__device__ void transposeSquare(MatrixOnDevice<const From> source, std::size_t rows, std::size_t columns,
                                MatrixOnDevice<To> target) {
    __shared__ To square[kSquare][kSquare + 1];  // one column more avoids bank conflicts
    const std::size_t firstColumn = std::size_t(blockIdx.x) * kSquare;
    const std::size_t firstRow = std::size_t(blockIdx.y) * kSquare;
    for (int i = threadIdx.y; i < kSquare; i += kRowsAtOnce)
        if (firstRow + i < rows && firstColumn + threadIdx.x < columns)
            square[i][threadIdx.x] = To(*source.at(firstRow + i, firstColumn + threadIdx.x));
    __syncthreads();
    for (int j = threadIdx.y; j < kSquare; j += kRowsAtOnce)
        if (firstColumn + j < columns && firstRow + threadIdx.x < rows)
            *target.at(firstColumn + j, firstRow + threadIdx.x) = square[threadIdx.x][j];
}

/// Rows of a grid hold at most this many squares; the rest needs further launches.
inline constexpr std::size_t kMaxRows = std::size_t(65535) * kSquare;

template <class LaunchOne>
void forRowsOf(std::size_t instances, const LaunchOne& launchOne) {
    for (std::size_t first = 0; first < instances; first += kMaxRows)
        launchOne(first, instances - first < kMaxRows ? instances - first : kMaxRows);
}

}  // namespace glycine::cuda
