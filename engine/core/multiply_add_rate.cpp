#include "engine/core/multiply_add_rate.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace glycine {

namespace {

constexpr double kFactor = 1 - 0x1p-10;
constexpr double kSummand = 0x1p-10;
/// Independent chains, one per register: latency (4 to 5 cycles) times units (2), and few enough to stay in
/// the 16 registers of SSE and AVX2.
constexpr std::size_t kChains = 12;

/// One function per instruction set: only intrinsics of that set may be inlined into it.
#define GLYCINE_CHAINS(name, target, Register, T, set1, multiplyAdd)                       \
    target double name(std::size_t rounds, std::size_t& count) {                           \
        constexpr std::size_t lanes = sizeof(Register) / sizeof(T);                        \
        const Register factor = set1(static_cast<T>(kFactor));                             \
        const Register summand = set1(static_cast<T>(kSummand));                           \
        Register chains[kChains];                                                          \
        for (Register & chain : chains) chain = set1(0);                                   \
        for (std::size_t round = 0; round < rounds; ++round) {                             \
            _Pragma("GCC unroll 12") for (std::size_t c = 0; c < kChains; ++c) chains[c] = \
                multiplyAdd(chains[c], factor, summand);                                   \
        }                                                                                  \
        double sum = 0;                                                                    \
        for (const Register& chain : chains)                                               \
            for (std::size_t l = 0; l < lanes; ++l) sum += static_cast<double>(chain[l]);  \
        count += rounds * kChains * lanes;                                                 \
        return sum;                                                                        \
    }                                                                                      \
    static_assert(true)

#if defined(__x86_64__)
#define GLYCINE_PRODUCT_PD(x, a, b) _mm_add_pd(_mm_mul_pd(x, a), b)
#define GLYCINE_PRODUCT_PS(x, a, b) _mm_add_ps(_mm_mul_ps(x, a), b)
#define GLYCINE_AVX2 __attribute__((target("avx2,fma")))
#define GLYCINE_AVX512 __attribute__((target("avx512f")))
GLYCINE_CHAINS(genericDouble, , __m128d, double, _mm_set1_pd, GLYCINE_PRODUCT_PD);
GLYCINE_CHAINS(genericFloat, , __m128, float, _mm_set1_ps, GLYCINE_PRODUCT_PS);
GLYCINE_CHAINS(avx2Double, GLYCINE_AVX2, __m256d, double, _mm256_set1_pd, _mm256_fmadd_pd);
GLYCINE_CHAINS(avx2Float, GLYCINE_AVX2, __m256, float, _mm256_set1_ps, _mm256_fmadd_ps);
GLYCINE_CHAINS(avx512Double, GLYCINE_AVX512, __m512d, double, _mm512_set1_pd, _mm512_fmadd_pd);
GLYCINE_CHAINS(avx512Float, GLYCINE_AVX512, __m512, float, _mm512_set1_ps, _mm512_fmadd_ps);
#else
using Doubles [[gnu::vector_size(16)]] = double;
using Floats [[gnu::vector_size(16)]] = float;
#define GLYCINE_DOUBLES(x) (Doubles{} + (x))
#define GLYCINE_FLOATS(x) (Floats{} + (x))
#define GLYCINE_PRODUCT(x, a, b) ((x) * (a) + (b))
GLYCINE_CHAINS(genericDouble, , Doubles, double, GLYCINE_DOUBLES, GLYCINE_PRODUCT);
GLYCINE_CHAINS(genericFloat, , Floats, float, GLYCINE_FLOATS, GLYCINE_PRODUCT);
#endif

}  // namespace

double chainMultiplyAdds(InstructionSet instructions, MultiplyAddNumbers numbers, std::size_t rounds,
                         std::size_t& count) {
    const bool isDouble = numbers == MultiplyAddNumbers::Float64;
    switch (instructions) {
#if defined(__x86_64__)
        case InstructionSet::Avx512:
            return isDouble ? avx512Double(rounds, count) : avx512Float(rounds, count);
        case InstructionSet::Avx2:
            return isDouble ? avx2Double(rounds, count) : avx2Float(rounds, count);
#endif
        default:
            return isDouble ? genericDouble(rounds, count) : genericFloat(rounds, count);
    }
}

}  // namespace glycine
