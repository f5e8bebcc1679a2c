#if defined(__x86_64__)

#include <immintrin.h>

#include "engine/bounds/cpu/min_plus_kernel.hpp"

namespace glycine::bounds::cpu {
namespace {

template <class T>
struct Avx2Vector;

// Floating-point numbers are compared as integers; see MinPlusKernel.
template <>
struct Avx2Vector<float> {
    using Scalar = float;
    using Register = __m256;
    static constexpr std::size_t kLanes = 8;
    static Register load(const float* from) { return _mm256_loadu_ps(from); }
    static void store(float* to, Register value) { _mm256_storeu_ps(to, value); }
    static Register broadcast(float value) { return _mm256_set1_ps(value); }
    static Register add(Register a, Register b) { return _mm256_add_ps(a, b); }
    static bool isEqual(Register a, Register b) {
        return _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b))) == -1;
    }
    static Register min(Register a, Register b) {
        return _mm256_castsi256_ps(_mm256_min_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b)));
    }
    static Register max(Register a, Register b) {
        return _mm256_castsi256_ps(_mm256_max_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b)));
    }
};

template <>
struct Avx2Vector<double> {
    using Scalar = double;
    using Register = __m256d;
    static constexpr std::size_t kLanes = 4;
    static Register load(const double* from) { return _mm256_loadu_pd(from); }
    static void store(double* to, Register value) { _mm256_storeu_pd(to, value); }
    static Register broadcast(double value) { return _mm256_set1_pd(value); }
    static Register add(Register a, Register b) { return _mm256_add_pd(a, b); }
    static bool isEqual(Register a, Register b) {
        return _mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_castpd_si256(a), _mm256_castpd_si256(b))) == -1;
    }
    static Register min(Register a, Register b) { return _mm256_min_pd(a, b); }
    static Register max(Register a, Register b) { return _mm256_max_pd(a, b); }
};

template <>
struct Avx2Vector<std::int32_t> {
    using Scalar = std::int32_t;
    using Register = __m256i;
    static constexpr std::size_t kLanes = 8;
    static Register load(const std::int32_t* from) {
        return _mm256_loadu_si256(reinterpret_cast<const Register*>(from));
    }
    static void store(std::int32_t* to, Register value) {
        _mm256_storeu_si256(reinterpret_cast<Register*>(to), value);
    }
    static Register broadcast(std::int32_t value) { return _mm256_set1_epi32(value); }
    static Register add(Register a, Register b) { return _mm256_add_epi32(a, b); }
    static bool isEqual(Register a, Register b) {
        return _mm256_movemask_epi8(_mm256_cmpeq_epi32(a, b)) == -1;
    }
    static Register min(Register a, Register b) { return _mm256_min_epi32(a, b); }
    static Register max(Register a, Register b) { return _mm256_max_epi32(a, b); }
};

}  // namespace

template <>
MinPlusKernel<float> minPlusKernelAvx2() {
    return RegisterBlock<Avx2Vector<float>, 4, 2>::kernel();
}
template <>
MinPlusKernel<double> minPlusKernelAvx2() {
    return RegisterBlock<Avx2Vector<double>, 4, 2>::kernel();
}
template <>
MinPlusKernel<std::int32_t> minPlusKernelAvx2() {
    return RegisterBlock<Avx2Vector<std::int32_t>, 4, 2>::kernel();
}

}  // namespace glycine::bounds::cpu

#endif
