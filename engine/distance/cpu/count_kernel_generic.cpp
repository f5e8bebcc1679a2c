#include "engine/distance/cpu/count_strips.hpp"

namespace glycine::distance::cpu {
namespace {

/// 16 bytes as a compiler's vector: SSE2 on x86-64, NEON on AArch64, plain numbers where there is neither.
struct GenericVector {
    using Register [[gnu::vector_size(16)]] = std::uint64_t;
    using Tally = CarrySaveTally<GenericVector>;
    static constexpr std::size_t kWords = 2;
    static constexpr std::size_t kRows = 1;
    template <std::size_t kCounts, unsigned kPlanes>
    static constexpr std::size_t kColumns = 1;

    static Register load(const std::uint64_t* from) { return *reinterpret_cast<const Register*>(from); }
    static Register add(Register a, Register b) { return a + b; }
    static Register orDiffer(Register x, Register a, Register b) { return x | (a ^ b); }
    static Register andDiffer(Register x, Register a, Register b) { return x & (a ^ b); }
    static Register eitherAnd(Register x, Register a, Register b) { return x & (a | b); }
    static Register bothAnd(Register x, Register a, Register b) { return x & a & b; }
    static Register countBits(Register x) {
        x -= x >> 1 & 0x5555555555555555U;
        x = (x & 0x3333333333333333U) + (x >> 2 & 0x3333333333333333U);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fU;
        x += x >> 8;
        x += x >> 16;
        x += x >> 32;
        return x & 0xffU;
    }
    static void sumLanes(const Register (&lanes)[1], std::uint32_t (&sums)[1]) {
        sums[0] = static_cast<std::uint32_t>(lanes[0][0] + lanes[0][1]);
    }
};

}  // namespace

CountFunction countFunctionGeneric(const CountKind& kind) {
    return chooseCounter<GenericVector>(kind);
}

}  // namespace glycine::distance::cpu
