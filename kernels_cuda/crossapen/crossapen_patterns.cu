#include "kernels_cuda/crossapen/crossapen_patterns.hpp"
#include "kernels_cuda/device/cuda_check.hpp"

namespace glycine::cuda {

namespace {

constexpr unsigned kPatternThreads = 256;
constexpr unsigned kPatternWarps = kPatternThreads / 32;
/// Templates of a pair that a block counts: enough to make adding up its counts cheap.
constexpr unsigned kTemplatesPerBlock = 4 * kPatternThreads;

unsigned blocksFor(std::size_t elements) {
    return static_cast<unsigned>((elements + kPatternThreads - 1) / kPatternThreads);
}

__device__ inline std::size_t threadIndex() {
    return std::size_t{blockIdx.x} * kPatternThreads + threadIdx.x;
}

template <int m>
__global__ void __launch_bounds__(kPatternThreads)
    orderKernel(PatternShape shape, std::size_t templates, const double* signals, std::uint64_t* orders) {
    const std::size_t index = threadIndex();
    if (index >= shape.channels * templates) return;
    const double* first = signals + index / templates * shape.samples + index % templates;
    double samples[m];
#pragma unroll
    for (int k = 0; k < m; ++k) samples[k] = first[std::size_t(k) * shape.delay];
    std::uint64_t order = 0;
#pragma unroll
    for (int k = 0; k < m; ++k) {
        int place = 0;
#pragma unroll
        for (int j = 0; j < m; ++j) place += j < k ? samples[j] <= samples[k] : samples[j] < samples[k];
        order |= std::uint64_t(k) << (kOrderBits * (m - 1 - place));
    }
    orders[index] = order;
}

__global__ void __launch_bounds__(kPatternThreads)
    dispersionKernel(PatternShape shape, std::size_t templates, const std::uint32_t* ofSamples,
                     std::uint64_t classes, std::uint64_t* codes) {
    const std::size_t index = threadIndex();
    if (index >= shape.channels * templates) return;
    const std::uint32_t* first = ofSamples + index / templates * shape.samples + index % templates;
    std::uint64_t code = 0;
    for (unsigned k = 0; k < shape.m; ++k) code = code * classes + first[std::size_t{k} * shape.delay];
    codes[index] = code;
}

/// Each warp counts for itself, so that few threads wait for one another.
template <int m>
__global__ void __launch_bounds__(kPatternThreads)
    crossingKernel(PatternShape shape, std::size_t templates, std::size_t blocksPerPair,
                   const std::uint64_t* orders, const double* signals, std::size_t firstPair,
                   std::uint32_t* counts) {
    __shared__ std::uint32_t warpCounts[kPatternWarps][kCrossingCounts];
    for (unsigned k = threadIdx.x; k < kPatternWarps * kCrossingCounts; k += kPatternThreads)
        warpCounts[k / kCrossingCounts][k % kCrossingCounts] = 0;
    __syncthreads();
    const std::size_t pair = firstPair + blockIdx.x / blocksPerPair;
    const std::uint64_t* ofRow = orders + pair / shape.channels * templates;
    const double* ofColumn = signals + pair % shape.channels * shape.samples;
    const std::size_t begin = blockIdx.x % blocksPerPair * kTemplatesPerBlock;
    for (std::size_t i = begin + threadIdx.x; i < begin + kTemplatesPerBlock && i < templates;
         i += kPatternThreads) {
        const std::uint64_t order = ofRow[i];
        double g[m];
#pragma unroll
        for (int k = 0; k < m; ++k) {
            const auto sample = static_cast<unsigned>(order >> (kOrderBits * (m - 1 - k))) & 15U;
            g[k] = ofColumn[i + std::size_t{sample} * shape.delay];
        }
        unsigned crossings = 0;
#pragma unroll
        for (int k = 0; k + 2 < m; ++k)
#pragma unroll
            for (int j = k + 1; j + 1 < m; ++j)
                crossings += (g[j + 1] < g[k] && g[k] < g[j]) || (g[j + 1] > g[k] && g[k] > g[j]);
        atomicAdd(&warpCounts[threadIdx.x / 32][crossings], 1U);
    }
    __syncthreads();
    if (threadIdx.x >= kCrossingCounts) return;
    std::uint32_t sum = 0;
    for (unsigned warp = 0; warp < kPatternWarps; ++warp) sum += warpCounts[warp][threadIdx.x];
    if (sum > 0) atomicAdd(&counts[blockIdx.x / blocksPerPair * kCrossingCounts + threadIdx.x], sum);
}

__global__ void __launch_bounds__(kPatternThreads)
    runLengthKernel(std::size_t keys, std::size_t length, const std::uint64_t* sorted,
                    std::uint32_t* lengths) {
    const std::size_t index = threadIndex();
    if (index >= keys) return;
    const std::size_t place = index % length;
    const std::uint64_t mine = sorted[index];
    std::uint32_t count = 0;
    if (place == 0 || sorted[index - 1] != mine) {
        const std::uint64_t* const first = sorted + index;
        const std::size_t most = length - place;
        // Most runs are short: doubles the reach before halving it.
        std::size_t known = 1, step = 1;
        while (known + step <= most && first[known + step - 1] == mine) {
            known += step;
            step *= 2;
        }
        for (; step > 0; step /= 2)
            if (known + step <= most && first[known + step - 1] == mine) known += step;
        count = static_cast<std::uint32_t>(known);
    }
    lengths[index] = count;
}

template <int m>
void launchOrdersOf(const Launch& launch, const PatternShape& shape, const double* signals,
                    std::uint64_t* orders) {
    if constexpr (m > 2)
        if (shape.m < m) return launchOrdersOf<m - 1>(launch, shape, signals, orders);
    orderKernel<m><<<blocksFor(shape.channels * shape.templates()), kPatternThreads, 0, launch.stream>>>(
        shape, shape.templates(), signals, orders);
    checkLaunch("orders of templates");
}

template <int m>
void launchCrossingsOf(const Launch& launch, const PatternShape& shape, const std::uint64_t* orders,
                       const double* signals, std::size_t firstPair, std::size_t pairs,
                       std::uint32_t* counts) {
    if constexpr (m > 3)
        if (shape.m < m)
            return launchCrossingsOf<m - 1>(launch, shape, orders, signals, firstPair, pairs, counts);
    const std::size_t blocksPerPair = (shape.templates() + kTemplatesPerBlock - 1) / kTemplatesPerBlock;
    crossingKernel<m><<<static_cast<unsigned>(pairs * blocksPerPair), kPatternThreads, 0, launch.stream>>>(
        shape, shape.templates(), blocksPerPair, orders, signals, firstPair, counts);
    checkLaunch("crossings");
}

constexpr int kLongest = 12;

}  // namespace

void launchOrders(const Launch& launch, const PatternShape& shape, const double* signals,
                  std::uint64_t* orders) {
    launchOrdersOf<kLongest>(launch, shape, signals, orders);
}

void launchDispersions(const Launch& launch, const PatternShape& shape, const std::uint32_t* ofSamples,
                       std::uint64_t classes, std::uint64_t* codes) {
    dispersionKernel<<<blocksFor(shape.channels * shape.templates()), kPatternThreads, 0, launch.stream>>>(
        shape, shape.templates(), ofSamples, classes, codes);
    checkLaunch("classes of templates");
}

void launchCrossings(const Launch& launch, const PatternShape& shape, const std::uint64_t* orders,
                     const double* signals, std::size_t firstPair, std::size_t pairs, std::uint32_t* counts) {
    GLYCINE_CUDA(cudaMemsetAsync(counts, 0, pairs * kCrossingCounts * sizeof(std::uint32_t), launch.stream));
    launchCrossingsOf<kLongest>(launch, shape, orders, signals, firstPair, pairs, counts);
}

void launchRunLengths(const Launch& launch, std::size_t segments, std::size_t length,
                      const std::uint64_t* sorted, std::uint32_t* lengths) {
    runLengthKernel<<<blocksFor(segments * length), kPatternThreads, 0, launch.stream>>>(
        segments * length, length, sorted, lengths);
    checkLaunch("lengths of runs");
}

}  // namespace glycine::cuda
