#if defined(__x86_64__)

// GCC 12's header starts its intrinsics from a register that it leaves undefined on purpose (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>

#include "engine/bounds/cpu/min_plus_kernel.hpp"

namespace glycine::bounds::cpu {
namespace {

template <class T>
struct Avx512Vector;

// Floating-point numbers are compared as integers; see MinPlusKernel.
template <>
struct Avx512Vector<float> {
    using Scalar = float;
    using Register = __m512;
    static constexpr std::size_t kLanes = 16;
    static Register load(const float* from) { return _mm512_loadu_ps(from); }
    static void store(float* to, Register value) { _mm512_storeu_ps(to, value); }
    static Register broadcast(float value) { return _mm512_set1_ps(value); }
    static Register add(Register a, Register b) { return _mm512_add_ps(a, b); }
    static bool isEqual(Register a, Register b) {
        return _mm512_cmpneq_epi32_mask(_mm512_castps_si512(a), _mm512_castps_si512(b)) == 0;
    }
    static Register min(Register a, Register b) {
        return _mm512_castsi512_ps(_mm512_min_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b)));
    }
    static Register max(Register a, Register b) {
        return _mm512_castsi512_ps(_mm512_max_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b)));
    }
};

template <>
struct Avx512Vector<double> {
    using Scalar = double;
    using Register = __m512d;
    static constexpr std::size_t kLanes = 8;
    static Register load(const double* from) { return _mm512_loadu_pd(from); }
    static void store(double* to, Register value) { _mm512_storeu_pd(to, value); }
    static Register broadcast(double value) { return _mm512_set1_pd(value); }
    static Register add(Register a, Register b) { return _mm512_add_pd(a, b); }
    static bool isEqual(Register a, Register b) {
        return _mm512_cmpneq_epi32_mask(_mm512_castpd_si512(a), _mm512_castpd_si512(b)) == 0;
    }
    static Register min(Register a, Register b) {
        return _mm512_castsi512_pd(_mm512_min_epi64(_mm512_castpd_si512(a), _mm512_castpd_si512(b)));
    }
    static Register max(Register a, Register b) {
        return _mm512_castsi512_pd(_mm512_max_epi64(_mm512_castpd_si512(a), _mm512_castpd_si512(b)));
    }
};

template <>
struct Avx512Vector<std::int32_t> {
    using Scalar = std::int32_t;
    using Register = __m512i;
    static constexpr std::size_t kLanes = 16;
    static Register load(const std::int32_t* from) {
        return _mm512_loadu_si512(reinterpret_cast<const Register*>(from));
    }
    static void store(std::int32_t* to, Register value) {
        _mm512_storeu_si512(reinterpret_cast<Register*>(to), value);
    }
    static Register broadcast(std::int32_t value) { return _mm512_set1_epi32(value); }
    static Register add(Register a, Register b) { return _mm512_add_epi32(a, b); }
    static bool isEqual(Register a, Register b) { return _mm512_cmpneq_epi32_mask(a, b) == 0; }
    static Register min(Register a, Register b) { return _mm512_min_epi32(a, b); }
    static Register max(Register a, Register b) { return _mm512_max_epi32(a, b); }
};

}  // namespace

template <>
MinPlusKernel<float> minPlusKernelAvx512() {
    return RegisterBlock<Avx512Vector<float>, 8, 2>::kernel();
}
template <>
MinPlusKernel<double> minPlusKernelAvx512() {
    return RegisterBlock<Avx512Vector<double>, 8, 2>::kernel();
}
template <>
MinPlusKernel<std::int32_t> minPlusKernelAvx512() {
    return RegisterBlock<Avx512Vector<std::int32_t>, 8, 2>::kernel();
}

}  // namespace glycine::bounds::cpu

#endif
