#include <algorithm>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/pairwise/pair_stripes.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kMaxThreads = kStripeWarps * kAlignLanes;
constexpr unsigned kAll = 0xffffffffU;

template <class Number>
__device__ StripeBorder<Number> shuffled(StripeBorder<Number> border, unsigned from) {
    return {__shfl_sync(kAll, border.left, int(from)), __shfl_sync(kAll, border.across, int(from))};
}

/// Shared memory of the block's warps.
template <class Number>
struct Shared {
    Number table[kAlignCodes * kAlignCodes];
    StripeBorder<Number> rings[kStripeWarps][kStripeRing];  ///< borders passed to the next warp
    Number highest[kStripeWarps];
    unsigned next;
};

/// Computes all cells of a pair. Returns whether this lane has the last column; `last` is then its last
/// number.
template <class Lane, Recurrence kRecurrence>
__device__ bool alignPair(Shared<typename Lane::Number>& shared, const StripeShape& shape,
                          const std::uint8_t* query, const std::uint8_t* codes,
                          typename Lane::Number minusOpen, typename Lane::Number minusExtend,
                          typename Lane::Number border, StripeBorder<typename Lane::Number>* memory,
                          typename Lane::Number& highest, typename Lane::Number& last) {
    using Number = typename Lane::Number;
    const unsigned lane = threadIdx.x % kAlignLanes, warp = threadIdx.x / kAlignLanes;
    const unsigned panels = shape.panels();
    bool hasLast = false;
    highest = Lane::of(0);
    for (unsigned panel = 0; panel < panels; ++panel) {
        StripeLane<Lane, kRecurrence> stripe;
        stripe.open(shape, codes, panel, warp, lane, minusOpen, border);
        const unsigned steps = shape.stepsOf(panel);
        const bool readsMemory = panel > 0 && warp == 0;
        const bool handsOn = warp + 1 < shape.warpsOf(panel);
        const bool writesMemory = panel + 1 < panels && warp + 1 == shape.warps;
        StripeBorder<Number> kept{border, border};
        unsigned nextRow = 0, letter = 0;
        const auto fetch = [&](unsigned step) {
            if (stripe.rowAt(shape, step, nextRow)) letter = query[nextRow];
        };
        fetch(0);
        for (unsigned step = 0; step < steps; ++step) {
            if (step % kStripeSteps == 0) {
                __syncthreads();
                if (readsMemory && step + lane < shape.rows) kept = memory[step + lane];
            }
            StripeBorder<Number> in = shuffled(stripe.out, (lane + kAlignLanes - 1) % kAlignLanes);
            const StripeBorder<Number> before = shuffled(kept, step % kStripeSteps);
            unsigned row = 0;
            const bool works = stripe.rowAt(shape, step, row);
            const Number* const scores = shared.table + letter * kAlignCodes;
            fetch(step + 1);
            if (!works) continue;
            if (lane == 0) {
                if (warp > 0)
                    in = shared.rings[warp - 1][row % kStripeRing];
                else
                    in = before;  // from the previous panel, or the border
            }
            stripe.work(scores, in, minusOpen, minusExtend);
            if (lane == kAlignLanes - 1) {
                if (handsOn) shared.rings[warp][row % kStripeRing] = stripe.out;
                if (writesMemory) memory[row] = stripe.out;
            }
        }
        highest = Lane::larger(highest, stripe.highest);
        if (panel + 1 == panels) hasLast = stripe.hasLast(shape, last);
        __syncthreads();  // rings and memory are reused
    }
    return hasLast;
}

/// Takes the tasks of alignKernel; a block computes one pair after another.
template <class Lane, Recurrence kRecurrence>
__global__ void __launch_bounds__(kMaxThreads, 1) stripesKernel(const __grid_constant__ AlignWork work) {
    using Number = typename Lane::Number;
    constexpr bool kIsLocal = kRecurrence == Recurrence::Local;
    __shared__ Shared<Number> shared;
    for (unsigned k = threadIdx.x; k < kAlignCodes * kAlignCodes; k += blockDim.x)
        shared.table[k] = Lane::entry(work.table, work.letters, k / kAlignCodes, k % kAlignCodes);
    const unsigned lane = threadIdx.x % kAlignLanes, warp = threadIdx.x / kAlignLanes;
    const unsigned warps = blockDim.x / kAlignLanes;
    auto* const memory =
        static_cast<StripeBorder<Number>*>(work.state) + std::size_t(blockIdx.x) * work.stateRows;
    const Number border = alignBorder<Lane, kRecurrence>(work.open);
    for (;;) {
        __syncthreads();  // all threads have read shared.next
        if (threadIdx.x == 0) shared.next = atomicAdd(work.nextTask, 1);
        __syncthreads();
        const unsigned next = shared.next;
        // Uniform across the block.
        if (next / kAlignLanes >= work.taskCount) return;
        const AlignTask task = work.tasks[next / kAlignLanes];
        const unsigned place = task.column + next % kAlignLanes;
        if (place >= work.columnCount || (work.isDiagonal && place >= task.query)) continue;
        const unsigned sequence = work.rows[task.query], other = work.columns[place];
        const StripeShape shape{unsigned(work.begins[sequence + 1] - work.begins[sequence]),
                                unsigned(work.begins[other + 1] - work.begins[other]), warps};
        Number highest, last = Lane::of(0);
        const bool hasLast = alignPair<Lane, kRecurrence>(
            shared, shape, work.codes + work.begins[sequence], work.codes + work.begins[other],
            Lane::of(-work.open), Lane::of(-work.extend), border, memory, highest, last);
        std::int64_t* const result =
            work.results.at(max(sequence, other) - work.firstRow, min(sequence, other) - work.firstColumn);
        if constexpr (kIsLocal) {
            for (unsigned step = kAlignLanes / 2; step > 0; step /= 2)
                highest = Lane::larger(highest, __shfl_xor_sync(kAll, highest, int(step)));
            if (lane == 0) shared.highest[warp] = highest;
            __syncthreads();
            if (threadIdx.x == 0) {
                for (unsigned k = 1; k < warps; ++k) highest = Lane::larger(highest, shared.highest[k]);
                *result = highest;
            }
        } else if (hasLast) {
            *result = last;
        }
    }
}

using StripesKernel = void (*)(AlignWork);
template <class Number>
StripesKernel stripesKernelOf(Recurrence recurrence) {
    using Lane = Single<Number, int(kStripeColumns)>;
    return ofRecurrence(
        recurrence, [](auto known) -> StripesKernel { return stripesKernel<Lane, decltype(known)::value>; });
}

}  // namespace

std::size_t stripeStateBytes(std::size_t longest) {
    return longest * sizeof(StripeBorder<long long>);
}

void launchStripes(const Launch& launch, AlignNumber number, Recurrence recurrence, unsigned longestColumns,
                   const AlignWork& work) {
    const unsigned warps = std::clamp(StripeShape::stripesOf(longestColumns), 1U, kStripeWarps);
    const StripesKernel kernel = number == AlignNumber::Int64 ? stripesKernelOf<long long>(recurrence)
                                                              : stripesKernelOf<std::int32_t>(recurrence);
    kernel<<<work.blocks, warps * kAlignLanes, 0, launch.stream>>>(work);
    checkLaunch("alignments of long pairs");
}

}  // namespace glycine::cuda
