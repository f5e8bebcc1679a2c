#if defined(__x86_64__)

#include <immintrin.h>

#include "engine/crossapen/cpu/match_kernel_set.hpp"

namespace glycine::crossapen::cpu {
namespace {

/// One bit for each of 32 lanes of eight in four registers, all ones or all zeros.
std::uint64_t packMasks(__m256 a, __m256 b, __m256 c, __m256 d) {
    const __m256i lower = _mm256_packs_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
    const __m256i upper = _mm256_packs_epi32(_mm256_castps_si256(c), _mm256_castps_si256(d));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_packs_epi16(lower, upper)));
}

struct FloatLanes {
    using Scalar = float;
    using Register = __m256;
    using Count = __m256i;
    static constexpr std::size_t kLanes = 8;
    static Register load(const float* from) { return _mm256_loadu_ps(from); }
    static Register broadcast(float value) { return _mm256_set1_ps(value); }
    static Count counts(std::uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
    static Count addGreater(Count count, Register x, Register y, Register bound) {
        const Register mask = _mm256_cmp_ps(_mm256_sub_ps(x, y), bound, _CMP_GT_OQ);
        return _mm256_sub_epi32(count, _mm256_castps_si256(mask));
    }
    static Count addGreaterOrEqual(Count count, Register x, Register y, Register bound) {
        const Register mask = _mm256_cmp_ps(_mm256_sub_ps(x, y), bound, _CMP_GE_OQ);
        return _mm256_sub_epi32(count, _mm256_castps_si256(mask));
    }
    static void storeIntervals(Interval* to, Count begins, Count ends) {
        const Count last = _mm256_max_epu32(begins, ends);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                            _mm256_or_si256(begins, _mm256_slli_epi32(last, 16)));
    }
    static std::uint64_t compareWord(const float* partners, Register x, Register r) {
        const auto half = [&](const float* from) {
            return packMasks(within(from, x, r), within(from + 8, x, r), within(from + 16, x, r),
                             within(from + 24, x, r));
        };
        return half(partners) | half(partners + 32) << 32;
    }

  private:
    static Register within(const float* partners, Register x, Register r) {
        const Register difference = _mm256_sub_ps(x, load(partners));
        return _mm256_cmp_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), difference), r, _CMP_LE_OQ);
    }
};

struct DoubleLanes {
    using Scalar = double;
    using Register = __m256d;
    using Count = __m256i;
    static constexpr std::size_t kLanes = 4;
    static Register load(const double* from) { return _mm256_loadu_pd(from); }
    static Register broadcast(double value) { return _mm256_set1_pd(value); }
    static Count counts(std::uint32_t value) { return _mm256_set1_epi64x(value); }
    static Count addGreater(Count count, Register x, Register y, Register bound) {
        const Register mask = _mm256_cmp_pd(_mm256_sub_pd(x, y), bound, _CMP_GT_OQ);
        return _mm256_sub_epi64(count, _mm256_castpd_si256(mask));
    }
    static Count addGreaterOrEqual(Count count, Register x, Register y, Register bound) {
        const Register mask = _mm256_cmp_pd(_mm256_sub_pd(x, y), bound, _CMP_GE_OQ);
        return _mm256_sub_epi64(count, _mm256_castpd_si256(mask));
    }
    static void storeIntervals(Interval* to, Count begins, Count ends) {
        const Count last = _mm256_max_epu32(begins, ends);
        const Count packed = _mm256_or_si256(begins, _mm256_slli_epi64(last, 16));
        const __m256i even = _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(even));
    }
    static std::uint64_t compareWord(const double* partners, Register x, Register r) {
        const auto eight = [&](const double* from) {
            const __m256 lower = _mm256_castpd_ps(within(from, x, r));
            const __m256 upper = _mm256_castpd_ps(within(from + 4, x, r));
            return _mm256_shuffle_ps(lower, upper, 0x88);
        };
        const auto half = [&](const double* from) {
            return packMasks(eight(from), eight(from + 8), eight(from + 16), eight(from + 24));
        };
        return half(partners) | half(partners + 32) << 32;
    }

  private:
    static Register within(const double* partners, Register x, Register r) {
        const Register difference = _mm256_sub_pd(x, load(partners));
        return _mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), difference), r, _CMP_LE_OQ);
    }
};

struct Words256 {
    using Register = __m256i;
    using Sums = __m256i;
    static constexpr std::size_t kWords = 4;
    static Register load(const std::uint64_t* from) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    static void store(std::uint64_t* to, Register value) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
    }
    static Register zero() { return _mm256_setzero_si256(); }
    static Register bitAnd(Register a, Register b) { return _mm256_and_si256(a, b); }
    static Register bitXor(Register a, Register b) { return _mm256_xor_si256(a, b); }
    static Register xor3(Register a, Register b, Register c) { return bitXor(bitXor(a, b), c); }
    static Register majority(Register a, Register b, Register c) {
        return _mm256_or_si256(bitAnd(a, b), bitAnd(bitXor(a, b), c));
    }
    // The short count in the lower half of every lane, the long one in the upper.
    static Sums noSums() { return _mm256_setzero_si256(); }
    static Sums addCounts(Sums sums, Register shortMatches, Register longMatches) {
        return _mm256_add_epi64(
            sums, _mm256_add_epi64(countBits(shortMatches), _mm256_slli_epi64(countBits(longMatches), 32)));
    }
    static std::uint32_t shortSum(Sums sums) { return static_cast<std::uint32_t>(total(sums)); }
    static std::uint32_t longSum(Sums sums) { return static_cast<std::uint32_t>(total(sums) >> 32); }

  private:
    /// Looks up the number of bits of every half byte; W. Muła, N. Kurz, D. Lemire, "Faster population counts
    /// using AVX2 instructions", The Computer Journal 61 (2018), 111–120.
    static __m256i countBits(Register value) {
        const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                               0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i halfByte = _mm256_set1_epi8(15);
        const __m256i lower = _mm256_shuffle_epi8(table, bitAnd(value, halfByte));
        const __m256i upper = _mm256_shuffle_epi8(table, bitAnd(_mm256_srli_epi16(value, 4), halfByte));
        return _mm256_sad_epu8(_mm256_add_epi8(lower, upper), _mm256_setzero_si256());
    }
    static std::uint64_t total(Sums sums) {
        const __m128i pair = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
        return static_cast<std::uint64_t>(_mm_cvtsi128_si64(pair)) +
               static_cast<std::uint64_t>(_mm_extract_epi64(pair, 1));
    }
};

/// Thirty-two lanes of ones, then as many of zeros: the window that begins `n` before the middle has n of
/// ones.
struct LaneMasks {
    alignas(64) std::uint16_t lanes[64] = {};
    constexpr LaneMasks() {
        for (int lane = 0; lane < 32; ++lane) lanes[lane] = 0xffff;
    }
};
constexpr LaneMasks kLaneMasks;

struct Cell256 {
    static int countInside(const std::uint16_t* ranks, std::uint32_t limit, std::uint16_t base,
                           std::uint16_t width) {
        const std::uint16_t* masks = kLaneMasks.lanes + 32 - limit;
        const __m256i inside =
            _mm256_packs_epi16(half(ranks, masks, base, width), half(ranks + 16, masks + 16, base, width));
        return __builtin_popcount(static_cast<unsigned>(_mm256_movemask_epi8(inside)));
    }

  private:
    static __m256i half(const std::uint16_t* ranks, const std::uint16_t* masks, std::uint16_t base,
                        std::uint16_t width) {
        const __m256i offset = _mm256_sub_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(ranks)),
                                                _mm256_set1_epi16(static_cast<short>(base)));
        const __m256i outside = _mm256_cmpeq_epi16(
            _mm256_max_epu16(offset, _mm256_set1_epi16(static_cast<short>(width))), offset);
        return _mm256_andnot_si256(outside, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(masks)));
    }
};

}  // namespace

template <>
MatchKernels<float> matchKernelsAvx2() {
    return makeMatchKernels<FloatLanes, Words256, Cell256>();
}
template <>
MatchKernels<double> matchKernelsAvx2() {
    return makeMatchKernels<DoubleLanes, Words256, Cell256>();
}

}  // namespace glycine::crossapen::cpu

#endif
