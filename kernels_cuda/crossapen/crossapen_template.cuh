#pragma once

#include "kernels_cuda/crossapen/crossapen_kernels.hpp"

/// Functions for the matches of a template that all kernels of `crossapen` share.
namespace glycine::cuda {

inline constexpr unsigned kFullWarp = 0xffffffffU;
inline constexpr unsigned kWarp = 32;

__device__ inline unsigned warpSum(unsigned value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(kFullWarp, value);
#else
    for (unsigned step = kWarp / 2; step > 0; step /= 2) value += __shfl_xor_sync(kFullWarp, value, step);
    return value;
#endif
}

/// The sum over the warp of numbers from 0 to 2⁵⁴.
__device__ inline std::int64_t warpSumWide(std::int64_t value) {
    constexpr int kLowBits = 27;  // the sum of 32 such parts fits in 32 bits
    const unsigned low = warpSum(unsigned(value) & ((1U << kLowBits) - 1));
    const unsigned high = warpSum(unsigned(value >> kLowBits));
    return (std::int64_t(high) << kLowBits) + low;
}

template <class T>
__device__ inline bool isWithin(T x, T y, T bound) {
    return fabs(x - y) < bound;
}

/// Whether the template x of `length` samples matches y.
template <class T>
__device__ inline bool isMatch(const T* x, const T* y, unsigned length, T bound) {
    for (unsigned k = 0; k < length; ++k)
        if (!isWithin(x[k], y[k], bound)) return false;
    return true;
}

/// One thread's contribution to the totals of a pair.
class TemplateTotals {
  public:
    /// Adds a template with its match counts. isLast: it is the last short template, which is no long one.
    /// matchesLast: it matches the last partner.
    __device__ void add(const std::int64_t* logs, unsigned shortMatches, unsigned longMatches, bool isLast,
                        bool matchesLast) {
        logShort_ += __ldg(logs + shortMatches);
        logLong_ += __ldg(logs + longMatches);  // the last template has 0 long matches, and logs[0] is 0
        noShort_ += shortMatches == 0;
        noLong_ += longMatches == 0 && !isLast;
        noLongOnly_ += longMatches == 0 && !isLast && shortMatches != 0;
        short_ += shortMatches;
        within_ += isLast ? 0 : shortMatches - matchesLast;
        long_ += longMatches;
    }

    /// The totals of the warp's threads, returned in each of them. All threads of the warp must call it.
    /// Templates of one warp must have fewer than 2³² matches, and logarithms below 2⁵⁴ units per thread.
    __device__ crossapen::MatchStatistics ofWarp() const {
        crossapen::MatchStatistics totals;
        totals.logShort = warpSumWide(logShort_);
        totals.logLong = warpSumWide(logLong_);
        totals.matchesShort = warpSum(short_);
        totals.matchesWithin = warpSum(within_);
        totals.matchesLong = warpSum(long_);
        totals.noShort = warpSum(noShort_);
        totals.noLong = warpSum(noLong_);
        totals.noLongOnly = warpSum(noLongOnly_);
        return totals;
    }

    /// Adds the totals of the warp's threads to `target`.
    __device__ void addTo(crossapen::MatchStatistics& target) const {
        const crossapen::MatchStatistics totals = ofWarp();
        if (threadIdx.x % kWarp != 0) return;
        const auto add64 = [](auto& sum, auto value) {
            if (value != 0)
                atomicAdd(reinterpret_cast<unsigned long long*>(&sum),
                          static_cast<unsigned long long>(value));
        };
        const auto add32 = [](std::uint32_t& sum, std::uint32_t value) {
            if (value != 0) atomicAdd(&sum, value);
        };
        add64(target.logShort, totals.logShort);
        add64(target.logLong, totals.logLong);
        add64(target.matchesShort, totals.matchesShort);
        add64(target.matchesWithin, totals.matchesWithin);
        add64(target.matchesLong, totals.matchesLong);
        add32(target.noShort, totals.noShort);
        add32(target.noLong, totals.noLong);
        add32(target.noLongOnly, totals.noLongOnly);
    }

  private:
    std::int64_t logShort_ = 0;
    std::int64_t logLong_ = 0;
    unsigned short_ = 0;
    unsigned within_ = 0;
    unsigned long_ = 0;
    unsigned noShort_ = 0;
    unsigned noLong_ = 0;
    unsigned noLongOnly_ = 0;
};

}  // namespace glycine::cuda
