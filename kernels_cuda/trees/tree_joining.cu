#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/trees/tree_kernels.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kAll = 0xffffffffU;
constexpr unsigned kSearchThreads = 256;
constexpr unsigned kUpdateThreads = 1024;
/// Means that are added at once, one after another.
constexpr unsigned kTile = 4096;

__device__ double* rowOf(const JoiningTable& table, std::size_t j) {
    return table.distances + (j > 0 ? j * (j - 1) / 2 : 0);
}

__device__ double& distanceAt(const JoiningTable& table, std::size_t a, std::size_t b) {
    return a > b ? rowOf(table, a)[b] : rowOf(table, b)[a];
}

__device__ double infinity() {
    return __longlong_as_double(0x7ff0000000000000LL);
}

/// As the host computes it: the order of operations decides its rounding.
__device__ double criterionOf(double others, double distance, double offset, double sum) {
    return others * distance + offset - sum;
}

/// The largest criterion that counts as equal to the smallest.
__device__ double mostOf(const JoiningTable& table, const unsigned long long* least) {
    const double smallest = __longlong_as_double(static_cast<long long>(bitsOfOrdered(*least)));
    return smallest + trees::kCriterionRounding * (fabs(table.totals[0]) + 1);
}

__device__ double smaller(double a, double b) {
    return b < a ? b : a;
}

/// The block's smallest number, in thread 0.
__device__ double smallestOfBlock(double mine) {
    __shared__ double ofWarps[kSearchThreads / kLanes];
    for (unsigned step = kLanes / 2; step > 0; step /= 2)
        mine = smaller(mine, __shfl_xor_sync(kAll, mine, static_cast<int>(step)));
    if (threadIdx.x % kLanes == 0) ofWarps[threadIdx.x / kLanes] = mine;
    __syncthreads();
    if (threadIdx.x == 0)
        for (unsigned warp = 1; warp < kSearchThreads / kLanes; ++warp) mine = smaller(mine, ofWarps[warp]);
    __syncthreads();
    return mine;
}

/// A block takes a row from the beginning and one from the end, together as long as any two. Blocks after
/// those add ClustalW's total, one number after another as ClustalW does.
__global__ void __launch_bounds__(kSearchThreads)
    searchKernel(const __grid_constant__ JoiningTable table, unsigned left, unsigned long long* least) {
    const unsigned pairs = table.places / 2;
    if (blockIdx.x >= pairs) {
        if (threadIdx.x != 0) return;
        double total = 0;
        for (unsigned k = 0; k < table.places; ++k) total += table.behind[k];
        table.totals[1] = total;
        return;
    }
    const double others = left - 2;
    double ofBlock = infinity();
    if (blockIdx.x == 0 && threadIdx.x == 0) table.leastOfRows[0] = infinity();
    for (unsigned turn = 0; turn < 2; ++turn) {
        const unsigned j = turn == 0 ? blockIdx.x + 1 : table.places - 1 - blockIdx.x;
        if (turn == 1 && j <= blockIdx.x + 1) break;
        double smallest = infinity();
        if (table.isPresent[j]) {
            const double* const row = rowOf(table, j);
            const double offset = 2 * table.totals[0] - table.sums[j];
#pragma unroll 4
            for (unsigned i = threadIdx.x; i < j; i += kSearchThreads)
                smallest = smaller(smallest, criterionOf(others, row[i], offset, table.sums[i]));
        }
        smallest = smallestOfBlock(smallest);
        if (threadIdx.x == 0) table.leastOfRows[j] = smallest;
        ofBlock = smaller(ofBlock, smallest);
    }
    if (threadIdx.x != 0) return;
    const unsigned long long number = ordered(static_cast<unsigned long long>(__double_as_longlong(ofBlock)));
    if (number < *static_cast<volatile unsigned long long*>(least)) atomicMin(least, number);
}

/// A warp a row; few rows have a choice.
__global__ void __launch_bounds__(kSearchThreads)
    choicesKernel(const __grid_constant__ JoiningTable table, unsigned left,
                  const unsigned long long* least) {
    const unsigned lane = threadIdx.x % kLanes;
    const unsigned warps = gridDim.x * (kSearchThreads / kLanes);
    const double others = left - 2, most = mostOf(table, least);
    for (unsigned j = blockIdx.x * (kSearchThreads / kLanes) + threadIdx.x / kLanes; j < table.places;
         j += warps) {
        RowChoice best{0, kNoRowChoice};
        if (table.leastOfRows[j] <= most) {
            const double* const row = rowOf(table, j);
            const double offset = 2 * table.totals[0] - table.sums[j];
            const double ofRow = table.behind == nullptr ? 0 : table.behind[j] + table.before[j];
            for (unsigned i = lane; i < j; i += kLanes) {
                if (!(criterionOf(others, row[i], offset, table.sums[i]) <= most)) continue;
                const double rounded =
                    table.behind == nullptr
                        ? 0
                        : others * row[i] + 2 * table.totals[1] - (table.behind[i] + table.before[i]) - ofRow;
                if (best.column == kNoRowChoice || rounded < best.rounded) best = {rounded, i};
            }
            for (unsigned step = kLanes / 2; step > 0; step /= 2) {
                const double rounded = __shfl_xor_sync(kAll, best.rounded, static_cast<int>(step));
                const unsigned column = __shfl_xor_sync(kAll, best.column, static_cast<int>(step));
                if (column == kNoRowChoice) continue;
                if (best.column == kNoRowChoice || rounded < best.rounded ||
                    (rounded == best.rounded && column < best.column))
                    best = {rounded, column};
            }
        }
        if (lane == 0) table.choices[j] = best;
    }
}

/// A row and its choice; rows are numbered from 1.
struct Candidate {
    double rounded;
    unsigned row, column;

    __device__ bool isBetterThan(const Candidate& other) const {
        if (row == 0 || other.row == 0) return row != 0;
        return rounded < other.rounded || (rounded == other.rounded && row < other.row);
    }
};

/// One block: sums take one number after another, in the order of the places, as on the host.
__global__ void __launch_bounds__(kUpdateThreads)
    updateKernel(const __grid_constant__ JoiningTable table, JoinedPair* found) {
    __shared__ Candidate ofWarps[kUpdateThreads / kLanes];
    __shared__ double means[kTile];
    __shared__ double sumBefore, sumBehind;
    const unsigned thread = threadIdx.x;
    Candidate best{0, 0, 0};
    for (unsigned j = thread + 1; j < table.places; j += kUpdateThreads) {
        const RowChoice choice = table.choices[j];
        const Candidate one{choice.rounded, choice.column == kNoRowChoice ? 0 : j, choice.column};
        if (one.isBetterThan(best)) best = one;
    }
    const auto takeBestOfWarp = [&] {
        for (unsigned step = kLanes / 2; step > 0; step /= 2) {
            const Candidate other{__shfl_xor_sync(kAll, best.rounded, static_cast<int>(step)),
                                  __shfl_xor_sync(kAll, best.row, static_cast<int>(step)),
                                  __shfl_xor_sync(kAll, best.column, static_cast<int>(step))};
            if (other.isBetterThan(best)) best = other;
        }
    };
    takeBestOfWarp();
    const unsigned lane = thread % kLanes;
    if (lane == 0) ofWarps[thread / kLanes] = best;
    __syncthreads();
    best = lane < kUpdateThreads / kLanes ? ofWarps[lane] : Candidate{0, 0, 0};
    takeBestOfWarp();
    if (best.row == 0) {
        if (thread == 0) *found = JoinedPair{};
        return;
    }
    const unsigned low = best.column, high = best.row;
    const bool isClustal = table.behind != nullptr;
    const double distance = rowOf(table, high)[low];
    if (thread == 0)
        *found = {low, high, distance, isClustal ? table.behind[low] + table.before[low] : table.sums[low],
                  isClustal ? table.behind[high] + table.before[high] : table.sums[high]};
    // Threads 0, 32 and 64 add: the means of all, of lower places, of higher places.
    double sum = 0;
    for (unsigned begin = 0; begin < table.places; begin += kTile) {
        const unsigned size = table.places - begin < kTile ? table.places - begin : kTile;
        for (unsigned at = thread; at < size; at += kUpdateThreads) {
            const unsigned k = begin + at;
            double mean = 0;  // adding it changes no sum
            if (table.isPresent[k] && k != low && k != high) {
                double& toLow = distanceAt(table, k, low);
                double& toHigh = distanceAt(table, k, high);
                const double lowDistance = toLow, highDistance = toHigh;
                mean = (lowDistance + highDistance) / 2;
                table.sums[k] -= lowDistance + highDistance - mean;
                if (isClustal) {
                    // In ClustalW's order.
                    (k < high ? table.behind : table.before)[k] -= highDistance;
                    (k < low ? table.behind : table.before)[k] -= lowDistance;
                    (k < low ? table.behind : table.before)[k] += mean;
                }
                toLow = mean;
                toHigh = infinity();
            }
            means[at] = mean;
        }
        __syncthreads();
        if (thread == 0 || (isClustal && (thread == kLanes || thread == 2 * kLanes))) {
            const unsigned last = begin + size;
            const unsigned from = thread == 2 * kLanes && low + 1 > begin ? low + 1 : begin;
            const unsigned to = thread == kLanes && low < last ? low : last;
#pragma unroll 8
            for (unsigned k = from; k < to; ++k) sum += means[k - begin];
        }
        __syncthreads();
    }
    if (thread == kLanes) sumBefore = sum;
    if (thread == 2 * kLanes) sumBehind = sum;
    __syncthreads();
    if (thread != 0) return;
    table.totals[0] -= distance + sum;
    table.sums[low] = sum;
    table.sums[high] = 0;
    table.isPresent[high] = 0;
    if (!isClustal) return;
    table.before[low] = sumBefore;
    table.behind[low] = sumBehind;
    table.before[high] = table.behind[high] = 0;
}

__global__ void __launch_bounds__(kSearchThreads)
    compactKernel(const __grid_constant__ JoiningTable from, const std::uint32_t* __restrict__ kept,
                  const __grid_constant__ JoiningTable to) {
    for (unsigned j = blockIdx.x; j < to.places; j += gridDim.x) {
        const std::size_t source = kept[j];
        const double* const row = rowOf(from, source);
        double* const target = rowOf(to, j);
        for (unsigned i = threadIdx.x; i < j; i += kSearchThreads) target[i] = row[kept[i]];
        if (threadIdx.x != 0) continue;
        to.sums[j] = from.sums[source];
        to.isPresent[j] = 1;
        if (from.behind == nullptr) continue;
        to.behind[j] = from.behind[source];
        to.before[j] = from.before[source];
    }
}

}  // namespace

void launchJoiningSearch(const Launch& launch, const JoiningTable& table, std::uint32_t left,
                         unsigned long long* least) {
    const unsigned blocks = table.places / 2 + (table.behind != nullptr ? 1 : 0);
    searchKernel<<<blocks, kSearchThreads, 0, launch.stream>>>(table, left, least);
    checkLaunch("search of neighbours");
}

void launchJoiningChoices(const Launch& launch, const JoiningTable& table, std::uint32_t left,
                          const unsigned long long* least) {
    const unsigned rowsOfBlock = kSearchThreads / kLanes;
    const unsigned wanted = (table.places + rowsOfBlock - 1) / rowsOfBlock;
    const unsigned most = static_cast<unsigned>(launch.multiprocessors) * 4;
    const unsigned blocks = wanted < most ? wanted : most;
    choicesKernel<<<blocks, kSearchThreads, 0, launch.stream>>>(table, left, least);
    checkLaunch("choice of neighbours");
}

void launchJoiningUpdate(const Launch& launch, const JoiningTable& table, JoinedPair* found) {
    updateKernel<<<1, kUpdateThreads, 0, launch.stream>>>(table, found);
    checkLaunch("joining of neighbours");
}

void launchJoiningCompaction(const Launch& launch, const JoiningTable& from, const std::uint32_t* kept,
                             const JoiningTable& to) {
    const unsigned most = static_cast<unsigned>(launch.multiprocessors) * 8;
    const unsigned blocks = to.places < most ? to.places : most;
    compactKernel<<<blocks, kSearchThreads, 0, launch.stream>>>(from, kept, to);
    checkLaunch("compaction of clusters");
}

}  // namespace glycine::cuda
