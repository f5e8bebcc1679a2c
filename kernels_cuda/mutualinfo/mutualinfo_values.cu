#include <cmath>

#include "kernels_cuda/device/cuda_check.hpp"
#include "kernels_cuda/device/numbers_on_device.cuh"
#include "kernels_cuda/mutualinfo/positions.cuh"

/// Kernels for values that are already in device memory: one block per gene, and for sums in order one thread
/// per gene.
namespace glycine::cuda {

namespace {

constexpr unsigned kValueThreads = 256;

template <class Number>
__global__ void extentKernel(NumbersOnDevice<Number> values, std::size_t genes, std::size_t samples,
                             ValueFacts facts) {
    __shared__ double least[kValueThreads], most[kValueThreads];
    for (std::size_t gene = blockIdx.x; gene < genes; gene += gridDim.x) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        bool isInfinite = false;
        for (std::size_t s = threadIdx.x; s < samples; s += kValueThreads) {
            const double value = values.at(gene, s);
            isInfinite |= !isfinite(value);
            low = fmin(low, value);
            high = fmax(high, value);
        }
        if (isInfinite) atomicOr(facts.isInfinite, 1u);
        least[threadIdx.x] = low;
        most[threadIdx.x] = high;
        for (unsigned half = kValueThreads / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x >= half) continue;
            least[threadIdx.x] = fmin(least[threadIdx.x], least[threadIdx.x + half]);
            most[threadIdx.x] = fmax(most[threadIdx.x], most[threadIdx.x + half]);
        }
        if (threadIdx.x == 0) {
            facts.least[gene] = least[0];
            facts.most[gene] = most[0];
        }
        __syncthreads();
    }
}

/// The operations of PositionFinder::find, in the same order.
__device__ double positionOf(double value, double least, double most, unsigned intervals) {
    if (least == most) return 0;
    const double scale = isfinite(most - least) ? 1 : 0.5;
    const double range = most * scale - least * scale;
    return (value * scale - least * scale) / range * double(intervals);
}

template <class Number>
__global__ void positionKernel(NumbersOnDevice<Number> values, ValueFacts facts, unsigned intervals,
                               Range genes, Range samples, double* positions) {
    const std::size_t width = samples.end - samples.begin;
    for (std::size_t g = blockIdx.x; g < genes.end - genes.begin; g += gridDim.x) {
        const std::size_t gene = genes.begin + g;
        for (std::size_t s = threadIdx.x; s < width; s += kValueThreads)
            positions[g * width + s] = positionOf(values.at(gene, samples.begin + s), facts.least[gene],
                                                  facts.most[gene], intervals);
    }
}

template <class Number>
__global__ void sumKernel(NumbersOnDevice<Number> values, std::size_t genes, std::size_t samples,
                          ValueFacts facts, mutualinfo::SplineShape splines, double* sums) {
    double weights[kMaxSummedOrder];
    const std::size_t gene = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (gene >= genes || facts.least[gene] == facts.most[gene]) return;
    double* const own = sums + gene * splines.bins;
    for (std::size_t s = 0; s < samples; ++s) {
        const double z =
            positionOf(values.at(gene, s), facts.least[gene], facts.most[gene], splines.intervals());
        const unsigned first = evaluateSplines(splines, z, weights);
        for (unsigned i = 0; i < splines.order; ++i) own[first + i] += weights[i];
    }
}

unsigned blocksFor(std::size_t genes) {
    constexpr std::size_t kMax = 8192;
    return unsigned(genes < kMax ? genes : kMax);
}

}  // namespace

void launchExtents(StreamHandle stream, const DeviceMatrix& values, const ValueFacts& facts) {
    visitReal(values, [&](auto numbers) {
        extentKernel<<<blocksFor(values.rows), kValueThreads, 0, stream>>>(numbers, values.rows,
                                                                           values.columns, facts);
        checkLaunch("extents of genes");
    });
}

void launchPositions(StreamHandle stream, const DeviceMatrix& values, const ValueFacts& facts,
                     unsigned intervals, Range genes, Range samples, double* positions) {
    visitReal(values, [&](auto numbers) {
        positionKernel<<<blocksFor(genes.end - genes.begin), kValueThreads, 0, stream>>>(
            numbers, facts, intervals, genes, samples, positions);
        checkLaunch("positions of values");
    });
}

void launchSumWeights(StreamHandle stream, const DeviceMatrix& values, const ValueFacts& facts,
                      const mutualinfo::SplineShape& splines, double* sums) {
    constexpr unsigned kGenesABlock = 32;
    visitReal(values, [&](auto numbers) {
        sumKernel<<<unsigned((values.rows + kGenesABlock - 1) / kGenesABlock), kGenesABlock, 0, stream>>>(
            numbers, values.rows, values.columns, facts, splines, sums);
        checkLaunch("sums of weights");
    });
}

}  // namespace glycine::cuda
