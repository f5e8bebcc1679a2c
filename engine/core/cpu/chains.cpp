#include "engine/core/cpu/chains.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>

#if defined(GLYCINE_FOR_AVX512)
#include <immintrin.h>
#endif

namespace glycine::cpu {

namespace {

template <std::size_t bytes, class T>
struct RegisterOf {
    using Type [[gnu::vector_size(bytes)]] = T;
};
template <std::size_t bytes, class T>
using Register = typename RegisterOf<bytes, T>::Type;

template <std::size_t bytes, class T>
inline Register<bytes, T> smaller(Register<bytes, T> x, Register<bytes, T> y) {
    if constexpr (std::is_same_v<T, float>) {
        using Bits = Register<bytes, std::int32_t>;
        const Bits a = reinterpret_cast<Bits>(x), b = reinterpret_cast<Bits>(y);
        return reinterpret_cast<Register<bytes, T>>(a < b ? a : b);
    } else {
        return x < y ? x : y;
    }
}

template <std::size_t bytes, class T>
std::size_t minima(T start, T step, const T* expected, std::size_t portions) {
    using Vector = Register<bytes, T>;
    const Vector steps = Vector{} + step;
    std::size_t wrong = 0;
    for (std::size_t portion = 0; portion < portions; ++portion) {
        Vector c[kChains];
        for (Vector& chain : c) chain = Vector{} + start;
        for (std::size_t round = 0; round < kChainRounds; ++round) {
#pragma GCC unroll 12
            for (std::size_t j = 0; j < kChains; ++j)
                c[j] = smaller<bytes, T>(c[j], c[(j + 1) % kChains] + steps);
        }
        bool isWrong = false;
        for (std::size_t j = 0; j < kChains; ++j)
            for (std::size_t l = 0; l < bytes / sizeof(T); ++l) isWrong = isWrong || c[j][l] != expected[j];
        wrong += isWrong ? 1 : 0;
    }
    return wrong;
}

/// Full adder on every bit of a register: adds a and b to `ones` and returns the carries (twos).
template <class Words>
inline Words addBits(Words& ones, Words a, Words b) {
    const Words either = ones ^ a;
    const Words twos = (ones & a) | (either & b);
    ones = either ^ b;
    return twos;
}

/// Population count of each word, by adding neighbouring fields.
template <class Words>
inline Words onesOf(Words w) {
    w -= (w >> 1) & 0x5555555555555555U;
    w = (w & 0x3333333333333333U) + ((w >> 2) & 0x3333333333333333U);
    w = (w + (w >> 4)) & 0x0f0f0f0f0f0f0f0fU;
    w += w >> 8;
    w += w >> 16;
    return (w + (w >> 32)) & 0xffU;
}

/// Carry-save adders: of every sixteen registers only one is counted.
template <std::size_t bytes>
std::uint64_t countByAdders(const std::uint64_t* words, std::size_t portions) {
    using Words = Register<bytes, std::uint64_t>;
    constexpr std::size_t lanes = bytes / sizeof(std::uint64_t);
    static_assert(kCountedWords % (16 * lanes) == 0);
    Words ones{}, twos{}, fours{}, eights{}, total{};
    for (std::size_t portion = 0; portion < portions; ++portion)
        for (std::uint64_t round = 0; round < kCountRounds; ++round) {
            // The words do not fit into the registers, so each round reads them again.
            asm volatile("" : : "r"(words) : "memory");
            const Words key = Words{} + round;
            for (std::size_t i = 0; i < kCountedWords; i += 16 * lanes) {
                const auto word = [&](std::size_t k) {
                    Words w;
                    std::memcpy(&w, words + i + k * lanes, sizeof w);
                    return w ^ key;
                };
                const auto twosOf = [&](std::size_t k) { return addBits(ones, word(k), word(k + 1)); };
                const auto foursOf = [&](std::size_t k) {
                    const Words first = twosOf(k);
                    return addBits(twos, first, twosOf(k + 2));
                };
                const auto eightsOf = [&](std::size_t k) {
                    const Words first = foursOf(k);
                    return addBits(fours, first, foursOf(k + 4));
                };
                const Words first = eightsOf(0);
                total += onesOf(addBits(eights, first, eightsOf(8)));
            }
        }
    total = 16 * total + 8 * onesOf(eights) + 4 * onesOf(fours) + 2 * onesOf(twos) + onesOf(ones);
    std::uint64_t sum = 0;
    for (std::size_t l = 0; l < lanes; ++l) sum += total[l];
    return sum;
}

template <class T>
void logs(const T* numbers, T* found) {
#pragma omp simd
    for (std::size_t i = 0; i < kLogNumbers; ++i) found[i] = std::log(numbers[i]);
}

#if defined(GLYCINE_FOR_AVX512)
/// Several independent sums, so that no addition waits for the previous one.
std::uint64_t countByInstruction(const std::uint64_t* words, std::size_t portions) {
    constexpr std::size_t lanes = 8, sums = 4;
    __m512i total[sums] = {};
    for (std::size_t portion = 0; portion < portions; ++portion)
        for (std::uint64_t round = 0; round < kCountRounds; ++round) {
            asm volatile("" : : "r"(words) : "memory");
            const __m512i key = _mm512_set1_epi64(static_cast<long long>(round));
            for (std::size_t i = 0; i < kCountedWords; i += sums * lanes)
#pragma GCC unroll 4
                for (std::size_t s = 0; s < sums; ++s) {
                    const __m512i w = _mm512_xor_si512(_mm512_load_si512(words + i + s * lanes), key);
                    total[s] = _mm512_add_epi64(total[s], _mm512_popcnt_epi64(w));
                }
        }
    alignas(64) std::uint64_t each[lanes];
    std::uint64_t sum = 0;
    for (const __m512i& one : total) {
        _mm512_store_si512(each, one);
        for (const std::uint64_t part : each) sum += part;
    }
    return sum;
}
#endif

}  // namespace

template <>
ChainKernels ChainKernels::compiled<kCompiledSet>() {
    ChainKernels kernels{.registerBytes = kRegisterBytes,
                         .minimaFloat = minima<kRegisterBytes, float>,
                         .minimaDouble = minima<kRegisterBytes, double>,
                         .minimaInt32 = minima<kRegisterBytes, std::int32_t>,
                         .minimaInt16 = minima<kRegisterBytes, std::int16_t>,
                         .countByAdders = cpu::countByAdders<kRegisterBytes>,
                         .countByInstruction = nullptr,
                         .logFloat = logs<float>,
                         .logDouble = logs<double>};
#if defined(GLYCINE_FOR_AVX512)
    if (usableSet(kCompiledSet, {.populationCount = true}) == kCompiledSet)
        kernels.countByInstruction = cpu::countByInstruction;
#endif
    return kernels;
}

}  // namespace glycine::cpu
