#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"
#include "kernels_cuda/pairs/transpose_square.cuh"

/// Symbols in the order in which the published kernels read them.
namespace glycine::cuda {

namespace {

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

}  // namespace

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
