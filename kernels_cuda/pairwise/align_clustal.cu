#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/pairwise/clustal_thread.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kThreads = kAlignWarps * kAlignLanes;
constexpr unsigned kAll = 0xffffffffU;

__host__ __device__ std::size_t numbersOfWarp(std::size_t rows, std::size_t columns) {
    return (kClustalPerRow * rows + kClustalPerColumn * (columns + 1)) * kAlignLanes;
}

__global__ void __launch_bounds__(kThreads, 2) clustalKernel(ClustalWork work) {
    __shared__ std::int32_t table[kAlignCodes * kClustalTableStride];
    for (unsigned k = threadIdx.x; k < kAlignCodes * kAlignCodes; k += kThreads)
        table[k / kAlignCodes * kClustalTableStride + k % kAlignCodes] = work.table[k];
    __syncthreads();
    const unsigned lane = threadIdx.x % kAlignLanes;
    const std::size_t warp = std::size_t(blockIdx.x) * kAlignWarps + threadIdx.x / kAlignLanes;
    const ClustalMemory<kAlignLanes> memory{
        work.memory + warp * numbersOfWarp(work.rows, work.columns) + lane, work.rows, work.columns};
    for (;;) {
        unsigned next = 0;
        if (lane == 0) next = atomicAdd(work.nextTask, kAlignLanes);
        next = __shfl_sync(kAll, next, 0) + lane;
        if (next - lane >= work.taskCount) return;
        if (next < work.taskCount) {
            const ClustalTask task = work.tasks[next];
            const std::uint64_t a = work.begins[task.first], b = work.begins[task.second];
            work.results[next] =
                alignClustal(ClustalScores{table, task.open, work.extend}, work.codes + a,
                             unsigned(work.begins[task.first + 1] - a), work.codes + b,
                             unsigned(work.begins[task.second + 1] - b), work.hasIdentities, memory);
        }
        __syncwarp();
    }
}

}  // namespace

std::size_t clustalMemoryBytes(std::size_t rows, std::size_t columns) {
    return kAlignWarps * numbersOfWarp(rows, columns) * sizeof(std::int32_t);
}

int clustalBlocksAtOnce() {
    int blocks = 0;
    GLYCINE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, clustalKernel, int(kThreads), 0));
    return blocks;
}

void launchClustal(const Launch& launch, const ClustalWork& work) {
    clustalKernel<<<work.blocks, kThreads, 0, launch.stream>>>(work);
    checkLaunch("pairs as ClustalW aligns them");
}

}  // namespace glycine::cuda
