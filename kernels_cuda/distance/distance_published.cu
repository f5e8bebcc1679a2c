#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"
#include "kernels_cuda/pairs/transpose_square.cuh"

/// The five kernels of N. A. Sinnott-Armstrong et al., "Exploiting Graphics Processing Units for
/// Computational Biology and Bioinformatics", Interdisciplinary Sciences 2 (2010): each adds one idea to the
/// one before it. One block of threads compares one pair; its threads take every kThreads-th attribute (or
/// group of four). They stay as slow as they are: comparing them is their purpose. Before them, symbols are
/// brought into the order in which they read them.
namespace glycine::cuda {

namespace {

__global__ void transposeSymbolsKernel(MatrixOnDevice<const std::uint8_t> source, std::size_t instances,
                                       std::size_t attributes, MatrixOnDevice<int> target) {
    transposeSquare<std::uint8_t, int>(source, instances, attributes, target);
}

__global__ void widenSymbolsKernel(MatrixOnDevice<const std::uint8_t> source, std::size_t attributes,
                                   MatrixOnDevice<int> target) {
    const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t k = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; k < attributes; k += step)
        *target.at(blockIdx.y, k) = *source.at(blockIdx.y, k);
}

constexpr unsigned kThreads = 128;

template <CountedAttributes counted>
__device__ inline bool holds(int a, int b) {
    switch (counted) {
        case CountedAttributes::Differing:
            return a != b;
        case CountedAttributes::DifferingPresent:
            return a != b && a != kMissingValue && b != kMissingValue;
        case CountedAttributes::Opposite:
            return (a ^ b) == 2;  // of 0, 1, 2 and kMissingValue, only 0 and 2
        case CountedAttributes::Present:
            break;
    }
    return a != kMissingValue && b != kMissingValue;
}

/// Where a block counts its pair.
__device__ inline int* counter(const PublishedTask& task) {
    return task.counts.at(blockIdx.y, blockIdx.x);
}

/// GPUnaive: an integer an attribute, all instances of one attribute side by side. Neighbouring threads read
/// far apart.
template <CountedAttributes counted>
__global__ void __launch_bounds__(kThreads) naiveKernel(PublishedTask task) {
    const int* data = static_cast<const int*>(task.data);
    const unsigned row = task.firstRow + blockIdx.y;
    const unsigned column = task.firstColumn + blockIdx.x;
    for (unsigned i = threadIdx.x; i < task.attributes; i += kThreads)
        if (holds<counted>(data[task.stride * i + column], data[task.stride * i + row]))
            atomicAdd(counter(task), 1);
}

/// GPUcoalesce: the same, transposed. Neighbouring threads read neighbouring integers.
template <CountedAttributes counted>
__global__ void __launch_bounds__(kThreads) coalescedKernel(PublishedTask task) {
    const int* data = static_cast<const int*>(task.data);
    const int* a = data + task.stride * (task.firstRow + blockIdx.y);
    const int* b = data + task.stride * (task.firstColumn + blockIdx.x);
    for (unsigned i = threadIdx.x; i < task.attributes; i += kThreads)
        if (holds<counted>(b[i], a[i])) atomicAdd(counter(task), 1);
}

/// Bytes of a pair's four attributes from 4·index on.
struct FourPairs {
    uchar4 a, b;
    __device__ FourPairs(const PublishedTask& task, unsigned attribute) {
        const auto* data = static_cast<const unsigned char*>(task.data);
        a = *reinterpret_cast<const uchar4*>(data + task.stride * (task.firstRow + blockIdx.y) + attribute);
        b = *reinterpret_cast<const uchar4*>(data + task.stride * (task.firstColumn + blockIdx.x) +
                                             attribute);
    }
    /// How many of the (up to four) attributes before `end` count.
    template <CountedAttributes counted>
    __device__ int count(unsigned attribute, unsigned end) const {
        int found = 0;
        if (holds<counted>(a.x, b.x)) ++found;
        if (holds<counted>(a.y, b.y) && attribute + 1 < end) ++found;
        if (holds<counted>(a.z, b.z) && attribute + 2 < end) ++found;
        if (holds<counted>(a.w, b.w) && attribute + 3 < end) ++found;
        return found;
    }
};

/// GPUchar: four attributes a load, and one atomic addition for each that counts.
template <CountedAttributes counted>
__global__ void __launch_bounds__(kThreads) char4Kernel(PublishedTask task) {
    for (unsigned i = 4 * threadIdx.x; i < task.attributes; i += 4 * kThreads) {
        const FourPairs four(task, i);
        if (holds<counted>(four.a.x, four.b.x)) atomicAdd(counter(task), 1);
        if (holds<counted>(four.a.y, four.b.y) && i + 1 < task.attributes) atomicAdd(counter(task), 1);
        if (holds<counted>(four.a.z, four.b.z) && i + 2 < task.attributes) atomicAdd(counter(task), 1);
        if (holds<counted>(four.a.w, four.b.w) && i + 3 < task.attributes) atomicAdd(counter(task), 1);
    }
}

/// GPUregister: four attributes are counted in a register, then one atomic addition.
template <CountedAttributes counted>
__global__ void __launch_bounds__(kThreads) registerKernel(PublishedTask task) {
    for (unsigned i = 4 * threadIdx.x; i < task.attributes; i += 4 * kThreads)
        atomicAdd(counter(task), FourPairs(task, i).count<counted>(i, task.attributes));
}

/// GPUshared: every thread counts in shared memory, the first one adds up, and nothing is atomic.
template <CountedAttributes counted>
__global__ void __launch_bounds__(kThreads) sharedKernel(PublishedTask task) {
    __shared__ int counts[kThreads];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = 4 * threadIdx.x; i < task.attributes; i += 4 * kThreads)
        counts[threadIdx.x] += FourPairs(task, i).count<counted>(i, task.attributes);
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned t = 1; t < kThreads; ++t) counts[0] += counts[t];
        *counter(task) = counts[0];
    }
}

template <CountedAttributes counted>
void launchKernel(const Launch& launch, PublishedKernel kernel, const PublishedTask& task) {
    const auto start = [&](auto function) {
        function<<<dim3(task.columns, task.rows), kThreads, 0, launch.stream>>>(task);
    };
    switch (kernel) {
        case PublishedKernel::Naive:
            return start(naiveKernel<counted>);
        case PublishedKernel::Coalesced:
            return start(coalescedKernel<counted>);
        case PublishedKernel::Char4:
            return start(char4Kernel<counted>);
        case PublishedKernel::Register:
            return start(registerKernel<counted>);
        case PublishedKernel::Shared:
            return start(sharedKernel<counted>);
    }
}

}  // namespace

void launchTransposeSymbols(const Launch& launch, MatrixOnDevice<const std::uint8_t> source,
                            std::size_t instances, std::size_t attributes, MatrixOnDevice<int> target) {
    forRowsOf(instances, [&](std::size_t first, std::size_t count) {
        transposeSymbolsKernel<<<dim3(squares(attributes), squares(count)), kSquareThreads, 0,
                                 launch.stream>>>({source.at(first, 0), source.stride}, count, attributes,
                                                  {target.at(0, first), target.stride});
        checkLaunch("transposition of symbols");
    });
}

void launchWidenSymbols(const Launch& launch, MatrixOnDevice<const std::uint8_t> source,
                        std::size_t instances, std::size_t attributes, MatrixOnDevice<int> target) {
    constexpr unsigned threads = 256;
    constexpr std::size_t mostRows = 65535;
    const unsigned blocks = unsigned((attributes + threads - 1) / threads);
    for (std::size_t first = 0; first < instances; first += mostRows) {
        const std::size_t count = instances - first < mostRows ? instances - first : mostRows;
        widenSymbolsKernel<<<dim3(blocks, unsigned(count)), threads, 0, launch.stream>>>(
            {source.at(first, 0), source.stride}, attributes, {target.at(first, 0), target.stride});
        checkLaunch("widening of symbols");
    }
}

void launchPublished(const Launch& launch, PublishedKernel kernel, CountedAttributes counted,
                     const PublishedTask& task) {
    switch (counted) {
        case CountedAttributes::Differing:
            launchKernel<CountedAttributes::Differing>(launch, kernel, task);
            break;
        case CountedAttributes::DifferingPresent:
            launchKernel<CountedAttributes::DifferingPresent>(launch, kernel, task);
            break;
        case CountedAttributes::Opposite:
            launchKernel<CountedAttributes::Opposite>(launch, kernel, task);
            break;
        case CountedAttributes::Present:
            launchKernel<CountedAttributes::Present>(launch, kernel, task);
            break;
    }
    checkLaunch("published kernel");
}

}  // namespace glycine::cuda
