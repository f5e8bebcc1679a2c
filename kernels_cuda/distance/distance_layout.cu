#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"

/// Operands in the order in which the kernels read them, by squares of 32 × 32 elements through shared
/// memory.
namespace glycine::cuda {

namespace {

constexpr int kSquare = 32;
constexpr int kRowsAtOnce = 8;
const dim3 kSquareThreads(kSquare, kRowsAtOnce);

unsigned squares(std::size_t count) {
    return unsigned((count + kSquare - 1) / kSquare);
}

/// target(j, i) = source(i, j), each converted.
template <class From, class To>
__device__ void transposeSquare(MatrixOnDevice<const From> source, std::size_t rows, std::size_t columns,
                                MatrixOnDevice<To> target) {
    __shared__ To square[kSquare][kSquare + 1];  // one column more, so that columns do not fall into one bank
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

__global__ void transposeWordsKernel(MatrixOnDevice<const std::uint32_t> source, std::size_t instances,
                                     std::size_t words, MatrixOnDevice<std::uint32_t> target) {
    const unsigned planes = gridDim.z;
    const unsigned plane = blockIdx.z;
    transposeSquare<std::uint32_t, std::uint32_t>({source.at(plane, 0), source.stride * planes}, instances,
                                                  words, {target.at(plane, 0), target.stride * planes});
}

__global__ void transposeSymbolsKernel(MatrixOnDevice<const std::uint8_t> source, std::size_t instances,
                                       std::size_t attributes, MatrixOnDevice<int> target) {
    transposeSquare<std::uint8_t, int>(source, instances, attributes, target);
}

__global__ void widenSymbolsKernel(MatrixOnDevice<const std::uint8_t> source, std::size_t attributes,
                                   MatrixOnDevice<int> target) {
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < attributes; k += step)
        *target.at(blockIdx.y, k) = *source.at(blockIdx.y, k);
}

/// The grid's rows hold so many squares at most; the rest goes into further launches.
constexpr std::size_t kMostRows = std::size_t(65535) * kSquare;

template <class LaunchOne>
void forRowsOf(std::size_t instances, const LaunchOne& launchOne) {
    for (std::size_t first = 0; first < instances; first += kMostRows)
        launchOne(first, instances - first < kMostRows ? instances - first : kMostRows);
}

}  // namespace

void launchTransposeWords(const Launch& launch, MatrixOnDevice<const std::uint32_t> source,
                          std::size_t instances, unsigned planes, std::size_t words,
                          MatrixOnDevice<std::uint32_t> target) {
    forRowsOf(instances, [&](std::size_t first, std::size_t count) {
        transposeWordsKernel<<<dim3(squares(words), squares(count), planes), kSquareThreads, 0,
                               launch.stream>>>({source.at(first * planes, 0), source.stride}, count, words,
                                                {target.at(0, first), target.stride});
        checkLaunch("transposition of words");
    });
}

void launchTransposeSymbols(const Launch& launch, MatrixOnDevice<const std::uint8_t> source,
                            std::size_t instances, std::size_t attributes, MatrixOnDevice<int> target) {
    forRowsOf(instances, [&](std::size_t first, std::size_t count) {
        transposeSymbolsKernel<<<dim3(squares(attributes), squares(count)), kSquareThreads, 0,
                                 launch.stream>>>({source.at(first, 0), source.stride}, count, attributes,
                                                  {target.at(0, first), target.stride});
        checkLaunch("transposition of symbols");
    });
}

void launchWidenSymbols(const Launch& launch, MatrixOnDevice<const std::uint8_t> source,
                        std::size_t instances, std::size_t attributes, MatrixOnDevice<int> target) {
    constexpr unsigned threads = 256;
    constexpr std::size_t mostRows = 65535;
    const unsigned blocks = unsigned((attributes + threads - 1) / threads);
    for (std::size_t first = 0; first < instances; first += mostRows) {
        const std::size_t count = instances - first < mostRows ? instances - first : mostRows;
        widenSymbolsKernel<<<dim3(blocks, unsigned(count)), threads, 0, launch.stream>>>(
            {source.at(first, 0), source.stride}, attributes, {target.at(first, 0), target.stride});
        checkLaunch("widening of symbols");
    }
}

}  // namespace glycine::cuda
