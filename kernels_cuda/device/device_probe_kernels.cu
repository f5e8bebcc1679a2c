#include <cuda_runtime.h>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/device_probe_kernels.hpp"

namespace glycine::cuda {

namespace {

/// Floats that are not negative order as the integers with the same bits (tropical_product.cuh).
struct FloatMinima {
    using Number = float;
    __device__ static float relaxTwice(float c, float x, float y, float step) {
        return __int_as_float(
            __vimin3_s32(__float_as_int(c), __float_as_int(x + step), __float_as_int(y + step)));
    }
    __device__ static double sumOf(float c) { return double(c); }
    __device__ static float from(int number) { return float(number); }
};
struct DoubleMinima {
    using Number = double;
    __device__ static double relaxTwice(double c, double x, double y, double step) {
        return fmin(c, fmin(x + step, y + step));
    }
    __device__ static double sumOf(double c) { return c; }
    __device__ static double from(int number) { return double(number); }
};
struct IntMinima {
    using Number = int;
    __device__ static int relaxTwice(int c, int x, int y, int step) {
        return __vimin3_s32(c, x + step, y + step);
    }
    __device__ static double sumOf(int c) { return double(c); }
    __device__ static int from(int number) { return number; }
};
struct IntMinimaInOne : IntMinima {
    __device__ static int relaxTwice(int c, int x, int y, int step) {
        return __viaddmin_s32(y, step, __viaddmin_s32(x, step, c));
    }
};
/// Two numbers a word, both the same here.
struct ShortMinima {
    using Number = unsigned;
    __device__ static unsigned relaxTwice(unsigned c, unsigned x, unsigned y, unsigned step) {
        return __viaddmin_s16x2(y, step, __viaddmin_s16x2(x, step, c));
    }
    __device__ static double sumOf(unsigned c) { return double(short(c & 0xffffu)) + double(short(c >> 16)); }
    __device__ static unsigned from(int number) { return (unsigned(number) & 0xffffu) * 0x10001u; }
};

__device__ unsigned ownPlace() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

template <class Minima>
__global__ void __launch_bounds__(kProbeThreads) relaxChains(int start, int step, double* sums) {
    typename Minima::Number c[kProbeChains];
    const typename Minima::Number steps = Minima::from(step);
#pragma unroll
    for (unsigned j = 0; j < kProbeChains; ++j) c[j] = Minima::from(start);
#pragma unroll 1
    for (unsigned round = 0; round < kProbeRounds; ++round) {
#pragma unroll
        for (unsigned j = 0; j < kProbeChains; ++j)
            c[j] = Minima::relaxTwice(c[j], c[(j + 1) % kProbeChains], c[(j + 2) % kProbeChains], steps);
    }
    double sum = 0;
#pragma unroll
    for (unsigned j = 0; j < kProbeChains; ++j) sum += Minima::sumOf(c[j]);
    sums[ownPlace()] = sum;
}

__device__ float fused(float x, float a, float b) {
    return __fmaf_rn(x, a, b);
}
__device__ double fused(double x, double a, double b) {
    return __fma_rn(x, a, b);
}

template <class T>
__global__ void __launch_bounds__(kProbeThreads) multiplyAddChains(T factor, T summand, double* sums) {
    T c[kProbeChains];
#pragma unroll
    for (unsigned j = 0; j < kProbeChains; ++j) c[j] = T(j) * T(0.125);
#pragma unroll 1
    for (unsigned round = 0; round < kProbeRounds; ++round) {
#pragma unroll
        for (unsigned j = 0; j < kProbeChains; ++j) c[j] = fused(c[j], factor, summand);
    }
    double sum = 0;
#pragma unroll
    for (unsigned j = 0; j < kProbeChains; ++j) sum += double(c[j]);
    sums[ownPlace()] = sum;
}

__device__ float logarithm(float x) {
    return __logf(x);
}
__device__ double logarithm(double x) {
    return log(x);
}

template <class T>
__global__ void __launch_bounds__(kProbeThreads) logChains(T summand, double* sums) {
    T c[kProbeChains];
#pragma unroll
    for (unsigned j = 0; j < kProbeChains; ++j) c[j] = T(1 + j);
#pragma unroll 1
    for (unsigned round = 0; round < kProbeRounds; ++round) {
#pragma unroll
        for (unsigned j = 0; j < kProbeChains; ++j) c[j] = logarithm(c[j]) + summand;
    }
    double sum = 0;
#pragma unroll
    for (unsigned j = 0; j < kProbeChains; ++j) sum += double(c[j]);
    sums[ownPlace()] = sum;
}

/// The ones and the twos of sums of three bits: `ones` takes a and b up, the twos are returned.
__device__ unsigned addBits(unsigned& ones, unsigned a, unsigned b) {
    const unsigned either = ones ^ a;
    const unsigned twos = (ones & a) | (either & b);
    ones = either ^ b;
    return twos;
}

template <bool carrySave>
__global__ void __launch_bounds__(kProbeThreads) countChains(unsigned factor, double* sums) {
    unsigned w[kProbeChains];
#pragma unroll
    for (unsigned j = 0; j < kProbeChains; ++j) w[j] = (j + 1) * factor;
    unsigned count = 0, ones = 0, twos = 0, fours = 0;
#pragma unroll 1
    for (unsigned round = 0; round < kProbeRounds; ++round) {
        const unsigned key = round * 668265263u;
        if constexpr (carrySave) {
            const unsigned two0 = addBits(ones, w[0] ^ key, w[1] ^ key);
            const unsigned four0 = addBits(twos, two0, addBits(ones, w[2] ^ key, w[3] ^ key));
            const unsigned two1 = addBits(ones, w[4] ^ key, w[5] ^ key);
            const unsigned four1 = addBits(twos, two1, addBits(ones, w[6] ^ key, w[7] ^ key));
            count += __popc(addBits(fours, four0, four1));
        } else {
#pragma unroll
            for (unsigned j = 0; j < kProbeChains; ++j) count += __popc(w[j] ^ key);
        }
    }
    if constexpr (carrySave) count = 8 * count + 4 * __popc(fours) + 2 * __popc(twos) + __popc(ones);
    sums[ownPlace()] = double(count);
}

__global__ void addOne(unsigned* counter) {
    ++*counter;
}

}  // namespace

void launchProbeMinima(StreamHandle stream, ProbeNumbers numbers, bool inOne, unsigned blocks, int start,
                       int step, double* sums) {
    switch (numbers) {
        case ProbeNumbers::Float32:
            relaxChains<FloatMinima><<<blocks, kProbeThreads, 0, stream>>>(start, step, sums);
            break;
        case ProbeNumbers::Float64:
            relaxChains<DoubleMinima><<<blocks, kProbeThreads, 0, stream>>>(start, step, sums);
            break;
        case ProbeNumbers::Int32:
            if (inOne)
                relaxChains<IntMinimaInOne><<<blocks, kProbeThreads, 0, stream>>>(start, step, sums);
            else
                relaxChains<IntMinima><<<blocks, kProbeThreads, 0, stream>>>(start, step, sums);
            break;
        default:
            relaxChains<ShortMinima><<<blocks, kProbeThreads, 0, stream>>>(start, step, sums);
    }
    checkLaunch("chains of minima");
}

void launchProbeMultiplyAdds(StreamHandle stream, bool isFloat64, unsigned blocks, double factor,
                             double summand, double* sums) {
    if (isFloat64)
        multiplyAddChains<double><<<blocks, kProbeThreads, 0, stream>>>(factor, summand, sums);
    else
        multiplyAddChains<float><<<blocks, kProbeThreads, 0, stream>>>(float(factor), float(summand), sums);
    checkLaunch("chains of multiply-adds");
}

void launchProbeLogs(StreamHandle stream, bool isFloat64, unsigned blocks, double summand, double* sums) {
    if (isFloat64)
        logChains<double><<<blocks, kProbeThreads, 0, stream>>>(summand, sums);
    else
        logChains<float><<<blocks, kProbeThreads, 0, stream>>>(float(summand), sums);
    checkLaunch("chains of logarithms");
}

void launchProbeCounts(StreamHandle stream, bool carrySave, unsigned blocks, unsigned factor, double* sums) {
    if (carrySave)
        countChains<true><<<blocks, kProbeThreads, 0, stream>>>(factor, sums);
    else
        countChains<false><<<blocks, kProbeThreads, 0, stream>>>(factor, sums);
    checkLaunch("chains of population counts");
}

void launchProbeCounter(StreamHandle stream, unsigned* counter) {
    addOne<<<1, 1, 0, stream>>>(counter);
    checkLaunch("a kernel with next to nothing in it");
}

}  // namespace glycine::cuda
