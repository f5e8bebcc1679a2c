#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "engine/core/device_probe.hpp"
#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/matrix_rate.hpp"

namespace glycine::cuda {

namespace {

/// First compute capability with `mma` for these numbers.
constexpr int kFirstCapability = 80;
/// Concurrent products per warp, and warps per multiprocessor: enough to hide the latency of one product.
constexpr int kProducts = 4;
constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksEach = 2;
/// Rows × columns × depth of a product.
constexpr double kMultiplyAdds16 = 16 * 8 * 16;
constexpr double kMultiplyAdds8 = 16 * 8 * 8;

struct Float64Products {
    using Sum = double;
    static constexpr double kMultiplyAdds = kMultiplyAdds16;
    double a[8], b[4];
    __device__ void fill(float left, float right) {
        for (double& value : a) value = left;
        for (double& value : b) value = right;
    }
    __device__ void multiply(Sum (&c)[4]) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
            "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
            : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
              "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#pragma unroll
        for (int depth = 0; depth < 4; ++depth)
#pragma unroll
            for (int half = 0; half < 2; ++half)
                asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                             : "+d"(c[2 * half]), "+d"(c[2 * half + 1])
                             : "d"(a[2 * depth + half]), "d"(b[depth]));
#endif
    }
};

struct Tf32Products {
    using Sum = float;
    static constexpr double kMultiplyAdds = kMultiplyAdds8;
    std::uint32_t a[4], b[2];
    __device__ void fill(float left, float right) {
        for (std::uint32_t& value : a) value = __float_as_uint(left);
        for (std::uint32_t& value : b) value = __float_as_uint(right);
    }
    __device__ void multiply(Sum (&c)[4]) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
    }
};

struct Float16Products {
    using Sum = float;
    static constexpr double kMultiplyAdds = kMultiplyAdds16;
    std::uint32_t a[4], b[2];
    __device__ static std::uint32_t pair(float value) {
        return std::uint32_t(__half_as_ushort(__float2half(value))) * 0x10001u;
    }
    __device__ void fill(float left, float right) {
        for (std::uint32_t& value : a) value = pair(left);
        for (std::uint32_t& value : b) value = pair(right);
    }
    __device__ void multiply(Sum (&c)[4]) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
    }
};

/// Operands whose elements are all 1, in any number format.
template <std::uint32_t kOnes>
struct Ones {
    std::uint32_t a[4], b[2];
    __device__ void fill(float left, float) {
        const std::uint32_t ones = std::uint32_t(left) * kOnes;
        for (std::uint32_t& value : a) value = ones;
        for (std::uint32_t& value : b) value = ones;
    }
};

struct Int8Products : Ones<0x01010101u> {
    using Sum = int;
    static constexpr double kMultiplyAdds = 16 * 8 * 32;
    __device__ void multiply(Sum (&c)[4]) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
    }
};

struct BitProducts : Ones<0xffffffffu> {
    using Sum = int;
    static constexpr double kMultiplyAdds = 16 * 8 * 256;
    __device__ void multiply(Sum (&c)[4]) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile(
            "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
    }
};

/// Returns use(products) for the product type of these numbers.
template <class Use>
double withProducts(MatrixNumbers numbers, const Use& use) {
    switch (numbers) {
        case MatrixNumbers::Float64:
            return use(Float64Products());
        case MatrixNumbers::Tf32:
            return use(Tf32Products());
        case MatrixNumbers::Int8:
            return use(Int8Products());
        case MatrixNumbers::Bits:
            return use(BitProducts());
        default:
            return use(Float16Products());
    }
}

/// Each warp computes `rounds` rounds of kProducts products; the sum of a thread's registers goes to `sums`.
template <class Products>
__global__ void __launch_bounds__(kThreads)
    multiplyInRegisters(unsigned rounds, float left, float right, double* sums) {
    Products products;
    products.fill(left, right);
    typename Products::Sum c[kProducts][4] = {};
    for (unsigned round = 0; round < rounds; ++round) {
#pragma unroll
        for (int p = 0; p < kProducts; ++p) products.multiply(c[p]);
    }
    double sum = 0;
    for (int p = 0; p < kProducts; ++p)
        for (int i = 0; i < 4; ++i) sum += double(c[p][i]);
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// Multiply-adds in 10⁹ per second. `queue(stream, rounds, sums)` queues some and returns their number.
template <class Queue>
double rateOf(const CudaBackend& backend, std::size_t threads, const Queue& queue) {
    const DeviceBuffer<double> sums(backend.memory(), threads);
    const Stream stream;
    const Event begin(Event::Kind::Timing), end(Event::Kind::Timing);
    double multiplyAdds = 0;
    const auto secondsOf = [&](unsigned rounds) {
        begin.record(stream);
        multiplyAdds = queue(stream.handle(), rounds, sums.data());
        end.record(stream);
        end.synchronize();
        return Event::secondsBetween(begin, end);
    };
    // Enough rounds for some milliseconds, during which the device's clock rises. The first run loads the
    // kernel.
    constexpr double kSeconds = 5e-3;
    unsigned rounds = 256;
    secondsOf(rounds);
    while (rounds < (1u << 24) && shortestSeconds([&] { return secondsOf(rounds); }, kSeconds) < kSeconds)
        rounds *= 2;
    double seconds = secondsOf(rounds);
    for (int repeat = 0; repeat < 9; ++repeat) seconds = std::min(seconds, secondsOf(rounds));
    return multiplyAdds / seconds / 1e9;
}

template <class Products>
double rateOf(const CudaBackend& backend) {
    const unsigned blocks = unsigned(backend.multiprocessors()) * kBlocksEach;
    const double warps = double(blocks) * kThreads / 32;
    return rateOf(
        backend, std::size_t{blocks} * kThreads, [&](StreamHandle stream, unsigned rounds, double* sums) {
            multiplyInRegisters<Products><<<blocks, kThreads, 0, stream>>>(rounds, 1.0f, 0x1p-6f, sums);
            checkLaunch("products in registers");
            return warps * rounds * kProducts * Products::kMultiplyAdds;
        });
}

/// Whether device and compiler support `wgmma`.
bool hasWarpgroups(const CudaBackend& backend) {
#ifdef GLYCINE_HAVE_WARPGROUPS
    return backend.computeCapability() == 90;
#else
    static_cast<void>(backend);
    return false;
#endif
}

double launchByWarpgroups(StreamHandle stream, MatrixNumbers numbers, bool ones, unsigned blocks,
                          unsigned rounds, double* found) {
#ifdef GLYCINE_HAVE_WARPGROUPS
    return launchWarpgroupProducts(stream, numbers, ones, blocks, rounds, found);
#else
    throw std::logic_error("products of warpgroups that were not compiled");
#endif
}

/// The faster of `mma` and, if available, `wgmma`.
template <class Products>
double bestRateOf(const CudaBackend& backend, MatrixNumbers numbers) {
    const double rate = rateOf<Products>(backend);
    if (numbers == MatrixNumbers::Float64 || !hasWarpgroups(backend)) return rate;
    const unsigned blocks = unsigned(backend.multiprocessors());
    return std::max(rate, rateOf(backend, std::size_t{blocks} * kWarpgroupRateThreads,
                                 [&](StreamHandle stream, unsigned rounds, double* sums) {
                                     return launchByWarpgroups(stream, numbers, false, blocks, rounds, sums);
                                 }));
}

template <class Products>
double sumOf(const CudaBackend& backend, unsigned rounds) {
    const DeviceBuffer<double> sums(backend.memory(), 32);
    multiplyInRegisters<Products><<<1, 32>>>(rounds, 1.0f, 0x1p-6f, sums.data());
    checkLaunch("products in registers");
    double found[32];
    GLYCINE_CUDA(cudaMemcpy(found, sums.data(), sizeof found, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (const double one : found) sum += one;
    return sum;
}

}  // namespace

double matrixRate(const CudaBackend& backend, MatrixNumbers numbers) {
    backend.makeCurrent();
    if (backend.computeCapability() < kFirstCapability) return 0;
    return withProducts(numbers,
                        [&](auto products) { return bestRateOf<decltype(products)>(backend, numbers); });
}

double matrixSum(const CudaBackend& backend, MatrixNumbers numbers, unsigned rounds) {
    backend.makeCurrent();
    return withProducts(numbers, [&](auto products) { return sumOf<decltype(products)>(backend, rounds); });
}

double expectedMatrixSum(MatrixNumbers numbers, unsigned rounds) {
    return withProducts(numbers, [&](auto products) {
        using Products = decltype(products);
        const double each = std::is_same_v<typename Products::Sum, int> ? 1 : 0x1p-6;
        return double(kProducts) * rounds * Products::kMultiplyAdds * each;
    });
}

std::optional<MatrixSum> warpgroupSum(const CudaBackend& backend, MatrixNumbers numbers, unsigned rounds) {
    backend.makeCurrent();
    if (numbers == MatrixNumbers::Float64 || !hasWarpgroups(backend)) return {};
    std::vector<double> sums(kWarpgroupRateThreads);
    const DeviceBuffer<double> found(backend.memory(), sums.size());
    const Stream stream;
    const double expected = launchByWarpgroups(stream.handle(), numbers, true, 1, rounds, found.data());
    GLYCINE_CUDA(cudaMemcpyAsync(sums.data(), found.data(), sums.size() * sizeof(double),
                                 cudaMemcpyDeviceToHost, stream.handle()));
    stream.synchronize();
    return MatrixSum{std::accumulate(sums.begin(), sums.end(), 0.0), expected};
}

}  // namespace glycine::cuda
