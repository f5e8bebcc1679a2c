#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/matrix_rate.hpp"
#include "kernels_cuda/device/warpgroups.cuh"

namespace glycine::cuda {

namespace {

/// Each warpgroup multiplies 128 rows with 128 columns, as a kernel does once its operands have arrived.
constexpr unsigned kPanelWords = 128 * 64 / 4;
constexpr unsigned kGroups = kWarpgroupRateThreads / 128;

/// The layout of these numbers in a word, and their product.
template <MatrixNumbers numbers>
struct Operands;
template <>
struct Operands<MatrixNumbers::Float16> {
    using Sums = WarpgroupSums;
    static constexpr double kDepth = 16;  ///< depth of a product: 32 bytes
    static constexpr std::uint32_t kOnes = 0x3c003c00U;
    /// Numbers from 2⁻⁶ to 2⁻⁵.
    __device__ static std::uint32_t word(std::uint32_t bits) { return 0x24002400U | (bits & 0x03ff03ffU); }
    __device__ static void multiply(Sums& sums, std::uint64_t rows, std::uint64_t columns) {
        multiplyFloat16(sums, rows, columns);
    }
};
template <>
struct Operands<MatrixNumbers::Tf32> {
    using Sums = WarpgroupSums;
    static constexpr double kDepth = 8;
    static constexpr std::uint32_t kOnes = 0x3f800000U;
    __device__ static std::uint32_t word(std::uint32_t bits) { return 0x3c800000U | (bits & 0x7fe000U); }
    __device__ static void multiply(Sums& sums, std::uint64_t rows, std::uint64_t columns) {
        multiplyTf32(sums, rows, columns);
    }
};
template <>
struct Operands<MatrixNumbers::Int8> {
    using Sums = WarpgroupCounts;
    static constexpr double kDepth = 32;
    static constexpr std::uint32_t kOnes = 0x01010101U;
    /// Indicators (0 or 1), like the operands of Glycine's products.
    __device__ static std::uint32_t word(std::uint32_t bits) { return bits & 0x01010101U; }
    __device__ static void multiply(Sums& sums, std::uint64_t rows, std::uint64_t columns) {
        multiplyInt8(sums, rows, columns);
    }
};
template <>
struct Operands<MatrixNumbers::Bits> {
    using Sums = WarpgroupCounts;
    static constexpr double kDepth = 256;
    static constexpr std::uint32_t kOnes = 0xffffffffU;
    __device__ static std::uint32_t word(std::uint32_t bits) { return bits; }
    __device__ static void multiply(Sums& sums, std::uint64_t rows, std::uint64_t columns) {
        multiplyBits(sums, rows, columns);
    }
};

template <MatrixNumbers numbers>
__global__ void __launch_bounds__(kWarpgroupRateThreads)
    multiplyByWarpgroups(bool ones, unsigned rounds, double* found) {
    using Kind = Operands<numbers>;
    __shared__ alignas(1024) std::uint32_t operands[(kGroups + 1) * kPanelWords];
    for (unsigned i = threadIdx.x; i < (kGroups + 1) * kPanelWords; i += kWarpgroupRateThreads)
        operands[i] = ones ? Kind::kOnes : Kind::word(i * 2654435761U);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const std::uint32_t rows = sharedAddress(operands) + threadIdx.x / 128 * kPanelWords * 4;
    const std::uint32_t columns = sharedAddress(operands) + kGroups * kPanelWords * 4;
    typename Kind::Sums sums[2] = {};
    pinSums(sums);
#pragma unroll 1
    for (unsigned round = 0; round < rounds; ++round) {
        pinSums(sums);
        beginProducts();
#pragma unroll
        for (unsigned half = 0; half < 64; half += 32)
#pragma unroll
            for (unsigned m = 0; m < 2; ++m)
                Kind::multiply(sums[m], warpgroupOperand(rows + m * kPanelWords * 2 + half),
                               warpgroupOperand(columns + half));
        endProducts();
        pinSums(sums);
        waitForProducts<1>();
    }
    waitForProducts<0>();
    pinSums(sums);
    double sum = 0;
#pragma unroll
    for (unsigned m = 0; m < 2; ++m)
#pragma unroll
        for (unsigned i = 0; i < 64; ++i) sum += double(sums[m][i]);
    found[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <MatrixNumbers numbers>
double launch(StreamHandle stream, bool ones, unsigned blocks, unsigned rounds, double* found) {
    multiplyByWarpgroups<numbers><<<blocks, kWarpgroupRateThreads, 0, stream>>>(ones, rounds, found);
    checkLaunch("products of warpgroups");
    return double(blocks) * kGroups * rounds * 128 * 128 * 2 * Operands<numbers>::kDepth;
}

}  // namespace

double launchWarpgroupProducts(StreamHandle stream, MatrixNumbers numbers, bool ones, unsigned blocks,
                               unsigned rounds, double* found) {
    switch (numbers) {
        case MatrixNumbers::Tf32:
            return launch<MatrixNumbers::Tf32>(stream, ones, blocks, rounds, found);
        case MatrixNumbers::Int8:
            return launch<MatrixNumbers::Int8>(stream, ones, blocks, rounds, found);
        case MatrixNumbers::Bits:
            return launch<MatrixNumbers::Bits>(stream, ones, blocks, rounds, found);
        default:
            return launch<MatrixNumbers::Float16>(stream, ones, blocks, rounds, found);
    }
}

}  // namespace glycine::cuda
