#include "kernels_cuda/alignment/consistency_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = 8;
constexpr unsigned kAll = 0xffffffffU;

/// One row per warp.
__global__ void __launch_bounds__(kWarps* kLanes)
    consistencyKernel(const __grid_constant__ ConsistencyWork work) {
    const unsigned lane = threadIdx.x % kLanes;
    const unsigned row = work.firstRow + blockIdx.x * kWarps + threadIdx.x / kLanes;
    if (row >= work.endRow) return;
    const std::uint64_t end = work.targetBegins[row + 1];
    const std::size_t each = std::size_t(work.others) + 1;
    const std::uint32_t* const places = work.places + row * each;
    const PosteriorEntry* const entries = work.entries + work.begins[row];
    for (std::uint64_t target = work.targetBegins[row]; target < end; ++target) {
        const unsigned other = work.targets[target];
        const std::uint32_t* const otherPlaces = work.places + other * each;
        const PosteriorEntry* const otherEntries = work.entries + work.begins[other];
        const std::uint32_t* const thirds =
            work.thirds == nullptr ? nullptr
                                   : work.thirds + (std::size_t(work.sequences[row]) * work.sequenceCount +
                                                    work.sequences[other]) *
                                                       work.thirdWords;
        float sum = 0;
        for (unsigned z = lane; z < work.others; z += kLanes) {
            const unsigned number = work.firstOther + z;
            if (thirds != nullptr && (thirds[number / 32] >> number % 32 & 1) == 0) continue;
            sum = fmaf(work.weights[z],
                       commonSum(entries + places[z], entries + places[z + 1], otherEntries + otherPlaces[z],
                                 otherEntries + otherPlaces[z + 1]),
                       sum);
        }
        for (unsigned step = kLanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(kAll, sum, step);
        if (lane == 0) work.sums[target] += sum;
    }
}

constexpr unsigned kPairThreads = 128;

/// One pair per block.
__global__ void __launch_bounds__(kPairThreads)
    pairConsistencyKernel(const __grid_constant__ PairConsistencyWork work) {
    const ConsistencyPair pair = work.pairs[work.firstPair + blockIdx.x];
    const std::uint32_t count = entriesOf(work, pair);
    for (std::uint32_t k = threadIdx.x; k < count; k += kPairThreads) transformEntry(work, pair, k);
}

}  // namespace

void launchPairConsistency(const Launch& launch, const PairConsistencyWork& work) {
    if (work.firstPair >= work.endPair) return;
    pairConsistencyKernel<<<work.endPair - work.firstPair, kPairThreads, 0, launch.stream>>>(work);
    checkLaunch("consistency transformation of pairs");
}

void launchConsistency(const Launch& launch, const ConsistencyWork& work) {
    if (work.firstRow >= work.endRow) return;
    const unsigned blocks = (work.endRow - work.firstRow + kWarps - 1) / kWarps;
    consistencyKernel<<<blocks, kWarps * kLanes, 0, launch.stream>>>(work);
    checkLaunch("consistency transformation");
}

}  // namespace glycine::cuda
