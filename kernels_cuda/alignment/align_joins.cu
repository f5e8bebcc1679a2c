#include "kernels_cuda/alignment/join_kernels.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kAll = 0xffffffffU;
constexpr unsigned kSumThreads = 256;
/// Blocks per multiprocessor for kernels whose warps take one pair after another.
constexpr unsigned kBlocksEach = 8;

/// Each warp takes one pair after another.
__global__ void __launch_bounds__(kSumThreads)
    joinSumsKernel(const __grid_constant__ JoinWork work, const JoinMember* __restrict__ members,
                   const JoinTable* __restrict__ joins) {
    const unsigned warps = gridDim.x * (kSumThreads / kLanes), lane = threadIdx.x % kLanes;
    for (unsigned pair = blockIdx.x * (kSumThreads / kLanes) + threadIdx.x / kLanes; pair < work.pairCount;
         pair += warps)
        addPairToJoin(work, members, joins, pair, lane, kLanes);
}

__global__ void __launch_bounds__(kSumThreads)
    sumsWithinKernel(const __grid_constant__ JoinWork work, float scale, unsigned long long* sums) {
    const unsigned warps = gridDim.x * (kSumThreads / kLanes), lane = threadIdx.x % kLanes;
    for (unsigned pair = blockIdx.x * (kSumThreads / kLanes) + threadIdx.x / kLanes; pair < work.pairCount;
         pair += warps)
        addPairWithin(work, scale, sums, pair, lane, kLanes);
}

constexpr unsigned kMaxChainThreads = 512;

__device__ unsigned long long largest(unsigned long long a, unsigned long long b) {
    return a > b ? a : b;
}

/// One join per block, row by row; each thread has kColumns adjacent columns. The best chain that ends at or
/// before a cell is the best of three: that of the row above, that of the previous column, and the one that
/// adds the cell's pair. This is a running maximum along the row.
template <unsigned kColumns>
__global__ void __launch_bounds__(kMaxChainThreads) joinChainsKernel(const JoinTable* __restrict__ joins) {
    // The largest sum of each warp's columns, alternating between rows.
    __shared__ unsigned long long largestOf[2][kMaxChainThreads / kLanes];
    using Word = unsigned;  // kColumns steps of two bits
    const JoinTable join = joins[blockIdx.x];
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const unsigned begin = threadIdx.x * kColumns;
    const unsigned stepBytes = blockDim.x * kColumns / 4;
    unsigned long long best[kColumns] = {};  // of the row above
    unsigned long long next[kColumns];       // gains of the next row's pairs
    unsigned long long before = 0;           // of the row above, in the column before the warp's first
    const auto load = [&](unsigned row) {
        const unsigned long long* const sums = join.sums + std::size_t(row) * join.columns;
#pragma unroll
        for (unsigned k = 0; k < kColumns; ++k)
            next[k] = row < join.rows && begin + k < join.columns ? sums[begin + k] : 0;
    };
    load(0);
    for (unsigned row = 0; row < join.rows; ++row) {
        unsigned long long pairs[kColumns];
#pragma unroll
        for (unsigned k = 0; k < kColumns; ++k) pairs[k] = next[k];
        load(row + 1);
        unsigned long long diagonal = __shfl_up_sync(kAll, best[kColumns - 1], 1);
        if (lane == 0) diagonal = before;
        // The running maximum, first among the thread's own columns.
        unsigned long long found[kColumns];
#pragma unroll
        for (unsigned k = 0; k < kColumns; ++k) {
            const unsigned long long here = largest(best[k], diagonal + pairs[k]);
            diagonal = best[k];
            found[k] = k == 0 ? here : largest(found[k == 0 ? 0 : k - 1], here);
        }
        unsigned long long upTo = found[kColumns - 1];
#pragma unroll
        for (unsigned step = 1; step < kLanes; step *= 2) {
            const unsigned long long other = __shfl_up_sync(kAll, upTo, step);
            if (lane >= step) upTo = largest(upTo, other);
        }
        unsigned long long* const warps = largestOf[row % 2];
        if (lane == kLanes - 1) warps[warp] = upTo;
        __syncthreads();
        unsigned long long ofWarps = lane < warp ? warps[lane] : 0;
#pragma unroll
        for (unsigned step = kLanes / 2; step > 0; step /= 2)
            ofWarps = largest(ofWarps, __shfl_xor_sync(kAll, ofWarps, step));
        unsigned long long left = __shfl_up_sync(kAll, upTo, 1);
        left = lane == 0 ? ofWarps : largest(left, ofWarps);
        before = ofWarps;
        Word steps = 0;
#pragma unroll
        for (unsigned k = 0; k < kColumns; ++k) {
            const unsigned long long sum = largest(found[k], left);
            const ChainStep step = sum == best[k] ? ChainStep::Up
                                   : sum == left  ? ChainStep::Left
                                                  : ChainStep::Pair;
            steps |= static_cast<unsigned>(step) << (2 * k);
            best[k] = left = sum;
        }
        std::byte* const to = join.steps + std::size_t(row) * stepBytes + threadIdx.x * (kColumns / 4);
        if constexpr (kColumns == 4)
            *reinterpret_cast<std::uint8_t*>(to) = static_cast<std::uint8_t>(steps);
        else if constexpr (kColumns == 8)
            *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(steps);
        else
            *reinterpret_cast<std::uint32_t*>(to) = steps;
    }
}

unsigned columnsOfThread(std::uint32_t mostColumns) {
    return mostColumns <= 4 * kMaxChainThreads ? 4 : mostColumns <= 8 * kMaxChainThreads ? 8 : 16;
}

unsigned chainThreads(std::uint32_t mostColumns) {
    const unsigned each = columnsOfThread(mostColumns);
    const unsigned threads = (mostColumns + each - 1) / each;
    return (threads + kLanes - 1) / kLanes * kLanes;
}

constexpr unsigned kMaxAccuracyWarps = 8;
constexpr std::size_t kMaxSharedBytes = 160 * 1024;

/// Each warp takes one pair after another. `best` holds, for each column, the best sum of chains that end
/// before it; it ascends.
__global__ void accuraciesKernel(const PlacedPosterior* __restrict__ pairs, unsigned pairCount,
                                 unsigned mostColumns, double* __restrict__ accuracies) {
    extern __shared__ double chains[];
    const unsigned lane = threadIdx.x % kLanes, warpsHere = blockDim.x / kLanes;
    double* const best = chains + std::size_t(threadIdx.x / kLanes) * (mostColumns + 1);
    for (unsigned number = blockIdx.x * warpsHere + threadIdx.x / kLanes; number < pairCount;
         number += gridDim.x * warpsHere) {
        const PlacedPosterior pair = pairs[number];
        for (unsigned column = lane; column <= pair.columns; column += kLanes) best[column] = 0;
        __syncwarp();
        for (unsigned row = 0; row < pair.rows; ++row) {
            const unsigned begin = pair.places[row];
            // From the last columns: entering a sum there does not change earlier columns.
            for (unsigned end = pair.places[row + 1]; end > begin;
                 end = end < begin + kLanes ? begin : end - kLanes) {
                const unsigned count = end - begin < kLanes ? end - begin : kLanes;
                unsigned column = 0;
                double sum = 0;
                if (lane < count) {
                    const PosteriorEntry entry = pair.entries[end - count + lane];
                    column = entry.column;
                    sum = best[column] + static_cast<double>(entry.value);
                }
                __syncwarp();
                for (unsigned k = 0; k < count; ++k) {
                    const unsigned first = __shfl_sync(kAll, column, k) + 1;
                    const double here = __shfl_sync(kAll, sum, k);
                    for (unsigned from = first; from <= pair.columns; from += kLanes) {
                        const unsigned at = from + lane;
                        const bool isBetter = at <= pair.columns && best[at] < here;
                        if (isBetter) best[at] = here;
                        if (!__all_sync(kAll, isBetter)) break;
                    }
                    __syncwarp();
                }
            }
        }
        if (lane == 0) {
            const std::size_t x = pair.first > pair.second ? pair.first : pair.second;
            const std::size_t y = pair.first > pair.second ? pair.second : pair.first;
            accuracies[x * (x - 1) / 2 + y] = best[pair.columns];
        }
        __syncwarp();
    }
}

}  // namespace

void clearJoinSums(const Launch& launch, unsigned long long* sums, std::size_t count) {
    GLYCINE_CUDA(cudaMemsetAsync(sums, 0, count * sizeof(unsigned long long), launch.stream));
}

void launchJoinSums(const Launch& launch, const JoinWork& work, const JoinMember* members,
                    const JoinTable* joins) {
    joinSumsKernel<<<static_cast<unsigned>(launch.multiprocessors) * kBlocksEach, kSumThreads, 0,
                     launch.stream>>>(work, members, joins);
    checkLaunch("sums of joins");
}

void launchSumsWithin(const Launch& launch, const JoinWork& work, float scale, unsigned long long* sums) {
    sumsWithinKernel<<<static_cast<unsigned>(launch.multiprocessors) * kBlocksEach, kSumThreads, 0,
                       launch.stream>>>(work, scale, sums);
    checkLaunch("sums within columns");
}

std::uint32_t stepBytesOf(std::uint32_t mostColumns) {
    return chainThreads(mostColumns) * columnsOfThread(mostColumns) / 4;
}

void launchJoinChains(const Launch& launch, const JoinTable* joins, std::uint32_t joinCount,
                      std::uint32_t mostColumns) {
    if (joinCount == 0) return;
    const unsigned threads = chainThreads(mostColumns);
    switch (columnsOfThread(mostColumns)) {
        case 4:
            joinChainsKernel<4><<<joinCount, threads, 0, launch.stream>>>(joins);
            break;
        case 8:
            joinChainsKernel<8><<<joinCount, threads, 0, launch.stream>>>(joins);
            break;
        default:
            joinChainsKernel<16><<<joinCount, threads, 0, launch.stream>>>(joins);
            break;
    }
    checkLaunch("chains of joins");
}

std::uint32_t mostAccuracyColumns() {
    int device = 0, bytes = 0;
    GLYCINE_CUDA(cudaGetDevice(&device));
    GLYCINE_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const std::size_t usable =
        static_cast<std::size_t>(bytes) < kMaxSharedBytes ? static_cast<std::size_t>(bytes) : kMaxSharedBytes;
    return static_cast<std::uint32_t>(usable / sizeof(double)) - 1;
}

void launchAccuracies(const Launch& launch, const PlacedPosterior* pairs, std::uint32_t pairCount,
                      std::uint32_t mostColumns, double* accuracies) {
    if (pairCount == 0) return;
    const std::size_t each = (std::size_t(mostColumns) + 1) * sizeof(double);
    const std::size_t most = (std::size_t(mostAccuracyColumns()) + 1) * sizeof(double);
    // Blocks use a quarter of a multiprocessor's shared memory if that is enough for a warp.
    std::size_t warps = most / 4 / each;
    warps = warps < 1 ? 1 : warps > kMaxAccuracyWarps ? kMaxAccuracyWarps : warps;
    const std::size_t shared = warps * each;
    GLYCINE_CUDA(cudaFuncSetAttribute(accuraciesKernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(shared)));
    const unsigned blocks = static_cast<unsigned>(launch.multiprocessors) * 2 * kBlocksEach;
    accuraciesKernel<<<blocks, static_cast<unsigned>(warps) * kLanes, shared, launch.stream>>>(
        pairs, pairCount, mostColumns, accuracies);
    checkLaunch("expected accuracies");
}

}  // namespace glycine::cuda
