#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Random numbers that are the same on every machine and for any number of threads.

namespace glycine {

/// The output function of SplitMix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014.
constexpr std::uint64_t mixBits(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

/// The increment of SplitMix64: 2⁶⁴ divided by the golden ratio, made odd.
inline constexpr std::uint64_t kGoldenIncrement = 0x9e3779b97f4a7c15U;

/// The seed of one of many independent streams of random numbers.
constexpr std::uint64_t derivedSeed(std::uint64_t seed, std::uint64_t stream) {
    return mixBits(seed + kGoldenIncrement * (stream + 1));
}

/// The upper 53 bits as a number 0 ≤ x < 1.
constexpr double unitInterval(std::uint64_t bits) {
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// SplitMix64 as a sequence.
class RandomSequence {
  public:
    explicit RandomSequence(std::uint64_t seed) : state_(mixBits(seed + kGoldenIncrement)) {}
    std::uint64_t next() { return mixBits(state_ += kGoldenIncrement); }
    /// 0 ≤ x < 1.
    double uniform() { return unitInterval(next()); }
    /// 0 ≤ x < bound, bound ≥ 1.
    std::size_t below(std::size_t bound) {
        return static_cast<std::size_t>(uniform() * static_cast<double>(bound));
    }

  private:
    std::uint64_t state_;
};

/// The natural logarithm of a finite x > 0, from operations that IEEE 754 rounds alike on all platforms:
/// std::log differs among platforms in the last bit.
inline double portableLogarithm(double x) {
    int exponent = 0;
    double mantissa = std::frexp(x, &exponent);
    if (mantissa < 0.70710678118654752) {
        mantissa *= 2;
        --exponent;
    }
    // log m = 2 artanh t, |t| ≤ 0.172: the first omitted term is below 1e-17.
    const double t = (mantissa - 1) / (mantissa + 1);
    double series = 0;
    for (int n = 19; n > 0; n -= 2) series = series * t * t + 1.0 / n;
    return 2 * t * series + exponent * 0.69314718055994531;
}

/// e to the power of x, −700 ≤ x ≤ 700, from such operations.
inline double portableExponential(double x) {
    const double exponent = std::floor(x / 0.69314718055994531 + 0.5);
    // The high part of ln 2 has so few digits that its product with an integer is exact.
    const double rest = x - exponent * 0x1.62e42fee00000p-1 - exponent * 0x1.a39ef35793c76p-33;
    // rest| ≤ 0.347: the first omitted term is below 1e-17.
    double series = 1;
    for (int n = 14; n > 0; --n) series = 1 + series * rest / n;
    return std::ldexp(series, static_cast<int>(exponent));
}

/// Two independent standard normal numbers (G. Marsaglia's polar method), the same on every machine.
inline std::array<double, 2> normalPair(RandomSequence& random) {
    while (true) {
        const double x = 2 * random.uniform() - 1;
        const double y = 2 * random.uniform() - 1;
        const double squared = x * x + y * y;
        if (squared >= 1 || squared == 0) continue;
        const double scale = std::sqrt(-2 * portableLogarithm(squared) / squared);
        return {x * scale, y * scale};
    }
}

/// `wanted` distinct numbers below `count` (or all of them), in ascending order: the first, the last, and
/// others drawn with `seed`.
std::vector<std::size_t> drawSamples(std::size_t count, std::size_t wanted, std::uint64_t seed);

/// One number, drawn with `seed`, from each of `wanted` equal intervals of 0 … `count` − 1 (or all numbers,
/// if there are fewer), in ascending order. No interval is left out.
std::vector<std::size_t> spreadSamples(std::size_t count, std::size_t wanted, std::uint64_t seed);

}  // namespace glycine
