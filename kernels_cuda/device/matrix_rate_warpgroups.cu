#include "kernels_cuda/device/bulk_copy.cuh"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/matrix_rate_kernels.hpp"
#include "kernels_cuda/device/warpgroup_products.cuh"

namespace glycine::cuda {

namespace {

/// Each warpgroup multiplies 128 rows with 128 columns, as a kernel does whose operands have arrived.
constexpr unsigned kPanelWords = 128 * 64 / 4;
constexpr unsigned kGroups = kWarpgroupRateThreads / 128;

template <bool isFloat16>
__global__ void __launch_bounds__(kWarpgroupRateThreads)
    multiplyByWarpgroups(unsigned rounds, double* found) {
    __shared__ alignas(1024) std::uint32_t operands[(kGroups + 1) * kPanelWords];
    // Bits that change, since what they cost in power counts: numbers from 2⁻⁶ to 2⁻⁵.
    for (unsigned i = threadIdx.x; i < (kGroups + 1) * kPanelWords; i += kWarpgroupRateThreads) {
        const std::uint32_t bits = i * 2654435761U;
        operands[i] = isFloat16 ? 0x24002400U | (bits & 0x03ff03ffU) : 0x3c800000U | (bits & 0x7fe000U);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const std::uint32_t rows = sharedAddress(operands) + threadIdx.x / 128 * kPanelWords * 4;
    const std::uint32_t columns = sharedAddress(operands) + kGroups * kPanelWords * 4;
    WarpgroupSums sums[2] = {};
    pinSums(sums);
#pragma unroll 1
    for (unsigned round = 0; round < rounds; ++round) {
        pinSums(sums);
        beginProducts();
#pragma unroll
        for (unsigned half = 0; half < 64; half += 32)
#pragma unroll
            for (unsigned m = 0; m < 2; ++m) {
                const std::uint64_t row = warpgroupOperand(rows + m * kPanelWords * 2 + half);
                if constexpr (isFloat16)
                    multiplyFloat16(sums[m], row, warpgroupOperand(columns + half));
                else
                    multiplyTf32(sums[m], row, warpgroupOperand(columns + half));
            }
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

}  // namespace

double launchWarpgroupProducts(StreamHandle stream, bool isFloat16, unsigned blocks, unsigned rounds,
                               double* found) {
    const auto kernel = isFloat16 ? multiplyByWarpgroups<true> : multiplyByWarpgroups<false>;
    kernel<<<blocks, kWarpgroupRateThreads, 0, stream>>>(rounds, found);
    checkLaunch("products of warpgroups");
    const double depth = isFloat16 ? 32 : 16;
    return double(blocks) * kGroups * rounds * 128 * 128 * depth;
}

}  // namespace glycine::cuda
