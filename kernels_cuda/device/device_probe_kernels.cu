#include <cuda_runtime.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/device_probe_kernels.hpp"

namespace glycine::cuda {

namespace {

/// Non-negative floats have the order of integers with the same bits (tropical_product.cuh).
struct FloatMinima {
    using Number = float;
    __device__ static float relaxBoth(float c, float x, float v, float y, float w) {
        return __int_as_float(__vimin3_s32(__float_as_int(c), __float_as_int(x + v), __float_as_int(y + w)));
    }
    __device__ static double sumOf(float c) { return double(c); }
    __device__ static float from(int number) { return float(number); }
};
struct DoubleMinima {
    using Number = double;
    __device__ static double relaxBoth(double c, double x, double v, double y, double w) {
        return fmin(c, fmin(x + v, y + w));
    }
    __device__ static double sumOf(double c) { return c; }
    __device__ static double from(int number) { return double(number); }
};
struct IntMinima {
    using Number = int;
    __device__ static int relaxBoth(int c, int x, int v, int y, int w) {
        return __vimin3_s32(c, x + v, y + w);
    }
    __device__ static double sumOf(int c) { return double(c); }
    __device__ static int from(int number) { return number; }
};
struct IntMinimaInOne : IntMinima {
    __device__ static int relaxBoth(int c, int x, int v, int y, int w) {
        return __viaddmin_s32(y, w, __viaddmin_s32(x, v, c));
    }
};
/// Two numbers per word, which are equal here.
struct ShortMinima {
    using Number = unsigned;
    __device__ static unsigned relaxBoth(unsigned c, unsigned x, unsigned v, unsigned y, unsigned w) {
        return __viaddmin_s16x2(y, w, __viaddmin_s16x2(x, v, c));
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
            c[j] =
                Minima::relaxBoth(c[j], c[(j + 1) % kProbeChains], steps, c[(j + 2) % kProbeChains], steps);
    }
    double sum = 0;
#pragma unroll
    for (unsigned j = 0; j < kProbeChains; ++j) sum += Minima::sumOf(c[j]);
    sums[ownPlace()] = sum;
}

/// The two numbers in each step of a sum have different offsets, so no addition can be shared by several
/// sums.
template <class Minima>
__global__ void __launch_bounds__(kProbeThreads) lowerSums(int start, int step, double* sums) {
    using Number = typename Minima::Number;
    Number s[kProbeSums], w[kProbeSums];
#pragma unroll
    for (unsigned j = 0; j < kProbeSums; ++j) {
        s[j] = Minima::from(32000);
        w[j] = Minima::from(-step * int(7 * j % kProbeSums));  // the step is unknown to the compiler
    }
    int x = start, y = start - 5;
#pragma unroll 1
    for (unsigned round = 0; round < kProbeRounds; ++round) {
        x += step;
        y += 2 * step;
        const Number first = Minima::from(x), second = Minima::from(y);
#pragma unroll
        for (unsigned j = 0; j < kProbeSums; ++j)
            s[j] = Minima::relaxBoth(s[j], first, w[j], second, w[(j + 1) % kProbeSums]);
    }
    double sum = 0;
#pragma unroll
    for (unsigned j = 0; j < kProbeSums; ++j) sum += Minima::sumOf(s[j]);
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

/// Full adder: adds a and b to `ones` and returns the carries (twos).
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

__global__ void storeNumber(unsigned number, unsigned* stored) {
    if (number != 0) *stored = number;
}

// Start values and steps of a thread's numbers. They are kernel arguments, so that the compiler does not know
// them.
constexpr int kStart = 20000, kStep = -1;
constexpr unsigned kWordFactor = 2654435769u;

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), StreamHandle stream, unsigned blocks, Arguments... arguments) {
    kernel<<<blocks, kProbeThreads, 0, stream>>>(arguments...);
    checkLaunch("registers of a probe");
}
template <class Minima>
void launchChains(StreamHandle stream, unsigned blocks, double* sums) {
    launch(relaxChains<Minima>, stream, blocks, kStart, kStep, sums);
}
template <class Minima>
void launchSums(StreamHandle stream, unsigned blocks, double* sums) {
    launch(lowerSums<Minima>, stream, blocks, kStart, kStep, sums);
}
/// Converges from x to 1.
template <class T>
void launchMultiplyAdds(StreamHandle stream, unsigned blocks, double* sums) {
    launch(multiplyAddChains<T>, stream, blocks, T(0.75), T(0.25), sums);
}
/// Converges to x = log x + 2.
template <class T>
void launchLogs(StreamHandle stream, unsigned blocks, double* sums) {
    launch(logChains<T>, stream, blocks, T(2), sums);
}
template <bool carrySave>
void launchCounts(StreamHandle stream, unsigned blocks, double* sums) {
    launch(countChains<carrySave>, stream, blocks, kWordFactor, sums);
}

/// Expected result of relaxChains. Integers, which all formats represent.
double expectedChains() {
    int c[kProbeChains];
    std::fill(std::begin(c), std::end(c), kStart);
    for (unsigned round = 0; round < kProbeRounds; ++round)
        for (unsigned j = 0; j < kProbeChains; ++j)
            for (const unsigned other : {(j + 1) % kProbeChains, (j + 2) % kProbeChains})
                c[j] = std::min(c[j], c[other] + kStep);
    return std::accumulate(std::begin(c), std::end(c), 0.0);
}
/// Expected result of lowerSums.
double expectedSums() {
    const auto weight = [](unsigned j) { return -kStep * int(7 * j % kProbeSums); };
    double sum = 0;
    for (unsigned j = 0; j < kProbeSums; ++j) {
        int least = 32000, x = kStart, y = kStart - 5;
        for (unsigned round = 0; round < kProbeRounds; ++round) {
            x += kStep;
            y += 2 * kStep;
            least = std::min({least, x + weight(j), y + weight(j + 1)});
        }
        sum += least;
    }
    return sum;
}
double expectedCount() {
    double count = 0;
    for (unsigned round = 0; round < kProbeRounds; ++round)
        for (unsigned j = 0; j < kProbeChains; ++j)
            count += __builtin_popcount(((j + 1) * kWordFactor) ^ (round * 668265263u));
    return count;
}

}  // namespace

std::vector<RegisterKernel> registerKernels() {
    constexpr double kOfChains = 2.0 * kProbeChains * kProbeRounds, kOfSums = 2.0 * kProbeSums * kProbeRounds;
    constexpr double kSteps = 1.0 * kProbeChains * kProbeRounds;
    constexpr double kFixed = kProbeChains * 3.1461932206205825;  // x = log x + 2
    const double chains = expectedChains(), sums = expectedSums(), count = expectedCount();
    return {{kAddMin, "float32", launchChains<FloatMinima>, kOfChains, chains},
            {kAddMin, "float32", launchSums<FloatMinima>, kOfSums, sums},
            {kAddMin, "float64", launchChains<DoubleMinima>, kOfChains, chains},
            {kAddMin, "float64", launchSums<DoubleMinima>, kOfSums, sums},
            {kAddMin, "int32", launchChains<IntMinima>, kOfChains, chains},
            {kAddMin, "int32", launchSums<IntMinima>, kOfSums, sums},
            {kAddMin, "int32", launchChains<IntMinimaInOne>, kOfChains, chains},
            {kAddMin, "int32", launchSums<IntMinimaInOne>, kOfSums, sums},
            // Two numbers per word.
            {kAddMin, "int16", launchChains<ShortMinima>, 2 * kOfChains, 2 * chains},
            {kAddMin, "int16", launchSums<ShortMinima>, 2 * kOfSums, 2 * sums},
            {kMultiplyAdd, "float32", launchMultiplyAdds<float>, kSteps, kProbeChains, 1e-5},
            {kMultiplyAdd, "float64", launchMultiplyAdds<double>, kSteps, kProbeChains, 1e-5},
            {kPopulationCount, "", launchCounts<false>, 32 * kSteps, count},
            {kPopulationCount, "", launchCounts<true>, 32 * kSteps, count},
            {kLog, "float32", launchLogs<float>, kSteps, kFixed, 1e-3},
            {kLog, "float64", launchLogs<double>, kSteps, kFixed, 1e-10}};
}

void launchProbeNothing(StreamHandle stream, unsigned number, unsigned* stored) {
    storeNumber<<<1, 1, 0, stream>>>(number, stored);
    checkLaunch("a kernel with next to nothing in it");
}

}  // namespace glycine::cuda
