#pragma once

#include <cstdint>
#include <type_traits>

// Kernels that nvcc compiles, as C++17, include this header, too.
#ifdef __CUDACC__
#define GLYCINE_SYMBOL __host__ __device__
#else
#define GLYCINE_SYMBOL
#endif

namespace glycine::distance {

/// Stands for a missing entry among symbols.
inline constexpr std::uint8_t kMissingSymbol = 255;
/// genotypeSymbol of what is no genotype.
inline constexpr std::uint8_t kNoGenotype = 254;

/// A number of a table or array as a genotype: the symbol 0, 1 or 2; kMissingSymbol for NaN, -1, -9 and,
/// among integers, -127; kNoGenotype for anything else.
template <class Number>
GLYCINE_SYMBOL constexpr std::uint8_t genotypeSymbol(Number value) {
    // Choices, not branches: genotypes are random to a processor that predicts.
    std::uint8_t symbol = value == 0 ? 0 : kNoGenotype;
    symbol = value == 1 ? 1 : symbol;
    symbol = value == 2 ? 2 : symbol;
    bool isMissing = false;
    if constexpr (std::is_signed_v<Number>) isMissing = (value == -1) | (value == -9);
    if constexpr (std::is_floating_point_v<Number>) isMissing |= value != value;
    if constexpr (std::is_integral_v<Number> && std::is_signed_v<Number>) isMissing |= value == -127;
    return isMissing ? kMissingSymbol : symbol;
}

}  // namespace glycine::distance

#undef GLYCINE_SYMBOL
