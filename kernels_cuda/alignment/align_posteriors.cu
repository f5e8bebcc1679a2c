#include <algorithm>

#include "kernels_cuda/alignment/posterior_strips.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kMaxThreads = kPosteriorWarps * kPosteriorLanes;
/// Blocks per multiprocessor for which registers are allotted. Four blocks would leave too few.
constexpr unsigned kBlocksAtOnce = 3;
constexpr unsigned kAll = 0xffffffffU;

/// Copies the entries of all lanes, one lane after another, to the result if there is room for all of them.
template <class Number>
__device__ void handOver(const PosteriorWork<Number>& work, unsigned task, unsigned lane, bool isWanted,
                         bool isSound, unsigned count, const std::byte* memory) {
    PosteriorState state = PosteriorState::Done;
    if (isWanted && !isSound) state = PosteriorState::Unsound;
    if (isWanted && isSound && count > work.staged) state = PosteriorState::Overflow;
    const unsigned kept = isWanted && state == PosteriorState::Done ? count : 0;
    unsigned upTo = kept;
    for (unsigned step = 1; step < kPosteriorLanes; step *= 2) {
        const unsigned before = __shfl_up_sync(kAll, upTo, step);
        if (lane >= step) upTo += before;
    }
    const unsigned all = __shfl_sync(kAll, upTo, kPosteriorLanes - 1);
    unsigned long long begin = 0;
    if (lane == 0) begin = atomicAdd(work.foundCount, (unsigned long long)(all));
    begin = __shfl_sync(kAll, begin, 0);
    const bool hasRoom = begin + all <= work.foundRoom;
    if (kept > 0 && !hasRoom) state = PosteriorState::NoRoom;
    work.records[std::size_t(task) * kPosteriorLanes + lane] = {begin + upTo - kept, count, state};
    if (!hasRoom) return;
    const auto* const staged = reinterpret_cast<const PosteriorFound*>(memory);
    for (unsigned other = 0; other < kPosteriorLanes; ++other) {
        const unsigned entries = __shfl_sync(kAll, kept, other);
        PosteriorFound* const target = work.found + begin + __shfl_sync(kAll, upTo, other) - entries;
        const PosteriorFound* const source = staged + std::size_t(other) * work.staged;
        for (unsigned k = lane; k < entries; k += kPosteriorLanes) target[k] = source[k];
    }
}

template <class Number, std::uint32_t kFirstKinds, std::uint32_t kSecondKinds>
__global__ void __launch_bounds__(kMaxThreads, kBlocksAtOnce)
    posteriorKernel(const __grid_constant__ PosteriorWork<Number> work) {
    using Lane = PosteriorLane<Number, kFirstKinds, kSecondKinds>;
    __shared__ PosteriorPair<Number> odds[kPosteriorCodes * kPosteriorCodes];
    __shared__ PosteriorPair<Number> ahead[kPosteriorWarps * kPosteriorAhead<Number>];
    for (unsigned k = threadIdx.x; k < kPosteriorCodes * kPosteriorCodes; k += blockDim.x)
        odds[k] = work.odds[k];
    __syncthreads();

    const unsigned lane = threadIdx.x % kPosteriorLanes;
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / kPosteriorLanes;
    if (warp >= work.warps) return;
    std::byte* const memory = work.memory + warp * work.memoryEach;
    for (;;) {
        unsigned next = 0;
        if (lane == 0) next = atomicAdd(work.nextTask, 1);
        next = __shfl_sync(kAll, next, 0);
        if (next >= work.taskCount) return;
        const PosteriorTask task = work.tasks[next];
        const unsigned query = work.sequences[task.query];
        const unsigned other = work.sequences[task.first + min(lane, task.count - 1)];
        const unsigned length = unsigned(work.begins[other + 1] - work.begins[other]);
        PosteriorShape shape;
        shape.stripRows = kPosteriorRows<Number>;
        shape.numberBytes = sizeof(Number);
        shape.rows = work.begins[query + 1] - work.begins[query];
        // The sequences are in ascending order of length.
        shape.width = __shfl_sync(kAll, length, int(task.count - 1));
        shape.stretch = task.stretchStrips;
        shape.stateNumbers = Lane::kStateNumbers;
        shape.stagedEntries = work.staged;
        const unsigned shortest = __shfl_sync(kAll, length, 0);
        const bool isWanted = (task.wanted >> lane & 1) != 0;
        Lane pair(work.models, odds, work.limit, shape, work.codes + work.begins[query],
                  work.codes + work.begins[other], length, shortest, isWanted, memory,
                  ahead + threadIdx.x / kPosteriorLanes * kPosteriorAhead<Number>, lane);
        pair.compute();
        __syncwarp();  // other lanes read the entries that this lane has staged
        handOver(work, next, lane, isWanted, pair.isSound(), pair.count(), memory);
        __syncwarp();
    }
}

template <class Number>
using Kernel = void (*)(PosteriorWork<Number>);
template <class Number>
Kernel<Number> kernelFor(PosteriorKinds kinds) {
    return kinds.other == 1 ? posteriorKernel<Number, 2, 1> : posteriorKernel<Number, 2, 2>;
}

}  // namespace

PosteriorKinds posteriorKernelKinds(PosteriorKinds kinds) {
    return {2, kinds.other == 1 ? 1U : 2U};
}

template <class Number>
std::uint32_t posteriorWarpsAtOnce(PosteriorKinds kinds) {
    int blocks = 0;
    GLYCINE_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernelFor<Number>(kinds),
                                                               int(kMaxThreads), 0));
    return std::uint32_t(blocks) * kPosteriorWarps;
}

template <class Number>
void launchPosteriors(const Launch& launch, PosteriorKinds kinds, const PosteriorWork<Number>& work) {
    // A small number of warps is spread over all multiprocessors in small blocks.
    const unsigned atOnce = unsigned(launch.multiprocessors) * kBlocksAtOnce;
    unsigned each = 1;
    while (each < kPosteriorWarps && work.warps > each * atOnce) each *= 2;
    const unsigned blocks = (work.warps + each - 1) / each;
    kernelFor<Number>(kinds)<<<blocks, each * kPosteriorLanes, 0, launch.stream>>>(work);
    checkLaunch("posteriors of residue pairs");
}

template std::uint32_t posteriorWarpsAtOnce<float>(PosteriorKinds);
template std::uint32_t posteriorWarpsAtOnce<double>(PosteriorKinds);
template void launchPosteriors(const Launch&, PosteriorKinds, const PosteriorWork<float>&);
template void launchPosteriors(const Launch&, PosteriorKinds, const PosteriorWork<double>&);

}  // namespace glycine::cuda
