#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/core/random.hpp"

/// What a report keeps of a result, so that results of two machines can be compared without them.
namespace glycine::study {

struct ResultDigest {
    std::uint64_t bits = 0;  ///< of all elements: equal where results agree to the bit (but for 2⁻⁶⁴)
    std::size_t elements = 0;
    std::vector<double>
        samples{};  ///< some of the elements, the same ones everywhere, ordered by their place

    /// "00c0ffee00c0ffee".
    std::string text() const;
    bool operator==(const ResultDigest&) const = default;
};

/// Takes in the elements of a result in any order, so that how it was cut into tiles does not matter.
class ResultDigester {
  public:
    /// `quantity`: which of several matrices.
    template <class T>
    void take(std::size_t quantity, std::size_t row, std::size_t column, T value) {
        const std::uint64_t place = mix(quantity * kQuantities + mix(row * kRows + column));
        sum_ += mix(place ^ mix(bitsOf(value)));
        ++elements_;
        // The elements of the smallest places: as good as drawn by lot, and the same everywhere.
        if (samples_.size() < kSamples || place < samples_.back().place)
            keep({place, static_cast<double>(value)});
    }
    ResultDigest digest() const;

  private:
    struct Sample {
        std::uint64_t place;
        double value;
    };
    static constexpr std::size_t kSamples = 32;
    /// Further apart than any column or quantity.
    static constexpr std::uint64_t kQuantities = 0x2545F4914F6CDD1DU, kRows = 0x100000001U;

    /// Every bit depends on every bit of the number, and 0 is none.
    static std::uint64_t mix(std::uint64_t number) { return mixBits(number + kGoldenIncrement); }
    template <class T>
    static std::uint64_t bitsOf(T value) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<std::uint64_t>(value);
        else if constexpr (sizeof(T) == 4)
            return std::bit_cast<std::uint32_t>(value);
        else
            return std::bit_cast<std::uint64_t>(value);
    }
    void keep(Sample sample);

    std::uint64_t sum_ = 0;
    std::size_t elements_ = 0;
    std::vector<Sample> samples_;  ///< the smallest places, ascending
};

/// Of rows of whole numbers that need not be of one length, as the columns of an alignment's residues.
ResultDigest digestOfRows(const std::vector<std::vector<std::uint32_t>>& rows);

}  // namespace glycine::study
