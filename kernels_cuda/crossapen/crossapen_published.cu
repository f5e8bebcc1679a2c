#include "kernels_cuda/crossapen/crossapen_kernels.hpp"
#include "kernels_cuda/crossapen/crossapen_template.cuh"
#include "kernels_cuda/device/cuda_check.hpp"

/// The three kernels of M. Martínez-Zarzuela et al., Computer Methods and Programs in Biomedicine 112 (2013),
/// section 3.4. A thread compares one template with every partner. Blocks belong to independent pairs, so
/// trials, channels and subjects form one grid. The kernels differ in how samples reach the threads. They are
/// deliberately not optimised further, because their purpose is this comparison.
namespace glycine::cuda {

namespace {

/// The pair and the template of a thread.
template <class T>
struct TemplateOfThread {
    std::size_t pairIndex;
    ChannelPair pair;
    unsigned firstOfBlock;
    unsigned i;
    T bound;

    __device__ TemplateOfThread(const MatchProblem<T>& problem, std::size_t firstUnit) {
        const unsigned blocks = (problem.longTemplates() + 1 + kPublishedThreads - 1) / kPublishedThreads;
        const std::size_t unit = firstUnit + blockIdx.x;
        pairIndex = unit / blocks;
        pair = problem.pair(pairIndex);
        firstOfBlock = unsigned(unit % blocks) * kPublishedThreads;
        i = firstOfBlock + threadIdx.x;
        bound = problem.bound(pairIndex, pair.epoch);
    }
};

/// The merged step for one pair of templates: counts matches of length m and, among them, of m + 1. x(k) and
/// y(k) return the samples. length: m, or 0 for any m.
template <unsigned length, class T, class X, class Y>
__device__ inline void compareTemplates(unsigned m, T bound, const X& x, const Y& y, unsigned& shortMatches,
                                        unsigned& longMatches) {
    const unsigned samples = length == 0 ? m : length;
    for (unsigned k = 0; k < samples; ++k)
        if (!isWithin(x(k), y(k), bound)) return;
    ++shortMatches;
    if (isWithin(x(samples), y(samples), bound)) ++longMatches;
}

/// Adds the thread's template to the totals. All threads of the block must call it.
template <class T>
__device__ void addTemplate(const MatchProblem<T>& problem, const TemplateOfThread<T>& own,
                            unsigned shortMatches, unsigned longMatches) {
    const unsigned last = problem.longTemplates();
    TemplateTotals totals;
    if (own.i <= last) {
        const bool matchesLast = isMatch(problem.signal(own.pair.x) + own.i,
                                         problem.signal(own.pair.y) + last, problem.shape.m, own.bound);
        totals.add(problem.logs, shortMatches, longMatches, own.i == last, matchesLast);
    }
    totals.addTo(problem.totals[own.pairIndex]);
}

/// Registers: the naive kernel. A thread's template stays in its registers; partners are read from global
/// memory.
template <class T, unsigned length>
__global__ void __launch_bounds__(kPublishedThreads)
    registersKernel(MatchProblem<T> problem, std::size_t firstUnit) {
    const TemplateOfThread<T> own(problem, firstUnit);
    const unsigned last = problem.longTemplates();
    const T* u = problem.signal(own.pair.x) + own.i;
    const T* v = problem.signal(own.pair.y);
    unsigned shortMatches = 0;
    unsigned longMatches = 0;
    if (own.i <= last) {
        T held[length + 1];
        for (unsigned k = 0; k <= length; ++k) held[k] = u[k];
        for (unsigned j = 0; j <= last; ++j)
            compareTemplates<length>(
                problem.shape.m, own.bound, [&](unsigned k) { return length == 0 ? u[k] : held[k]; },
                [&](unsigned k) { return v[j + k]; }, shortMatches, longMatches);
    }
    addTemplate(problem, own, shortMatches, longMatches);
}

extern __shared__ __align__(16) unsigned char sharedSegments[];

/// Halo: segments of both signals in shared memory, each with the first m samples of the next segment.
template <class T, unsigned length>
__global__ void __launch_bounds__(kPublishedThreads)
    haloKernel(MatchProblem<T> problem, std::size_t firstUnit) {
    const TemplateOfThread<T> own(problem, firstUnit);
    const unsigned last = problem.longTemplates();
    const unsigned m = problem.shape.m;
    T* uSegment = reinterpret_cast<T*>(sharedSegments);
    T* vSegment = uSegment + kPublishedThreads + m;
    // All threads read the segment, and the first few also read the samples after it.
    const auto load = [&](T* segment, const T* signal, unsigned first) {
        for (unsigned t = threadIdx.x; t < kPublishedThreads + m; t += kPublishedThreads)
            segment[t] = first + t <= problem.samples() ? signal[first + t] : T(NAN);
    };
    load(uSegment, problem.signal(own.pair.x), own.firstOfBlock);
    unsigned shortMatches = 0;
    unsigned longMatches = 0;
    for (unsigned first = 0; first <= last; first += kPublishedThreads) {
        __syncthreads();
        load(vSegment, problem.signal(own.pair.y), first);
        __syncthreads();
        const unsigned partners = min(kPublishedThreads, last + 1 - first);
        for (unsigned j = 0; j < partners; ++j)
            compareTemplates<length>(
                m, own.bound, [&](unsigned k) { return uSegment[threadIdx.x + k]; },
                [&](unsigned k) { return vSegment[j + k]; }, shortMatches, longMatches);
    }
    addTemplate(problem, own, shortMatches, longMatches);
}

/// Shifted: global memory holds m + 1 copies of the signals, shifted by 0 … m samples, so that all threads of
/// a block read whole segments without a halo.
template <class T, unsigned length>
__global__ void __launch_bounds__(kPublishedThreads)
    shiftedKernel(MatchProblem<T> problem, std::size_t firstUnit, const T* shifted, std::size_t copyStride) {
    const TemplateOfThread<T> own(problem, firstUnit);
    const unsigned last = problem.longTemplates();
    const unsigned m = problem.shape.m;
    T* uSegments = reinterpret_cast<T*>(sharedSegments);
    T* vSegments = uSegments + (m + 1) * kPublishedThreads;
    const auto load = [&](T* segments, std::size_t signal, unsigned first) {
        const T* source = shifted + (problem.signal(signal) - problem.signals) + first + threadIdx.x;
        const bool isPresent = first + threadIdx.x <= last;
        for (unsigned k = 0; k <= m; ++k)
            segments[k * kPublishedThreads + threadIdx.x] = isPresent ? source[k * copyStride] : T(NAN);
    };
    load(uSegments, own.pair.x, own.firstOfBlock);
    unsigned shortMatches = 0;
    unsigned longMatches = 0;
    for (unsigned first = 0; first <= last; first += kPublishedThreads) {
        __syncthreads();
        load(vSegments, own.pair.y, first);
        __syncthreads();
        const unsigned partners = min(kPublishedThreads, last + 1 - first);
        for (unsigned j = 0; j < partners; ++j)
            compareTemplates<length>(
                m, own.bound, [&](unsigned k) { return uSegments[k * kPublishedThreads + threadIdx.x]; },
                [&](unsigned k) { return vSegments[k * kPublishedThreads + j]; }, shortMatches, longMatches);
    }
    addTemplate(problem, own, shortMatches, longMatches);
}

template <class T, unsigned length>
void launchLength(const Launch& launch, crossapen::Variant variant, const MatchProblem<T>& problem,
                  std::size_t firstUnit, std::size_t units, const T* shifted, std::size_t copyStride) {
    const std::size_t bytes = publishedSharedBytes(variant, problem.shape.m, sizeof(T));
    // L1 and shared memory share one memory: registers prefers L1, the others shared memory (4.1).
    const auto start = [&](auto kernel, cudaFuncCache preferred, auto... copies) {
        GLYCINE_CUDA(cudaFuncSetCacheConfig(kernel, preferred));
        kernel<<<unsigned(units), kPublishedThreads, bytes, launch.stream>>>(problem, firstUnit, copies...);
    };
    switch (variant) {
        case crossapen::Variant::Halo:
            start(haloKernel<T, length>, cudaFuncCachePreferShared);
            break;
        case crossapen::Variant::Shifted:
            start(shiftedKernel<T, length>, cudaFuncCachePreferShared, shifted, copyStride);
            break;
        default:
            start(registersKernel<T, length>, cudaFuncCachePreferL1);
    }
    checkLaunch("published matching");
}

}  // namespace

const void* publishedKernel(crossapen::Variant variant) {
    return variant == crossapen::Variant::Registers ? reinterpret_cast<const void*>(registersKernel<float, 1>)
           : variant == crossapen::Variant::Halo    ? reinterpret_cast<const void*>(haloKernel<float, 1>)
                                                    : reinterpret_cast<const void*>(shiftedKernel<float, 1>);
}

template <class T>
void launchPublishedMatching(const Launch& launch, crossapen::Variant variant, const MatchProblem<T>& problem,
                             std::size_t firstUnit, std::size_t units, const T* shifted,
                             std::size_t copyStride) {
    const auto start = [&](auto function) {
        function(launch, variant, problem, firstUnit, units, shifted, copyStride);
    };
    switch (problem.shape.m) {
        case 1:
            return start(launchLength<T, 1>);
        case 2:
            return start(launchLength<T, 2>);
        case 3:
            return start(launchLength<T, 3>);
        default:
            return start(launchLength<T, 0>);
    }
}

template void launchPublishedMatching(const Launch&, crossapen::Variant, const MatchProblem<float>&,
                                      std::size_t, std::size_t, const float*, std::size_t);
template void launchPublishedMatching(const Launch&, crossapen::Variant, const MatchProblem<double>&,
                                      std::size_t, std::size_t, const double*, std::size_t);

template <class T>
void sendShifted(const Launch& launch, const T* signals, std::size_t elements, unsigned m, T* shifted) {
    for (unsigned k = 0; k <= m; ++k)
        GLYCINE_CUDA(cudaMemcpyAsync(shifted + k * elements, signals + k, (elements - k) * sizeof(T),
                                     cudaMemcpyHostToDevice, launch.stream));
}

template void sendShifted(const Launch&, const float*, std::size_t, unsigned, float*);
template void sendShifted(const Launch&, const double*, std::size_t, unsigned, double*);

}  // namespace glycine::cuda
