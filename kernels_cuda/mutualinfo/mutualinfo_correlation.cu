#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/mutualinfo/correlation_kernels.hpp"

namespace glycine::cuda::correlation {

namespace {

constexpr unsigned kSide = 64;     ///< of the products of a block
constexpr unsigned kDepth = 16;    ///< samples in shared memory at a time
constexpr unsigned kThreads = 16;  ///< in each direction
constexpr unsigned kEach = kSide / kThreads;

/// Loads samples of genes from `first` on, sample by sample; 0 after the last gene and the last sample.
__device__ void loadPart(double (*part)[kSide + 1], MatrixOnDevice<const double> genes, unsigned first,
                         unsigned count, unsigned sample, unsigned samples) {
    const unsigned thread = threadIdx.y * kThreads + threadIdx.x;
    for (unsigned i = thread; i < kSide * kDepth; i += kThreads * kThreads) {
        const unsigned gene = i / kDepth;
        const unsigned s = i % kDepth;
        const bool isPresent = first + gene < count && sample + s < samples;
        part[s][gene] = isPresent ? *genes.at(first + gene, sample + s) : 0;
    }
}

__global__ void __launch_bounds__(kThreads* kThreads) rowProductsKernel(RowProducts task) {
    __shared__ double rows[kDepth][kSide + 1];
    __shared__ double columns[kDepth][kSide + 1];
    const unsigned firstRow = blockIdx.y * kSide;
    const unsigned firstColumn = blockIdx.x * kSide;
    double sums[kEach][kEach] = {};
    for (unsigned sample = 0; sample < task.samples; sample += kDepth) {
        loadPart(rows, task.rows, firstRow, task.rowCount, sample, task.samples);
        loadPart(columns, task.columns, firstColumn, task.columnCount, sample, task.samples);
        __syncthreads();
        for (unsigned s = 0; s < kDepth; ++s)
#pragma unroll
            for (unsigned i = 0; i < kEach; ++i)
#pragma unroll
                for (unsigned j = 0; j < kEach; ++j)
                    sums[i][j] +=
                        rows[s][threadIdx.y + i * kThreads] * columns[s][threadIdx.x + j * kThreads];
        __syncthreads();
    }
    for (unsigned i = 0; i < kEach; ++i)
        for (unsigned j = 0; j < kEach; ++j) {
            const unsigned row = firstRow + threadIdx.y + i * kThreads;
            const unsigned column = firstColumn + threadIdx.x + j * kThreads;
            if (row >= task.rowCount || column >= task.columnCount) continue;
            double* const product = task.products.at(row, column);
            *product = (task.adds ? *product : 0) + sums[i][j];
        }
}

}  // namespace

}  // namespace glycine::cuda::correlation

namespace glycine::cuda {

void launchRowProducts(const Launch& launch, const RowProducts& task) {
    if (task.rowCount == 0 || task.columnCount == 0) return;
    using namespace correlation;
    const dim3 blocks((task.columnCount + kSide - 1) / kSide, (task.rowCount + kSide - 1) / kSide);
    rowProductsKernel<<<blocks, dim3(kThreads, kThreads), 0, launch.stream>>>(task);
    checkLaunch("products of genes");
}

}  // namespace glycine::cuda
