#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/pairs/transpose_square.cuh"
#include "kernels_cuda/pairs/word_loader.hpp"

namespace glycine::cuda {

namespace {

__global__ void transposeWordsKernel(MatrixOnDevice<const std::uint32_t> source, std::size_t instances,
                                     std::size_t words, MatrixOnDevice<std::uint32_t> target) {
    const unsigned planes = gridDim.z;
    const unsigned plane = blockIdx.z;
    transposeSquare<std::uint32_t, std::uint32_t>({source.at(plane, 0), source.stride * planes}, instances,
                                                  words, {target.at(plane, 0), target.stride * planes});
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

}  // namespace glycine::cuda
