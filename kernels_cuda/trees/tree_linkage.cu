#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/trees/tree_kernels.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kLanes = 32;
constexpr unsigned kAll = 0xffffffffU;
constexpr unsigned kThreads = 1024;
constexpr unsigned kSquareThreads = 256;
constexpr unsigned kNone = 0xffffffffU;

template <class T>
__device__ T* rowOf(const LinkageTable<T>& table, unsigned cluster) {
    return table.distances + std::size_t(cluster) * table.instances;
}

template <class T>
struct Nearest {
    T distance;
    unsigned cluster;  ///< kNone: there is none

    /// Among equally near clusters, the one with the smallest name.
    __device__ bool isBetterThan(const Nearest& other) const {
        if (cluster == kNone || other.cluster == kNone) return cluster != kNone;
        return distance < other.distance || (distance == other.distance && cluster < other.cluster);
    }
};

/// The cluster nearest to `cluster`, in all threads of the block.
template <class T>
__device__ Nearest<T> nearestOf(const LinkageTable<T>& table, unsigned cluster) {
    __shared__ Nearest<T> ofWarps[kThreads / kLanes];
    __shared__ Nearest<T> ofBlock;
    const unsigned lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
    const T* const row = rowOf(table, cluster);
    Nearest<T> best{0, kNone};
#pragma unroll 4
    for (unsigned k = threadIdx.x; k < table.instances; k += kThreads) {
        const Nearest<T> one{row[k], k != cluster && table.isPresent[k] ? k : kNone};
        if (one.isBetterThan(best)) best = one;
    }
    const auto reduce = [&] {
        for (unsigned step = kLanes / 2; step > 0; step /= 2) {
            const Nearest<T> other{__shfl_xor_sync(kAll, best.distance, static_cast<int>(step)),
                                   __shfl_xor_sync(kAll, best.cluster, static_cast<int>(step))};
            if (other.isBetterThan(best)) best = other;
        }
    };
    reduce();
    if (lane == 0) ofWarps[warp] = best;
    __syncthreads();
    if (warp == 0) {
        best = lane < kThreads / kLanes ? ofWarps[lane] : Nearest<T>{0, kNone};
        reduce();
        if (lane == 0) ofBlock = best;
    }
    __syncthreads();
    return ofBlock;
}

/// The host's weightedMean.
__device__ double weightedMean(double weightA, double a, double weightB, double b) {
    const double sum = weightA * a + weightB * b;
    const double weights = weightA + weightB;
    const double mean = isfinite(sum) ? sum / weights : weightA / weights * a + weightB / weights * b;
    const double least = b < a ? b : a, most = a < b ? b : a;
    return mean < least ? least : most < mean ? most : mean;
}

/// Merges two clusters; the result keeps the smaller name.
template <class T>
__device__ void mergeClusters(const LinkageTable<T>& table, unsigned a, unsigned b) {
    const unsigned kept = a < b ? a : b, gone = a < b ? b : a;
    const double keptSize = table.sizes[kept], goneSize = table.sizes[gone];
    T* const row = rowOf(table, kept);
    const T* const other = rowOf(table, gone);
    for (unsigned k = threadIdx.x; k < table.instances; k += kThreads) {
        if (!table.isPresent[k] || k == kept || k == gone) continue;
        const T mean = static_cast<T>(weightedMean(keptSize, row[k], goneSize, other[k]));
        row[k] = mean;
        rowOf(table, k)[kept] = mean;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        table.isPresent[gone] = 0;
        table.sizes[kept] += table.sizes[gone];
    }
    __syncthreads();
}

/// Follows nearest neighbours until two clusters are each other's, and merges those. One block: a step
/// depends on the one before.
template <class T>
__global__ void __launch_bounds__(kThreads)
    mergesKernel(const __grid_constant__ LinkageTable<T> table, unsigned count, MergedPair* found) {
    unsigned length = *table.length;  // the same in all threads
    __syncthreads();
    for (unsigned made = 0; made < count;) {
        if (length == 0) {
            // The smallest name is never gone.
            if (threadIdx.x == 0) table.chain[0] = 0;
            length = 1;
            __syncthreads();
        }
        const unsigned last = table.chain[length - 1];
        const unsigned previous = length > 1 ? table.chain[length - 2] : last;
        const Nearest<T> nearest = nearestOf(table, last);
        if (nearest.cluster == kNone) return;  // impossible, and found on the host
        const bool isMutual = length > 1 && !(nearest.distance < rowOf(table, last)[previous]);
        if (isMutual) {
            if (threadIdx.x == 0)
                found[made] = {last, previous, static_cast<double>(rowOf(table, last)[previous])};
            __syncthreads();
            mergeClusters(table, last, previous);
            length -= 2;
            ++made;
        } else {
            if (length == table.instances) return;  // impossible: a chain has no cluster twice
            if (threadIdx.x == 0) table.chain[length] = nearest.cluster;
            ++length;
            __syncthreads();
        }
    }
    if (threadIdx.x == 0) *table.length = length;
}

/// A block a row.
template <class T>
__global__ void __launch_bounds__(kSquareThreads)
    squareKernel(const T* __restrict__ packed, const __grid_constant__ LinkageTable<T> table) {
    for (unsigned j = blockIdx.x; j < table.instances; j += gridDim.x) {
        T* const row = rowOf(table, j);
        const T* const source = packed + (j > 0 ? std::size_t(j) * (j - 1) / 2 : 0);
        for (unsigned i = threadIdx.x; i < table.instances; i += kSquareThreads)
            row[i] = i < j ? source[i] : i > j ? packed[std::size_t(i) * (i - 1) / 2 + j] : T(0);
        if (threadIdx.x != 0) continue;
        table.isPresent[j] = 1;
        table.sizes[j] = 1;
        if (j == 0) *table.length = 0;
    }
}

template <class T>
void launchSquare(const Launch& launch, const T* packed, const LinkageTable<T>& table) {
    const unsigned most = static_cast<unsigned>(launch.multiprocessors) * 8;
    const unsigned blocks = table.instances < most ? table.instances : most;
    squareKernel<<<blocks, kSquareThreads, 0, launch.stream>>>(packed, table);
    checkLaunch("distances of clusters");
}

template <class T>
void launchMerges(const Launch& launch, const LinkageTable<T>& table, std::uint32_t count,
                  MergedPair* found) {
    mergesKernel<<<1, kThreads, 0, launch.stream>>>(table, count, found);
    checkLaunch("merges of clusters");
}

}  // namespace

void launchLinkageSquare(const Launch& launch, const float* packed, const LinkageTable<float>& table) {
    launchSquare(launch, packed, table);
}
void launchLinkageSquare(const Launch& launch, const double* packed, const LinkageTable<double>& table) {
    launchSquare(launch, packed, table);
}
void launchLinkageMerges(const Launch& launch, const LinkageTable<float>& table, std::uint32_t count,
                         MergedPair* found) {
    launchMerges(launch, table, count, found);
}
void launchLinkageMerges(const Launch& launch, const LinkageTable<double>& table, std::uint32_t count,
                         MergedPair* found) {
    launchMerges(launch, table, count, found);
}

}  // namespace glycine::cuda
