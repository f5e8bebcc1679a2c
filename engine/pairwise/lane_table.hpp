#pragma once

#include <cstddef>
#include <cstdint>

/// Tables of numbers for pairs of letters (lane_numbers.hpp). Kernels are compiled once for each instruction
/// set, so they include no more than this.
namespace glycine::pairwise {

/// The side of a table of numbers, indexed by codes. The last code stands for positions past the end of a
/// sequence.
inline constexpr std::size_t kTableSide = 32;
inline constexpr std::uint8_t kPaddingCode = kTableSide - 1;

}  // namespace glycine::pairwise
