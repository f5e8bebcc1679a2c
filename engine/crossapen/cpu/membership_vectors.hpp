#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace glycine::crossapen::cpu {

/// What a number format needs of the exponential and the logarithm.
template <class T>
struct FormatTraits;
template <>
struct FormatTraits<float> {
    using Bits = std::int32_t;
    static constexpr int kMantissaBits = 23;
    static constexpr float kLargestExponent = 126;
    static constexpr float kRounding = 0x1.8p23F;  ///< added and taken away, it rounds to a whole number
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

/// Vectors of `bytes` bytes with the elementary functions that memberships take. A call of a library for each
/// vector would cost more than what is computed here; so does a last bit that nobody needs.
template <class T, std::size_t bytes>
struct MembershipVectors {
    using Traits = FormatTraits<T>;
    using Bits = typename Traits::Bits;
    using Register [[gnu::vector_size(bytes)]] = T;
    using Unaligned [[gnu::vector_size(bytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
    using Integers [[gnu::vector_size(bytes)]] = Bits;
    using Words [[gnu::vector_size(bytes)]] = std::make_unsigned_t<Bits>;  // may overflow
    static constexpr std::size_t kLanes = bytes / sizeof(T);

    static Register load(const T* from) { return *reinterpret_cast<const Unaligned*>(from); }
    static Register broadcast(T value) { return value - Register{}; }
    static Register max(Register a, Register b) { return a > b ? a : b; }
    static Register min(Register a, Register b) { return a < b ? a : b; }
    /// max for numbers that are not negative: they order as the integers with the same bits, which compilers
    /// compare in one instruction.
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

    /// 2^y for y ≤ 126 (1022), zero where y < −125 (−1021). Relative error below 2 units in the
    /// last place: y less the nearest whole number is exact, and the Taylor series of 2^f ends with a
    /// remainder of (ln 2 / 2)⁸ / 8! = 5e-9 ((ln 2 / 2)¹⁴ / 14! = 4e-18).
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

    /// log₂ of normal numbers > 0; some finite number for zero. Absolute error of a few units in the last
    /// place of the result or of 1: with x = 2^e · f, f in [√½, √2), log₂ f = 2 / ln 2 · artanh s with s =
    /// (f − 1) / (f + 1), |s| < 0.172. The series of artanh ends with a remainder of s¹¹ / 11 (s²¹ / 21).
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

    /// d^n for d ≥ 0 and n > 0; zero where d is not a normal number, 2¹²⁶ (2¹⁰²²) and above the same.
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
