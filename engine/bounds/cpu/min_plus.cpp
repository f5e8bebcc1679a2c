#if defined(GLYCINE_FOR_AVX2) || defined(GLYCINE_FOR_AVX512)
// GCC 12's header uses an undefined register in its intrinsics on purpose (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

#include "engine/bounds/cpu/min_plus.hpp"

namespace glycine::bounds::cpu {

namespace {

// Vector<T> gives Register, kLanes, load, store, broadcast, add and isEqual (of all bits); min for operands ≥
// 0; max(a, b) for b ≥ 0 and any a. Where floating-point numbers are compared as integers: see MinPlusKernel.
#if defined(GLYCINE_FOR_AVX512)

template <class T>
struct Vector;

template <>
struct Vector<float> {
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
struct Vector<double> {
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
struct Vector<std::int32_t> {
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

#elif defined(GLYCINE_FOR_AVX2)

template <class T>
struct Vector;

template <>
struct Vector<float> {
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
struct Vector<double> {
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
struct Vector<std::int32_t> {
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

#else

template <class T>
struct Vector {
    using Register [[gnu::vector_size(kRegisterBytes)]] = T;
    using Unaligned [[gnu::vector_size(kRegisterBytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
    static constexpr std::size_t kLanes = kRegisterBytes / sizeof(T);
    static Register load(const T* from) { return *reinterpret_cast<const Unaligned*>(from); }
    static void store(T* to, Register value) { *reinterpret_cast<Unaligned*>(to) = value; }
    static Register broadcast(T value) { return value - Register{}; }
    static Register add(Register a, Register b) { return a + b; }
    static Register min(Register a, Register b) { return a < b ? a : b; }
    static bool isEqual(Register a, Register b) { return __builtin_memcmp(&a, &b, sizeof a) == 0; }
    static Register max(Register a, Register b) { return a > b ? a : b; }
};

#endif

template <class T>
struct Minimum {
    static typename Vector<T>::Register apply(typename Vector<T>::Register a,
                                              typename Vector<T>::Register b) {
        return Vector<T>::min(a, b);
    }
};
template <class T>
struct Maximum {
    static typename Vector<T>::Register apply(typename Vector<T>::Register a,
                                              typename Vector<T>::Register b) {
        return Vector<T>::max(a, b);
    }
};

/// The block of C in registers is kRows × (kRegisters · kLanes).
template <class T>
struct RegisterBlock {
    using Register = typename Vector<T>::Register;
    static constexpr std::size_t kRows = kCompiledSet == InstructionSet::Avx512 ? 8 : 4;
    static constexpr std::size_t kRegisters = 2;
    static constexpr std::size_t kColumns = kRegisters * Vector<T>::kLanes;

    template <class Choice, bool kSelected>
    static void multiplyBlock(std::size_t depth, const T* a, const T* b, const std::uint32_t* selection, T* c,
                              std::size_t cRowStride) {
        Register sums[kRows][kRegisters];
        for (std::size_t row = 0; row < kRows; ++row)
            for (std::size_t v = 0; v < kRegisters; ++v)
                sums[row][v] = Vector<T>::load(c + row * cRowStride + v * Vector<T>::kLanes);
        // Prefetches the block below this one, because C exceeds the near caches.
        for (std::size_t row = kRows; row < 2 * kRows; ++row)
            for (std::size_t byte = 0; byte < kColumns * sizeof(T); byte += 64)
                __builtin_prefetch(reinterpret_cast<const char*>(c + row * cRowStride) + byte, 1);
        for (std::size_t k = 0; k < depth; ++k) {
            const T* bGroup = b + (kSelected ? selection[k] : k) * kColumns;
            Register bColumns[kRegisters];
            for (std::size_t v = 0; v < kRegisters; ++v)
                bColumns[v] = Vector<T>::load(bGroup + v * Vector<T>::kLanes);
            for (std::size_t row = 0; row < kRows; ++row) {
                const Register aRow = Vector<T>::broadcast(a[k * kRows + row]);
                for (std::size_t v = 0; v < kRegisters; ++v)
                    sums[row][v] = Choice::apply(Vector<T>::add(aRow, bColumns[v]), sums[row][v]);
            }
        }
        for (std::size_t row = 0; row < kRows; ++row)
            for (std::size_t v = 0; v < kRegisters; ++v)
                Vector<T>::store(c + row * cRowStride + v * Vector<T>::kLanes, sums[row][v]);
    }

    template <class Choice>
    static void multiply(const MinPlusProduct<T>& product) {
        // One strip of B stays in the first-level cache while the strips of A pass by.
        for (std::size_t column = 0; column < product.columns; column += kColumns) {
            const T* b = product.b + column / kColumns * product.bStripStride;
            for (std::size_t row = 0; row < product.rows; row += kRows) {
                if (product.onAndAboveDiagonal && column + kColumns <= row) break;
                const T* a = product.a + row / kRows * product.aStripStride;
                T* c = product.c + row * product.cRowStride + column;
                if (product.selection != nullptr)
                    multiplyBlock<Choice, true>(product.depth, a, b, product.selection, c,
                                                product.cRowStride);
                else
                    multiplyBlock<Choice, false>(product.depth, a, b, nullptr, c, product.cRowStride);
            }
        }
    }

    static void relax(const EdgeRelaxation<T>& step) {
        constexpr std::size_t kParts = kSearchSources / Vector<T>::kLanes;
        Register from[kParts];
        for (std::size_t part = 0; part < kParts; ++part)
            from[part] = Vector<T>::load(step.from + part * Vector<T>::kLanes);
        for (std::size_t edge = 0; edge < step.edges; ++edge) {
            T* distances = step.distances + step.neighbours[edge] * kSearchSources;
            const Register length = Vector<T>::broadcast(step.lengths[edge]);
            bool same = true;
            for (std::size_t part = 0; part < kParts; ++part) {
                const Register before = Vector<T>::load(distances + part * Vector<T>::kLanes);
                const Register after = Vector<T>::min(Vector<T>::add(from[part], length), before);
                same &= Vector<T>::isEqual(before, after);
                Vector<T>::store(distances + part * Vector<T>::kLanes, after);
            }
            step.improved[edge] = !same;
        }
    }

    static MinPlusKernel<T> kernel() {
        static_assert(kMinPlusBlock % kRows == 0 && kMinPlusBlock % kColumns == 0);
        return {kRows, kColumns, &RegisterBlock::multiply<Minimum<T>>, &RegisterBlock::multiply<Maximum<T>>,
                &RegisterBlock::relax};
    }
};

}  // namespace

template <class T>
template <InstructionSet set>
MinPlusKernel<T> MinPlusKernel<T>::compiled() {
    return RegisterBlock<T>::kernel();
}

template MinPlusKernel<float> MinPlusKernel<float>::compiled<kCompiledSet>();
template MinPlusKernel<double> MinPlusKernel<double>::compiled<kCompiledSet>();
template MinPlusKernel<std::int32_t> MinPlusKernel<std::int32_t>::compiled<kCompiledSet>();

}  // namespace glycine::bounds::cpu
