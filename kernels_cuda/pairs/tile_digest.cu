#include <cstdint>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/pairs/tile_digest_kernels.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWarp = 32;
constexpr unsigned kAll = 0xffffffffU;

/// A thread's share of a row's digest. Extremes compare as numbers: value first, then column.
struct PartialDigest {
    unsigned long long sum;
    unsigned known, zeros, close;
    unsigned long long smallest;  ///< value, then column
    unsigned long long largest;   ///< value, then 2³² − 1 minus the column

    __device__ void add(const PartialDigest& other) {
        sum += other.sum;
        known += other.known;
        zeros += other.zeros;
        close += other.close;
        smallest = min(smallest, other.smallest);
        largest = max(largest, other.largest);
    }
    __device__ PartialDigest from(unsigned distance) const {
        PartialDigest other{};
        other.sum = __shfl_down_sync(kAll, sum, distance);
        other.known = __shfl_down_sync(kAll, known, distance);
        other.zeros = __shfl_down_sync(kAll, zeros, distance);
        other.close = __shfl_down_sync(kAll, close, distance);
        other.smallest = __shfl_down_sync(kAll, smallest, distance);
        other.largest = __shfl_down_sync(kAll, largest, distance);
        return other;
    }
};

__device__ PartialDigest sumOverWarp(PartialDigest row) {
    for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) row.add(row.from(distance));
    return row;
}

__device__ pairs::RowDigest digestOf(const PartialDigest& row) {
    pairs::RowDigest digest;
    digest.sum = row.sum;
    digest.known = row.known;
    digest.zeros = row.zeros;
    digest.close = row.close;
    if (row.known == 0) return digest;
    digest.smallest = unsigned(row.smallest >> 32U);
    digest.smallestColumn = unsigned(row.smallest);
    digest.largest = unsigned(row.largest >> 32U);
    digest.largestColumn = ~unsigned(row.largest);
    return digest;
}

/// One block per row.
__global__ void __launch_bounds__(kThreads) digestRows(DigestedValues input, pairs::RowDigest* digests,
                                                       PlacedValue* close, unsigned room, unsigned* found) {
    const std::size_t row = blockIdx.x;
    const unsigned columns = unsigned(input.isDiagonal ? row : input.columns);
    const std::uint32_t* const values = input.values.at(row, 0);
    const std::uint32_t* const inCommon =
        input.inCommon.data == nullptr ? nullptr : input.inCommon.at(row, 0);
    PartialDigest sums{0, 0, 0, 0, ~0ULL, 0};
    for (unsigned column = threadIdx.x; column < columns; column += kThreads) {
        if (inCommon != nullptr && inCommon[column] < input.leastInCommon) continue;
        const std::uint32_t value = values[column];
        sums.sum += value;
        ++sums.known;
        sums.zeros += value == 0 ? 1 : 0;
        sums.smallest = min(sums.smallest, (static_cast<unsigned long long>(value) << 32U) | column);
        sums.largest = max(sums.largest, (static_cast<unsigned long long>(value) << 32U) | (~column));
        if (value > input.largest) continue;
        ++sums.close;
        const unsigned place = atomicAdd(found, 1U);
        if (place < room) close[place] = {std::uint32_t(row), column, value, 0};
    }
    __shared__ PartialDigest ofWarps[kThreads / kWarp];
    sums = sumOverWarp(sums);
    if (threadIdx.x % kWarp == 0) ofWarps[threadIdx.x / kWarp] = sums;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (unsigned warp = 1; warp < kThreads / kWarp; ++warp) sums.add(ofWarps[warp]);
    digests[row] = digestOf(sums);
}

__global__ void __launch_bounds__(kThreads)
    gatherValues(DigestedValues input, PlacedValue* pairs, std::size_t count) {
    const std::size_t k = std::size_t(blockIdx.x) * kThreads + threadIdx.x;
    if (k >= count) return;
    PlacedValue& pair = pairs[k];
    pair.value = *input.values.at(pair.row, pair.column);
    pair.inCommon = input.inCommon.data == nullptr ? kAll : *input.inCommon.at(pair.row, pair.column);
}

}  // namespace

void launchDigest(const Launch& launch, const DigestedValues& input, pairs::RowDigest* digests,
                  PlacedValue* close, std::uint32_t room, std::uint32_t* found) {
    digestRows<<<unsigned(input.rows), kThreads, 0, launch.stream>>>(input, digests, close, room, found);
    checkLaunch("digest of rows");
}

void launchGather(const Launch& launch, const DigestedValues& input, PlacedValue* pairs, std::size_t count) {
    gatherValues<<<unsigned((count + kThreads - 1) / kThreads), kThreads, 0, launch.stream>>>(input, pairs,
                                                                                              count);
    checkLaunch("values of pairs");
}

}  // namespace glycine::cuda
