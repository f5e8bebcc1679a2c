#pragma once

#include <cstdint>
#include <type_traits>

#include "engine/core/host_device.hpp"

// Also included by kernels, which nvcc compiles as C++17.
namespace glycine::distance {

/// The symbol of a missing entry.
inline constexpr std::uint8_t kMissingSymbol = 255;
/// Result of genotypeSymbol for a number that is not a genotype.
inline constexpr std::uint8_t kNoGenotype = 254;

/// The genotype for a number of a table or array: the symbol 0, 1 or 2; kMissingSymbol for NaN, -1, -9 and,
/// for integers, -127; kNoGenotype for anything else.
template <class Number>
GLYCINE_HOST_DEVICE constexpr std::uint8_t genotypeSymbol(Number value) {
    // Conditional moves instead of branches: genotypes are unpredictable for the branch predictor.
    std::uint8_t symbol = kNoGenotype;
    if constexpr (std::is_integral_v<Number>) {
        const auto number = static_cast<std::make_unsigned_t<Number>>(value);
        symbol = number <= 2 ? static_cast<std::uint8_t>(number) : symbol;
    } else {
        symbol = value == 0 ? 0 : symbol;
        symbol = value == 1 ? 1 : symbol;
        symbol = value == 2 ? 2 : symbol;
    }
    bool isMissing = false;
    if constexpr (std::is_signed_v<Number>) isMissing = (value == -1) | (value == -9);
    if constexpr (std::is_floating_point_v<Number>) isMissing |= value != value;
    if constexpr (std::is_integral_v<Number> && std::is_signed_v<Number>) isMissing |= value == -127;
    return isMissing ? kMissingSymbol : symbol;
}

}  // namespace glycine::distance
