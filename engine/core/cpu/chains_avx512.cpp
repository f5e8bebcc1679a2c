#if defined(__x86_64__)

#include <immintrin.h>

#include "engine/core/cpu/chains_of_width.hpp"

namespace glycine::cpu {

namespace {

/// Sums side by side, so that none waits for the one before.
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

}  // namespace

const ChainKernels& avx512Chains() {
    static const ChainKernels kernels = [] {
        ChainKernels made = kernelsOfWidth<64>();
        if (hasVectorPopulationCount()) made.countByInstruction = countByInstruction;
        return made;
    }();
    return kernels;
}

}  // namespace glycine::cpu

#endif
