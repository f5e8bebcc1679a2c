#pragma once

#include <cstddef>
#include <cstdint>

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

/// The seed of one of many streams of random numbers that do not depend on each other.
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

}  // namespace glycine
