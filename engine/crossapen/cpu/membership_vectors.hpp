#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace glycine::crossapen::cpu {

/// Constants of the exponential and the logarithm for a number format.
template <class T>
struct FormatTraits;
template <>
struct FormatTraits<float> {
    using Bits = std::int32_t;
    static constexpr int kMantissaBits = 23;
    static constexpr float kLargestExponent = 126;
    static constexpr float kRounding = 0x1.8p23F;  ///< adding and subtracting it rounds to a whole number
    static constexpr int kExponentialTerms = 8;
    static constexpr int kLogarithmTerms = 5;
};
template <>
struct FormatTraits<double> {
    using Bits = std::int64_t;
    static constexpr int kMantissaBits = 52;
    static constexpr double kLargestExponent = 1022;
    static constexpr double kRounding = 0x1.8p52;
    static constexpr int kExponentialTerms = 14;
    static constexpr int kLogarithmTerms = 10;
};

/// Vectors of `bytes` bytes with the elementary functions that memberships need. Library calls per vector
/// would cost more than the computation itself, and their last bit of accuracy is not needed.
template <class T, std::size_t bytes>
struct MembershipVectors {
    using Traits = FormatTraits<T>;
    using Bits = typename Traits::Bits;
    using Register [[gnu::vector_size(bytes)]] = T;
    using Unaligned [[gnu::vector_size(bytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
    using Integers [[gnu::vector_size(bytes)]] = Bits;
    using Words [[gnu::vector_size(bytes)]] = std::make_unsigned_t<Bits>;  // unsigned, so overflow is defined
    static constexpr std::size_t kLanes = bytes / sizeof(T);

    static Register load(const T* from) { return *reinterpret_cast<const Unaligned*>(from); }
    static Register broadcast(T value) { return value - Register{}; }
    static Register max(Register a, Register b) { return a > b ? a : b; }
    static Register min(Register a, Register b) { return a < b ? a : b; }
    /// max for numbers that are not negative. They are ordered like the integers with the same bits, which
    /// compilers compare in one instruction.
    static Register largest(Register a, Register b) {
        const Integers x = reinterpret_cast<Integers>(a);
        const Integers y = reinterpret_cast<Integers>(b);
        return reinterpret_cast<Register>(x > y ? x : y);
    }
    static Register abs(Register a) {
        return reinterpret_cast<Register>(reinterpret_cast<Integers>(a) & ~kSign);
    }
    /// The first `count` lanes of `a`, zeros in the others.
    static Register firstLanes(Register a, std::size_t count) {
        Integers lane{};
        for (std::size_t l = 0; l < kLanes; ++l) lane[l] = static_cast<Bits>(l);
        const Integers mask = lane < static_cast<Bits>(count);
        return reinterpret_cast<Register>(reinterpret_cast<Integers>(a) & mask);
    }

    /// 2^y for y ≤ 126 (float64: 1022); zero if y < −125 (−1021). The relative error is below 2 units in the
    /// last place: y minus the nearest whole number is exact, and the remainder of the Taylor series of 2^f
    /// is (ln 2 / 2)⁸ / 8! = 5e-9 ((ln 2 / 2)¹⁴ / 14! = 4e-18).
    static Register exponential2(Register y) {
        const Register shifted = y + Traits::kRounding;
        const Register fraction = y - (shifted - Traits::kRounding);
        Register power = broadcast(kTaylor.terms[Traits::kExponentialTerms - 1]);
        for (int k = Traits::kExponentialTerms - 2; k >= 0; --k) power = power * fraction + kTaylor.terms[k];
        const Words scaled =
            reinterpret_cast<Words>(power) + (reinterpret_cast<Words>(shifted) << Traits::kMantissaBits);
        return reinterpret_cast<Register>(reinterpret_cast<Integers>(scaled) &
                                          (y >= 1 - Traits::kLargestExponent));
    }

    /// log₂ of normal numbers > 0; an arbitrary finite number for zero. The absolute error is a few units in
    /// the last place of the result or of 1. With x = 2^e · f, f in [√½, √2): log₂ f = 2 / ln 2 · artanh s, s
    /// = (f − 1) / (f + 1), |s| < 0.172. The remainder of the series of artanh is s¹¹ / 11 (float64: s²¹ /
    /// 21).
    static Register logarithm2(Register x) {
        const Integers bits = reinterpret_cast<Integers>(x);
        const Integers exponent = (bits - kRootOfHalf) >> Traits::kMantissaBits;
        const Register f = reinterpret_cast<Register>(bits - (exponent << Traits::kMantissaBits));
        const Register s = (f - 1) / (f + 1);
        const Register square = s * s;
        Register series = broadcast(T(1) / (2 * Traits::kLogarithmTerms - 1));
        for (int k = Traits::kLogarithmTerms - 2; k >= 0; --k)
            series = series * square + T(1) / static_cast<T>(2 * k + 1);
        const Register whole =
            reinterpret_cast<Register>(exponent + kRoundingBits) - broadcast(Traits::kRounding);
        return whole + kTwoOverLn2 * (s * series);
    }

    /// d^n for d ≥ 0 and n > 0. Zero if d is subnormal; results saturate at 2¹²⁶ (float64: 2¹⁰²²).
    static Register power(Register d, T n) {
        const Register result = exponential2(min(logarithm2(d) * n, broadcast(Traits::kLargestExponent)));
        return reinterpret_cast<Register>(reinterpret_cast<Integers>(result) &
                                          (reinterpret_cast<Integers>(d) >= kSmallestNormal));
    }

  private:
    static constexpr Bits kSign = Bits(1) << (8 * sizeof(T) - 1);
    static constexpr Bits kSmallestNormal = Bits(1) << Traits::kMantissaBits;
    static constexpr Bits kRootOfHalf = __builtin_bit_cast(Bits, T(0.70710678118654752440L));
    static constexpr Bits kRoundingBits = __builtin_bit_cast(Bits, Traits::kRounding);
    static constexpr T kTwoOverLn2 = T(2.88539008177792681472L);

    /// (ln 2)^k / k!
    struct Taylor {
        T terms[Traits::kExponentialTerms] = {};
        constexpr Taylor() {
            long double term = 1;
            for (int k = 0; k < Traits::kExponentialTerms; ++k) {
                terms[k] = static_cast<T>(term);
                term *= 0.69314718055994530942L / (k + 1);
            }
        }
    };
    static constexpr Taylor kTaylor{};
};

}  // namespace glycine::crossapen::cpu
