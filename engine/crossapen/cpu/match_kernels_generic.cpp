#include <bit>

#include "engine/crossapen/cpu/match_kernel_set.hpp"

namespace glycine::crossapen::cpu {
namespace {

// 16 bytes as a compiler's vector: SSE2 on x86-64, NEON on AArch64, plain numbers where there is neither.

template <class T, class Whole>
struct GenericLanes {
    using Scalar = T;
    using Register [[gnu::vector_size(16)]] = T;
    using Count [[gnu::vector_size(16)]] = Whole;
    using Unaligned [[gnu::vector_size(16), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
    static constexpr std::size_t kLanes = 16 / sizeof(T);
    static Register load(const T* from) { return *reinterpret_cast<const Unaligned*>(from); }
    static Register broadcast(T value) { return value - Register{}; }
    static Count counts(std::uint32_t value) { return static_cast<Whole>(value) - Count{}; }
    static Count addGreater(Count count, Register x, Register y, Register bound) {
        return count - (x - y > bound);
    }
    static Count addGreaterOrEqual(Count count, Register x, Register y, Register bound) {
        return count - (x - y >= bound);
    }
    static void storeIntervals(Interval* to, Count begins, Count ends) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const auto begin = static_cast<std::uint32_t>(begins[lane]);
            const auto end = static_cast<std::uint32_t>(ends[lane]);
            to[lane] = begin | (begin > end ? begin : end) << 16;
        }
    }
    static std::uint64_t compareWord(const T* partners, Register x, Register r) {
        Count bits{};
        for (std::size_t step = 0; step < 64; step += kLanes) {
            const Register difference = x - load(partners + step);
            bits = bits + bits - ((difference <= r) & (difference >= -r));
        }
        std::uint64_t word = 0;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            word |= static_cast<std::uint64_t>(bits[lane]) << (lane * (64 / kLanes));
        return word;
    }
};

struct GenericWords {
    using Register = std::uint64_t;
    struct Sums {
        std::uint32_t shortMatches;
        std::uint32_t longMatches;
    };
    static constexpr std::size_t kWords = 1;
    static Register load(const std::uint64_t* from) { return *from; }
    static void store(std::uint64_t* to, Register value) { *to = value; }
    static Register zero() { return 0; }
    static Register bitAnd(Register a, Register b) { return a & b; }
    static Register bitXor(Register a, Register b) { return a ^ b; }
    static Register xor3(Register a, Register b, Register c) { return a ^ b ^ c; }
    static Register majority(Register a, Register b, Register c) { return (a & b) | ((a ^ b) & c); }
    static Sums noSums() { return {0, 0}; }
    static Sums addCounts(Sums sums, Register shortMatches, Register longMatches) {
        return {sums.shortMatches + static_cast<std::uint32_t>(std::popcount(shortMatches)),
                sums.longMatches + static_cast<std::uint32_t>(std::popcount(longMatches))};
    }
    static std::uint32_t shortSum(Sums sums) { return sums.shortMatches; }
    static std::uint32_t longSum(Sums sums) { return sums.longMatches; }
};

struct GenericCell {
    static int countInside(const std::uint16_t* ranks, std::uint32_t limit, std::uint16_t base,
                           std::uint16_t width) {
        using Eight [[gnu::vector_size(16), gnu::may_alias]] = std::uint16_t;
        const Eight numbers = {0, 1, 2, 3, 4, 5, 6, 7};
        const Eight all = {};
        Eight sums = {};
        for (std::uint32_t place = 0; place < RankGrid::kCell; place += 8) {
            const Eight offset = *reinterpret_cast<const Eight*>(ranks + place) - (base - all);
            const auto first = static_cast<std::uint16_t>(limit > place ? limit - place : 0);
            sums -= (offset < width - all) & (numbers < first - all);
        }
        int count = 0;
        for (int lane = 0; lane < 8; ++lane) count += sums[lane];
        return count;
    }
};

}  // namespace

template <>
MatchKernels<float> matchKernelsGeneric() {
    return makeMatchKernels<GenericLanes<float, std::int32_t>, GenericWords, GenericCell>();
}
template <>
MatchKernels<double> matchKernelsGeneric() {
    return makeMatchKernels<GenericLanes<double, std::int64_t>, GenericWords, GenericCell>();
}

}  // namespace glycine::crossapen::cpu
