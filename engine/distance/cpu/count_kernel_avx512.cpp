#if defined(__x86_64__)

// GCC 12's header starts its intrinsics from a register that it leaves undefined on purpose (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>

#include "engine/distance/cpu/count_strips.hpp"

namespace glycine::distance::cpu {
namespace {

struct Avx512Vector {
    using Register [[gnu::vector_size(64)]] = std::uint64_t;
    using Tally = DirectTally<Avx512Vector>;
    static constexpr std::size_t kWords = 8;
    // Of 32 registers, sums take 16 or 24, and where planes are compared one after the other, what differs so
    // far takes 8.
    static constexpr std::size_t kRows = 4;
    template <std::size_t kCounts, unsigned kPlanes>
    static constexpr std::size_t kColumns = kCounts == 1 && kPlanes > 0 ? 4 : 2;

    // A bitwise function of three operands is named by its truth table: by what it makes of these.
    static constexpr int kX = 0xf0, kA = 0xcc, kB = 0xaa;
    template <int kTable>
    static Register ternary(Register x, Register a, Register b) {
        return cooked(_mm512_ternarylogic_epi64(raw(x), raw(a), raw(b), kTable));
    }

    static __m512i raw(Register x) { return reinterpret_cast<__m512i>(x); }
    static Register cooked(__m512i x) { return reinterpret_cast<Register>(x); }

    static Register load(const std::uint64_t* from) { return *reinterpret_cast<const Register*>(from); }
    static Register add(Register a, Register b) { return a + b; }
    static Register orDiffer(Register x, Register a, Register b) { return ternary<kX | (kA ^ kB)>(x, a, b); }
    static Register andDiffer(Register x, Register a, Register b) { return ternary<kX&(kA ^ kB)>(x, a, b); }
    static Register eitherAnd(Register x, Register a, Register b) { return ternary<kX&(kA | kB)>(x, a, b); }
    static Register bothAnd(Register x, Register a, Register b) { return ternary<kX & kA & kB>(x, a, b); }
    static Register countBits(Register x) { return cooked(_mm512_popcnt_epi64(raw(x))); }

    /// Adds the lanes of eight vectors at once, by transposing.
    static __m256i sumEight(const Register* lanes) {
        const auto addPairs = [](__m512i a, __m512i b) {
            return _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
        };
        const auto addHalves = [](__m512i a, __m512i b) {
            return _mm512_add_epi64(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xdd));
        };
        const __m512i ab = addPairs(raw(lanes[0]), raw(lanes[1]));
        const __m512i cd = addPairs(raw(lanes[2]), raw(lanes[3]));
        const __m512i ef = addPairs(raw(lanes[4]), raw(lanes[5]));
        const __m512i gh = addPairs(raw(lanes[6]), raw(lanes[7]));
        // Two numbers in each quarter: a b in two quarters, c d in the others, then one of each.
        const __m512i sums = addHalves(addHalves(ab, cd), addHalves(ef, gh));
        return _mm512_cvtepi64_epi32(sums);
    }
    template <std::size_t kCount>
    static void sumLanes(const Register (&lanes)[kCount], std::uint32_t (&sums)[kCount]) {
        static_assert(kCount % 8 == 0);
        for (std::size_t n = 0; n < kCount; n += 8)
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + n), sumEight(lanes + n));
    }
};

}  // namespace

CountFunction countFunctionAvx512(const CountKind& kind) {
    return chooseCounter<Avx512Vector>(kind);
}

}  // namespace glycine::distance::cpu

#endif
