#include <algorithm>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/distance/distance_kernels.hpp"

/// Kernels around the int8 products: operands from bit planes, and counts from products.
namespace glycine::cuda {

namespace {

// --- Operands
// ------------------------------------------------------------------------------------------------

constexpr int kWordsAcross = 8;
constexpr int kInstancesDown = 32;

/// Lanes run along the words of an instance, so that a warp writes whole lines. The codes of eight
/// attributes, four bits each, are extracted from the planes at once, and a byte permutation looks up the
/// values.
template <bool missing>
__global__ void expandKernel(MatrixOnDevice<const std::uint32_t> source, std::size_t instances,
                             std::size_t words, int planes, const __grid_constant__ SliceTables tables,
                             std::int8_t* target, std::size_t targetStride) {
    const std::size_t word = std::size_t(blockIdx.x) * kWordsAcross + threadIdx.x;
    const std::size_t instance = std::size_t(blockIdx.y) * kInstancesDown + threadIdx.y;
    if (word >= words || instance >= instances) return;
    const std::size_t row = word * (planes + missing);
    const std::uint32_t low = *source.at(row, instance);
    const std::uint32_t high = planes == 2 ? *source.at(row + 1, instance) : 0;
    const std::uint32_t present = missing ? *source.at(row + planes, instance) : 0;
    std::uint32_t codes[4];
#pragma unroll
    for (int shift = 0; shift < 4; ++shift) {
        constexpr std::uint32_t everyFourth = 0x11111111;
        codes[shift] = (low >> shift & everyFourth) | (high >> shift & everyFourth) << 1 |
                       (present >> shift & everyFourth) << 2;
    }
    std::int8_t* place = target + instance * targetStride + word * 32;
    for (unsigned slice = 0; slice < tables.count; ++slice, place += words * 32) {
        const SliceTable table = tables.table[slice];
        std::uint32_t bytes[8];
#pragma unroll
        for (int shift = 0; shift < 4; ++shift) {
            bytes[2 * shift] = __byte_perm(table.low, table.high, codes[shift]);
            bytes[2 * shift + 1] = __byte_perm(table.low, table.high, codes[shift] >> 16);
        }
        uint4* vectors = reinterpret_cast<uint4*>(place);
        vectors[0] = make_uint4(bytes[0], bytes[1], bytes[2], bytes[3]);
        vectors[1] = make_uint4(bytes[4], bytes[5], bytes[6], bytes[7]);
    }
}

__global__ void countEqualPlanesKernel(MatrixOnDevice<const std::uint32_t> source, std::size_t instances,
                                       std::size_t words, std::uint32_t* result) {
    const std::size_t instance = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (instance >= instances) return;
    std::uint32_t count = 0;
    for (std::size_t word = blockIdx.y; word < words; word += gridDim.y)
        count += __popc(~(*source.at(2 * word, instance) ^ *source.at(2 * word + 1, instance)));
    atomicAdd(result + instance, count);
}

// --- Counts
// --------------------------------------------------------------------------------------------------

__device__ void writeCount(const CombineTask& task, const Combination& combination,
                           const std::int64_t (&product)[kMaxProducts], std::int64_t margins, bool accumulate,
                           std::uint32_t* target) {
    if (combination.divisor == 0) return;
    std::int64_t sum = std::int64_t(task.attributes) * combination.attributes + margins * combination.margin;
#pragma unroll
    for (unsigned p = 0; p < kMaxProducts; ++p) sum += product[p] * combination.weight[p];
    const std::uint32_t count = std::uint32_t(sum / combination.divisor);
    *target = accumulate ? *target + count : count;
}

__global__ void combineKernel(CombineTask task, std::size_t columns, bool accumulate, CountsOnDevice counts) {
    const std::size_t row = blockIdx.y;
    const std::size_t column = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    std::int64_t product[kMaxProducts] = {};
#pragma unroll
    for (unsigned p = 0; p < kMaxProducts; ++p)
        if (p < task.products) product[p] = task.product[p][row * task.stride + column];
    const std::int64_t margins =
        task.rowMargin == nullptr ? 0 : std::int64_t(task.rowMargin[row]) + task.columnMargin[column];
    const std::size_t place = row * counts.stride + column;
    writeCount(task, task.differing, product, margins, accumulate, counts.differing + place);
    writeCount(task, task.opposite, product, margins, accumulate, counts.opposite + place);
    writeCount(task, task.valid, product, margins, accumulate, counts.valid + place);
}

}  // namespace

void launchExpand(const Launch& launch, MatrixOnDevice<const std::uint32_t> source, std::size_t instances,
                  std::size_t words, const distance::DiscreteShape& shape, const SliceTables& tables,
                  std::int8_t* target, std::size_t targetStride) {
    const dim3 threads(kWordsAcross, kInstancesDown);
    const dim3 blocks(unsigned((words + kWordsAcross - 1) / kWordsAcross),
                      unsigned((instances + kInstancesDown - 1) / kInstancesDown));
    const auto kernel = shape.hasMissing ? expandKernel<true> : expandKernel<false>;
    kernel<<<blocks, threads, 0, launch.stream>>>(source, instances, words, int(shape.planes), tables, target,
                                                  targetStride);
    checkLaunch("expansion of bit planes");
}

void launchCountEqualPlanes(const Launch& launch, MatrixOnDevice<const std::uint32_t> source,
                            std::size_t instances, std::size_t words, std::uint32_t* result) {
    constexpr unsigned threads = 128;
    constexpr unsigned wordsAThread = 64;
    GLYCINE_CUDA(cudaMemsetAsync(result, 0, instances * sizeof(std::uint32_t), launch.stream));
    const dim3 blocks(unsigned((instances + threads - 1) / threads),
                      unsigned(std::min<std::size_t>(words / wordsAThread + 1, 65535)));
    countEqualPlanesKernel<<<blocks, threads, 0, launch.stream>>>(source, instances, words, result);
    checkLaunch("margins");
}

void launchCombine(const Launch& launch, const CombineTask& task, std::size_t rows, std::size_t columns,
                   Accumulate accumulate, const CountsOnDevice& counts) {
    constexpr unsigned threads = 256;
    const dim3 blocks(unsigned((columns + threads - 1) / threads), unsigned(rows));
    combineKernel<<<blocks, threads, 0, launch.stream>>>(task, columns, accumulate == Accumulate::Yes,
                                                         counts);
    checkLaunch("combination of products");
}

}  // namespace glycine::cuda
