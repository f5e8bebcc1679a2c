#if defined(__x86_64__)

// GCC 12's header starts its intrinsics from a register that it leaves undefined on purpose (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include "engine/crossapen/cpu/match_kernel_set.hpp"

namespace glycine::crossapen::cpu {
namespace {

struct FloatLanes {
    using Scalar = float;
    using Register = __m512;
    using Count = __m512i;
    static constexpr std::size_t kLanes = 16;
    static Register load(const float* from) { return _mm512_loadu_ps(from); }
    static Register broadcast(float value) { return _mm512_set1_ps(value); }
    static Count counts(std::uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }
    static Count addGreater(Count count, Register x, Register y, Register bound) {
        const __mmask16 mask = _mm512_cmp_ps_mask(_mm512_sub_ps(x, y), bound, _CMP_GT_OQ);
        return _mm512_mask_add_epi32(count, mask, count, _mm512_set1_epi32(1));
    }
    static Count addGreaterOrEqual(Count count, Register x, Register y, Register bound) {
        const __mmask16 mask = _mm512_cmp_ps_mask(_mm512_sub_ps(x, y), bound, _CMP_GE_OQ);
        return _mm512_mask_add_epi32(count, mask, count, _mm512_set1_epi32(1));
    }
    static void storeIntervals(Interval* to, Count begins, Count ends) {
        const Count last = _mm512_max_epu32(begins, ends);
        _mm512_storeu_si512(to, _mm512_or_si512(begins, _mm512_slli_epi32(last, 16)));
    }
    static std::uint64_t compareWord(const float* partners, Register x, Register r) {
        const auto half = [&](const float* from) {
            return _mm512_kunpackw(within(from + 16, x, r), within(from, x, r));
        };
        return _cvtmask64_u64(_mm512_kunpackd(half(partners + 32), half(partners)));
    }

  private:
    static __mmask16 within(const float* partners, Register x, Register r) {
        return _mm512_cmp_ps_mask(_mm512_abs_ps(_mm512_sub_ps(x, load(partners))), r, _CMP_LE_OQ);
    }
};

struct DoubleLanes {
    using Scalar = double;
    using Register = __m512d;
    using Count = __m512i;
    static constexpr std::size_t kLanes = 8;
    static Register load(const double* from) { return _mm512_loadu_pd(from); }
    static Register broadcast(double value) { return _mm512_set1_pd(value); }
    static Count counts(std::uint32_t value) { return _mm512_set1_epi64(value); }
    static Count addGreater(Count count, Register x, Register y, Register bound) {
        const __mmask8 mask = _mm512_cmp_pd_mask(_mm512_sub_pd(x, y), bound, _CMP_GT_OQ);
        return _mm512_mask_add_epi64(count, mask, count, _mm512_set1_epi64(1));
    }
    static Count addGreaterOrEqual(Count count, Register x, Register y, Register bound) {
        const __mmask8 mask = _mm512_cmp_pd_mask(_mm512_sub_pd(x, y), bound, _CMP_GE_OQ);
        return _mm512_mask_add_epi64(count, mask, count, _mm512_set1_epi64(1));
    }
    static void storeIntervals(Interval* to, Count begins, Count ends) {
        const Count last = _mm512_max_epu64(begins, ends);
        const Count packed = _mm512_or_si512(begins, _mm512_slli_epi64(last, 16));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi64_epi32(packed));
    }
    static std::uint64_t compareWord(const double* partners, Register x, Register r) {
        const auto quarter = [&](const double* from) {
            return _mm512_kunpackb(within(from + 8, x, r), within(from, x, r));
        };
        const auto half = [&](const double* from) {
            return _mm512_kunpackw(quarter(from + 16), quarter(from));
        };
        return _cvtmask64_u64(_mm512_kunpackd(half(partners + 32), half(partners)));
    }

  private:
    static __mmask8 within(const double* partners, Register x, Register r) {
        return _mm512_cmp_pd_mask(_mm512_abs_pd(_mm512_sub_pd(x, load(partners))), r, _CMP_LE_OQ);
    }
};

struct Words512 {
    using Register = __m512i;
    using Sums = __m512i;
    static constexpr std::size_t kWords = 8;
    static Register load(const std::uint64_t* from) { return _mm512_loadu_si512(from); }
    static void store(std::uint64_t* to, Register value) { _mm512_storeu_si512(to, value); }
    static Register zero() { return _mm512_setzero_si512(); }
    static Register bitAnd(Register a, Register b) { return _mm512_and_si512(a, b); }
    static Register bitXor(Register a, Register b) { return _mm512_xor_si512(a, b); }
    static Register xor3(Register a, Register b, Register c) {
        return _mm512_ternarylogic_epi64(a, b, c, 0x96);
    }
    static Register majority(Register a, Register b, Register c) {
        return _mm512_ternarylogic_epi64(a, b, c, 0xe8);
    }
    // The short count in the lower half of every lane, the long one in the upper.
    static Sums noSums() { return _mm512_setzero_si512(); }
    static Sums addCounts(Sums sums, Register shortMatches, Register longMatches) {
        return _mm512_add_epi64(sums,
                                _mm512_add_epi64(_mm512_popcnt_epi64(shortMatches),
                                                 _mm512_slli_epi64(_mm512_popcnt_epi64(longMatches), 32)));
    }
    static std::uint32_t shortSum(Sums sums) { return static_cast<std::uint32_t>(total(sums)); }
    static std::uint32_t longSum(Sums sums) { return static_cast<std::uint32_t>(total(sums) >> 32); }

  private:
    static std::uint64_t total(Sums sums) {
        return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(sums));
    }
};

struct Cell512 {
    static int countInside(const std::uint16_t* ranks, std::uint32_t limit, std::uint16_t base,
                           std::uint16_t width) {
        const __m512i offset =
            _mm512_sub_epi16(_mm512_load_si512(ranks), _mm512_set1_epi16(static_cast<short>(base)));
        const std::uint32_t inside =
            _mm512_cmplt_epu16_mask(offset, _mm512_set1_epi16(static_cast<short>(width)));
        return __builtin_popcount(inside & ((std::uint32_t{1} << limit) - 1));
    }
};

}  // namespace

template <>
MatchKernels<float> matchKernelsAvx512() {
    return makeMatchKernels<FloatLanes, Words512, Cell512>();
}
template <>
MatchKernels<double> matchKernelsAvx512() {
    return makeMatchKernels<DoubleLanes, Words512, Cell512>();
}

}  // namespace glycine::crossapen::cpu

#endif
