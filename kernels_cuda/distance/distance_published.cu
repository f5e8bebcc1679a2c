#include <algorithm>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"
#include "kernels_cuda/pairs/transpose_square.cuh"

/// The five kernels of N. A. Sinnott-Armstrong et al., "Exploiting Graphics Processing Units for
/// Computational Biology and Bioinformatics", Interdisciplinary Sciences 2 (2010), each of which adds one
/// idea to the previous one; and three more that its discussion proposes. One thread block compares one pair;
/// its threads process every kThreads-th attribute (or group of four). They are deliberately not optimised:
/// comparing them is their purpose. Symbols are converted beforehand to the layouts that the kernels read.
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
            return a != b && a != distance::kMissingSymbol && b != distance::kMissingSymbol;
        case CountedAttributes::Opposite:
            return (a ^ b) == 2;  // among 0, 1, 2 and distance::kMissingSymbol, only for 0 and 2
        case CountedAttributes::Present:
            break;
    }
    return a != distance::kMissingSymbol && b != distance::kMissingSymbol;
}

/// The counter of a block's pair.
__device__ inline int* counter(const PublishedTask& task) {
    return task.counts.at(blockIdx.y, blockIdx.x);
}

/// GPUnaive: one integer per attribute, with the instances of an attribute contiguous. Neighbouring threads
/// read distant addresses.
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

/// A pair's four attributes starting at `attribute`, a multiple of 4.
struct FourPairs {
    uchar4 a, b;
    __device__ FourPairs(uchar4 one, uchar4 other) : a(one), b(other) {}
    __device__ FourPairs(const PublishedTask& task, unsigned attribute)
        : FourPairs(read(task, task.firstRow + blockIdx.y, attribute),
                    read(task, task.firstColumn + blockIdx.x, attribute)) {}
    __device__ static uchar4 read(const PublishedTask& task, unsigned instance, unsigned attribute) {
        return *reinterpret_cast<const uchar4*>(static_cast<const unsigned char*>(task.data) +
                                                task.stride * instance + attribute);
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

/// GPUchar: four attributes per load, and one atomic addition for each that counts.
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

/// GPUshared: every thread counts in shared memory, the first one adds up the counts, and nothing is atomic.
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

/// The sum over the threads of a block, in the first thread: halves are added (M. Harris, Optimizing parallel
/// reduction in CUDA, 2009, cited in the paper's discussion).
__device__ inline int reduced(int own) {
    __shared__ int counts[kThreads];
    counts[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) counts[threadIdx.x] += counts[threadIdx.x + half];
        __syncthreads();
    }
    return counts[0];
}

/// GPUshared with a parallel reduction instead of the first thread's loop.
template <CountedAttributes counted>
__global__ void __launch_bounds__(kThreads) reductionKernel(PublishedTask task) {
    int own = 0;
    for (unsigned i = 4 * threadIdx.x; i < task.attributes; i += 4 * kThreads)
        own += FourPairs(task, i).count<counted>(i, task.attributes);
    own = reduced(own);
    if (threadIdx.x == 0) *counter(task) = own;
}

/// The same through a texture.
template <CountedAttributes counted>
__global__ void __launch_bounds__(kThreads) textureKernel(PublishedTask task) {
    const auto read = [&task](unsigned instance, unsigned attribute) {
        return tex1Dfetch<uchar4>(task.texture, int((task.stride * instance + attribute) / 4));
    };
    int own = 0;
    for (unsigned i = 4 * threadIdx.x; i < task.attributes; i += 4 * kThreads)
        own += FourPairs(read(task.firstRow + blockIdx.y, i), read(task.firstColumn + blockIdx.x, i))
                   .count<counted>(i, task.attributes);
    own = reduced(own);
    if (threadIdx.x == 0) *counter(task) = own;
}

/// Bytes of a row's instance: half of constant memory.
constexpr unsigned kConstantBytes = 32 * 1024;
__constant__ uchar4 rowInstance[kConstantBytes / 4];

/// The same with the row's instance in constant memory, some attributes at a time.
template <CountedAttributes counted>
__global__ void __launch_bounds__(kThreads)
    constantKernel(PublishedTask task, unsigned firstAttribute, unsigned end) {
    int own = 0;
    for (unsigned i = firstAttribute + 4 * threadIdx.x; i < end; i += 4 * kThreads)
        own += FourPairs(rowInstance[(i - firstAttribute) / 4],
                         FourPairs::read(task, task.firstColumn + blockIdx.x, i))
                   .count<counted>(i, end);
    own = reduced(own);
    if (threadIdx.x == 0) *counter(task) += own;
}

/// One launch per row, because constant memory is the same for a whole grid.
template <CountedAttributes counted>
void launchConstant(const Launch& launch, const PublishedTask& task) {
    for (unsigned row = 0; row < task.rows; ++row)
        for (unsigned first = 0; first < task.attributes; first += kConstantBytes) {
            const unsigned end = std::min(task.attributes, first + kConstantBytes);
            PublishedTask one = task;
            one.counts.data = task.counts.at(row, 0);
            const auto* data = static_cast<const unsigned char*>(task.data);
            GLYCINE_CUDA(cudaMemcpyToSymbolAsync(rowInstance,
                                                 data + task.stride * (task.firstRow + row) + first,
                                                 end - first, 0, cudaMemcpyDeviceToDevice, launch.stream));
            constantKernel<counted><<<task.columns, kThreads, 0, launch.stream>>>(one, first, end);
        }
}

template <CountedAttributes counted>
void launchKernel(const Launch& launch, distance::Variant variant, const PublishedTask& task) {
    const auto start = [&](auto function) {
        function<<<dim3(task.columns, task.rows), kThreads, 0, launch.stream>>>(task);
    };
    switch (variant) {
        case distance::Variant::Reduction:
            return start(reductionKernel<counted>);
        case distance::Variant::Texture:
            return start(textureKernel<counted>);
        case distance::Variant::Constant:
            return launchConstant<counted>(launch, task);
        case distance::Variant::Naive:
            return start(naiveKernel<counted>);
        case distance::Variant::Coalesced:
            return start(coalescedKernel<counted>);
        case distance::Variant::Char4:
            return start(char4Kernel<counted>);
        case distance::Variant::Register:
            return start(registerKernel<counted>);
        case distance::Variant::Shared:
            return start(sharedKernel<counted>);
        default:
            return;
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

void launchPublished(const Launch& launch, distance::Variant variant, CountedAttributes counted,
                     const PublishedTask& task) {
    switch (counted) {
        case CountedAttributes::Differing:
            launchKernel<CountedAttributes::Differing>(launch, variant, task);
            break;
        case CountedAttributes::DifferingPresent:
            launchKernel<CountedAttributes::DifferingPresent>(launch, variant, task);
            break;
        case CountedAttributes::Opposite:
            launchKernel<CountedAttributes::Opposite>(launch, variant, task);
            break;
        case CountedAttributes::Present:
            launchKernel<CountedAttributes::Present>(launch, variant, task);
            break;
    }
    checkLaunch("published kernel");
}

}  // namespace glycine::cuda
