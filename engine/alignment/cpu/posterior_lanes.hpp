#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
// GCC 12 warns about registers that its own header leaves undefined on purpose.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop
#endif

#include "engine/core/matrix.hpp"

/// Registers of probabilities for the posterior kernels. The namespace is anonymous because code compiled for
/// AVX-512 must not be shared with other translation units.
namespace glycine::align::cpu {
namespace {

template <class Number>
struct NumberFormat;
template <>
struct NumberFormat<float> {
    using Integer = std::int32_t;
    static constexpr int kMantissaBits = 23, kBias = 127;
    /// Rows are scaled so that their largest sums are near 2^kTarget.
    static constexpr int kTarget = 60;
};
template <>
struct NumberFormat<double> {
    using Integer = std::int64_t;
    static constexpr int kMantissaBits = 52, kBias = 1023;
    static constexpr int kTarget = 500;
};

template <class Number, std::size_t kBytes>
struct PosteriorLanes {
    using Integer = typename NumberFormat<Number>::Integer;
    typedef Number Values __attribute__((vector_size(kBytes)));
    typedef Integer Integers __attribute__((vector_size(kBytes)));
    static constexpr std::size_t kLanes = kBytes / sizeof(Number);

    static Integers codesAt(const std::uint8_t* codes) {
#if defined(__AVX512F__)
        if constexpr (kLanes == 16)
            return (Integers)_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)));
        else if constexpr (kBytes == 64)
            return (Integers)_mm512_cvtepu8_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes)));
#endif
#if defined(__AVX2__)
        if constexpr (kLanes == 8 && kBytes == 32)
            return (Integers)_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes)));
#endif
        Integers wide;
        for (std::size_t lane = 0; lane < kLanes; ++lane) wide[lane] = codes[lane];
        return wide;
    }

    /// row[places[lane]] in each lane.
    static Values lookUp(const Number* row, Integers places) {
#if defined(__AVX512F__)
        if constexpr (kLanes == 16)
            return (Values)_mm512_permutex2var_ps(_mm512_load_ps(row), (__m512i)places,
                                                  _mm512_load_ps(row + 16));
        else if constexpr (kBytes == 64)
            return (Values)_mm512_i64gather_pd((__m512i)places, row, 8);
#endif
#if defined(__AVX2__)
        if constexpr (kLanes == 8 && kBytes == 32)
            return (Values)_mm256_i32gather_ps(row, (__m256i)places, 4);
        else if constexpr (kBytes == 32)
            return (Values)_mm256_i64gather_pd(row, (__m256i)places, 8);
#endif
        Values found;
        for (std::size_t lane = 0; lane < kLanes; ++lane) found[lane] = row[places[lane]];
        return found;
    }

    /// Bit k is set if lane k is at least the limit.
    static unsigned lanesFrom(Values values, Number limit) {
#if defined(__AVX512F__)
        if constexpr (kLanes == 16)
            return _mm512_cmp_ps_mask((__m512)values, _mm512_set1_ps(limit), _CMP_GE_OQ);
        else if constexpr (kBytes == 64)
            return _mm512_cmp_pd_mask((__m512d)values, _mm512_set1_pd(limit), _CMP_GE_OQ);
#endif
#if defined(__AVX2__)
        if constexpr (kLanes == 8 && kBytes == 32)
            return static_cast<unsigned>(
                _mm256_movemask_ps(_mm256_cmp_ps((__m256)values, _mm256_set1_ps(limit), _CMP_GE_OQ)));
        else if constexpr (kBytes == 32)
            return static_cast<unsigned>(
                _mm256_movemask_pd(_mm256_cmp_pd((__m256d)values, _mm256_set1_pd(limit), _CMP_GE_OQ)));
#endif
#if defined(__x86_64__)
        if constexpr (kLanes == 4 && kBytes == 16)
            return static_cast<unsigned>(_mm_movemask_ps(_mm_cmpge_ps((__m128)values, _mm_set1_ps(limit))));
#endif
        unsigned bits = 0;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            if (values[lane] >= limit) bits |= 1U << lane;
        return bits;
    }

    /// 2^exponent in each lane; exponents outside the format's range are clamped.
    static Values powers(Integers exponents) {
        using Format = NumberFormat<Number>;
        const Integers low = Integers{} + (1 - Format::kBias), high = Integers{} + Format::kBias;
        exponents = exponents < low ? low : exponents;
        exponents = exponents > high ? high : exponents;
        const Integers bits = (exponents + Format::kBias) << Format::kMantissaBits;
        return (Values)bits;
    }

    /// For values above 0: the k for which 2^k ≤ value < 2^(k+1).
    static Integers exponentsOf(Values values) {
        using Format = NumberFormat<Number>;
        return ((Integers)values >> Format::kMantissaBits) - Format::kBias;
    }
};

/// While it lives, subnormal numbers are flushed to 0. Some processors compute with them a hundred times
/// slower, and none of them comes near the cutoff.
class FlushToZero {
  public:
#if defined(__x86_64__)
    FlushToZero() : before_(_mm_getcsr()) {
        _mm_setcsr(before_ | 0x8040U);
    }
    ~FlushToZero() {
        _mm_setcsr(before_);
    }
#else
    FlushToZero() = default;
#endif
    FlushToZero(const FlushToZero&) = delete;
    FlushToZero& operator=(const FlushToZero&) = delete;

  private:
    [[maybe_unused]] unsigned before_ = 0;
};

template <class Element>
Element* atLeast(Matrix<Element>& memory, std::size_t elements) {
    if (memory.size() < elements) memory = Matrix<Element>(1, elements);
    return memory.data();
}

}  // namespace
}  // namespace glycine::align::cpu
