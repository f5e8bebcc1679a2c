#include "kernels_cuda/bounds/bounds_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

/// GPU Gems 2, algorithm 43-2: one processor a pair, one launch a k. Row k and column k do not change during
/// pass k (the diagonal is zero), so the pass works in place without a race.
namespace glycine::cuda {

namespace {

constexpr int kBlockColumns = 64;
constexpr int kBlockRows = 4;
const dim3 kThreads(kBlockColumns, kBlockRows);

dim3 blocksFor(std::size_t atoms) {
    return dim3(unsigned((atoms + kBlockColumns - 1) / kBlockColumns),
                unsigned((atoms + kBlockRows - 1) / kBlockRows));
}

template <class T>
__global__ void naiveUpperKernel(MatrixOnDevice<T> upper, std::size_t atoms, std::size_t k) {
    const std::size_t j = std::size_t(blockIdx.x) * kBlockColumns + threadIdx.x;
    const std::size_t i = std::size_t(blockIdx.y) * kBlockRows + threadIdx.y;
    // Row and column k are only read, so no thread sees a partial update.
    if (i >= atoms || j >= atoms || i == k || j == k || i == j) return;
    const T through = *upper.at(i, k) + *upper.at(k, j);
    T* bound = upper.at(i, j);
    if (through < *bound) *bound = through;
}

template <class T>
__global__ void naiveLowerKernel(MatrixOnDevice<T> lower, MatrixOnDevice<const T> upper, std::size_t atoms,
                                 std::size_t k) {
    const std::size_t j = std::size_t(blockIdx.x) * kBlockColumns + threadIdx.x;
    const std::size_t i = std::size_t(blockIdx.y) * kBlockRows + threadIdx.y;
    if (i >= atoms || j >= atoms || i == k || j == k || i == j) return;
    const T throughColumn = *lower.at(i, k) - *upper.at(k, j);
    const T throughRow = *lower.at(k, j) - *upper.at(i, k);
    const T through = throughColumn > throughRow ? throughColumn : throughRow;
    T* bound = lower.at(i, j);
    if (through > *bound) *bound = through;
}

}  // namespace

template <class T>
void launchNaiveUpper(const Launch& launch, MatrixOnDevice<T> upper, std::size_t atoms, std::size_t k) {
    naiveUpperKernel<T><<<blocksFor(atoms), kThreads, 0, launch.stream>>>(upper, atoms, k);
    checkLaunch("naive upper bounds");
}

template <class T>
void launchNaiveLower(const Launch& launch, MatrixOnDevice<T> lower, MatrixOnDevice<const T> upper,
                      std::size_t atoms, std::size_t k) {
    naiveLowerKernel<T><<<blocksFor(atoms), kThreads, 0, launch.stream>>>(lower, upper, atoms, k);
    checkLaunch("naive lower bounds");
}

#define GLYCINE_INSTANTIATE(T)                                                                     \
    template void launchNaiveUpper<T>(const Launch&, MatrixOnDevice<T>, std::size_t, std::size_t); \
    template void launchNaiveLower<T>(const Launch&, MatrixOnDevice<T>, MatrixOnDevice<const T>,   \
                                      std::size_t, std::size_t);
GLYCINE_INSTANTIATE(float)
GLYCINE_INSTANTIATE(double)
GLYCINE_INSTANTIATE(std::int32_t)
#undef GLYCINE_INSTANTIATE

}  // namespace glycine::cuda
