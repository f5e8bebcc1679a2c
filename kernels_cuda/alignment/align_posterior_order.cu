#include <algorithm>

#include "kernels_cuda/alignment/posterior_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

namespace glycine::cuda {

namespace {

/// Pairs up to these sizes are ordered in shared memory: seven blocks per multiprocessor.
constexpr unsigned kSharedPlaces = 2048;
constexpr unsigned kSharedEntries = 2816;

/// One pair per block, one direction after the other.
__global__ void __launch_bounds__(kOrderThreads)
    posteriorOrderKernel(const __grid_constant__ PosteriorOrderWork work) {
    __shared__ std::uint32_t sharedPlaces[kSharedPlaces];
    __shared__ PosteriorEntry sharedEntries[kSharedEntries];
    __shared__ std::uint32_t sums[kOrderSums];
    const unsigned thread = threadIdx.x;
    const unsigned pairs = work.taskCount * kPosteriorLanes;
    for (unsigned pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
        const PosteriorTask task = work.tasks[pair / kPosteriorLanes];
        const unsigned lane = pair % kPosteriorLanes;
        const PosteriorRecord record = work.records[pair];
        // Uniform across the block.
        if ((task.wanted >> lane & 1) == 0 || record.state != PosteriorState::Done) continue;
        std::uint32_t* places = work.places + work.placeBegins[pair];
        PosteriorEntry* entries = work.entries + 2 * record.begin;
        for (unsigned direction = 0; direction < 2; ++direction) {
            const unsigned sequence = work.sequences[direction == 0 ? task.query : task.first + lane];
            const auto rows = unsigned(work.begins[sequence + 1] - work.begins[sequence]);
            const bool hasSharedPlaces = rows < kSharedPlaces,
                       hasSharedEntries = record.count <= kSharedEntries;
            const PosteriorOrder order{work.found + record.begin,
                                       record.count,
                                       direction == 1,
                                       rows,
                                       hasSharedPlaces ? sharedPlaces : places,
                                       hasSharedEntries ? sharedEntries : entries,
                                       sums};
            order.clear(thread);
            __syncthreads();
            order.countRows(thread);
            __syncthreads();
            order.sumRows(thread);
            __syncthreads();
            order.sumGroups(thread);
            __syncthreads();
            order.addUp(thread);
            __syncthreads();
            order.put(thread);
            __syncthreads();
            order.sortRows(thread);
            __syncthreads();
            if (hasSharedPlaces)
                for (unsigned k = thread; k <= rows; k += kOrderThreads) places[k] = sharedPlaces[k];
            if (hasSharedEntries)
                for (unsigned k = thread; k < record.count; k += kOrderThreads) entries[k] = sharedEntries[k];
            __syncthreads();  // shared memory is reused
            places += rows + 1;
            entries += record.count;
        }
    }
}

}  // namespace

void launchPosteriorOrder(const Launch& launch, const PosteriorOrderWork& work) {
    if (work.taskCount == 0) return;
    constexpr unsigned kBlocksEach = 56;  // pairs differ in length: several blocks for each that runs at once
    const unsigned blocks =
        std::min(work.taskCount * kPosteriorLanes, unsigned(launch.multiprocessors) * kBlocksEach);
    posteriorOrderKernel<<<blocks, kOrderThreads, 0, launch.stream>>>(work);
    checkLaunch("posteriors in rows");
}

void copyThere(StreamHandle stream, const void* from, std::size_t bytes, void* to) {
    GLYCINE_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
}

}  // namespace glycine::cuda
