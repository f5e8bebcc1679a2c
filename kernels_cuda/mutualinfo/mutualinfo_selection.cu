#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/mutualinfo/selection_kernels.hpp"

namespace glycine::cuda::selection {

namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = kThreads / kLanes;

/// The largest value and its first gene.
struct Best {
    double value;
    unsigned gene;
    __device__ void take(double otherValue, unsigned otherGene) {
        if (otherValue > value || (otherValue == value && otherGene < gene)) {
            value = otherValue;
            gene = otherGene;
        }
    }
};

__device__ Best bestOfBlock(Best own, Best* ofWarps) {
    for (unsigned offset = kLanes / 2; offset > 0; offset /= 2) {
        const double value = __shfl_down_sync(0xffffffffU, own.value, offset);
        own.take(value, __shfl_down_sync(0xffffffffU, own.gene, offset));
    }
    __syncthreads();  // all threads have read the result of the previous call
    if (threadIdx.x % kLanes == 0) ofWarps[threadIdx.x / kLanes] = own;
    __syncthreads();
    Best best = ofWarps[0];
    for (unsigned warp = 1; warp < kWarps; ++warp) best.take(ofWarps[warp].value, ofWarps[warp].gene);
    return best;
}

/// A block per target. Each thread processes every kThreads-th candidate.
__global__ void __launch_bounds__(kThreads) selectionKernel(SelectionTask task) {
    __shared__ Best ofWarps[kWarps];
    const double never = -__longlong_as_double(0x7ff0000000000000LL);
    double* const relevance = task.relevance.at(blockIdx.x, 0);
    double* const sums = task.sums.at(blockIdx.x, 0);
    double* const scores = task.scores.at(blockIdx.x, 0);
    Best own{never, task.genes};
    for (unsigned j = threadIdx.x; j < task.genes; j += kThreads) {
        sums[j] = 0;
        scores[j] = never;
        own.take(relevance[j], j);
    }
    Best best = bestOfBlock(own, ofWarps);
    double score = best.value;
    for (unsigned selected = 1; score >= 0; ++selected) {
        if (best.gene % kThreads == threadIdx.x) {
            scores[best.gene] = score;
            relevance[best.gene] = never;
        }
        const double* const added = task.information.at(best.gene, 0);
        own = {never, task.genes};
        for (unsigned j = threadIdx.x; j < task.genes; j += kThreads) {
            const double redundancy = added[j];
            sums[j] += relevance[j] - (isnan(redundancy) ? task.unknown : redundancy);
            own.take(sums[j], j);
        }
        if (selected == task.selections) {
            for (unsigned j = threadIdx.x; j < task.genes; j += kThreads)
                if (relevance[j] != never) scores[j] = sums[j] / selected;
            return;
        }
        best = bestOfBlock(own, ofWarps);
        score = best.value / selected;
    }
}

}  // namespace

}  // namespace glycine::cuda::selection

namespace glycine::cuda {

void launchSelection(const Launch& launch, const SelectionTask& task) {
    if (task.targets == 0) return;
    selection::selectionKernel<<<task.targets, selection::kThreads, 0, launch.stream>>>(task);
    checkLaunch("selection of regulators");
}

}  // namespace glycine::cuda
