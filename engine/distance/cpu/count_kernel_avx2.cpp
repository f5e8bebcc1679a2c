#if defined(__x86_64__)

#include <immintrin.h>

#include "engine/distance/cpu/count_strips.hpp"

namespace glycine::distance::cpu {
namespace {

struct Avx2Vector {
    using Register [[gnu::vector_size(32)]] = std::uint64_t;
    using Tally = CarrySaveTally<Avx2Vector>;
    static constexpr std::size_t kWords = 4;
    static constexpr std::size_t kRows = 1;
    template <std::size_t kCounts, unsigned kPlanes>
    static constexpr std::size_t kColumns = 1;

    static Register load(const std::uint64_t* from) { return *reinterpret_cast<const Register*>(from); }
    static Register add(Register a, Register b) { return a + b; }
    static Register orDiffer(Register x, Register a, Register b) { return x | (a ^ b); }
    static Register andDiffer(Register x, Register a, Register b) { return x & (a ^ b); }
    static Register eitherAnd(Register x, Register a, Register b) { return x & (a | b); }
    static Register bothAnd(Register x, Register a, Register b) { return x & a & b; }
    /// Looks both halves of each byte up (W. Muła, N. Kurz, D. Lemire, "Faster population counts using AVX2
    /// instructions", 2018).
    static Register countBits(Register x) {
        const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                               0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i low = _mm256_set1_epi8(15);
        const auto bits = reinterpret_cast<__m256i>(x);
        const __m256i counts =
            _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(bits, low)),
                            _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(bits, 4), low)));
        return reinterpret_cast<Register>(_mm256_sad_epu8(counts, _mm256_setzero_si256()));
    }
    static void sumLanes(const Register (&lanes)[1], std::uint32_t (&sums)[1]) {
        sums[0] = static_cast<std::uint32_t>(lanes[0][0] + lanes[0][1] + lanes[0][2] + lanes[0][3]);
    }
};

}  // namespace

CountFunction countFunctionAvx2(const CountKind& kind) {
    return chooseCounter<Avx2Vector>(kind);
}

}  // namespace glycine::distance::cpu

#endif
