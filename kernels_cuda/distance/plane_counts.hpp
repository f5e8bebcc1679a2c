#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/distance/terms.hpp"

/// What kernels read and what they find of pairs: bit planes of symbols and counts, numbers and sums.
namespace glycine::cuda {

/// How bits code symbols. Bit b of word w of plane p belongs to attribute 32·w + b; rows of operands are the
/// words in order, and for each word the planes in order.
struct PlaneFormat {
    unsigned planes = 2;      ///< 1 … 8 that tell symbols apart
    bool hasMissing = false;  ///< one plane more: entries that are there. Missing entries are 0 in all planes
    bool isThermometer = false;  ///< two planes, symbols 00, 01 and 11 (the high plane written first)
    unsigned stored() const { return planes + (hasMissing ? 1U : 0U); }
};

/// Counts of a window, rowCount × columnCount each, rows `stride` elements apart (a multiple of 4); null
/// where not wanted. Elements above the diagonal of a window on it may hold anything afterwards.
struct CountsOnDevice {
    std::uint32_t* differing = nullptr;
    std::uint32_t* opposite = nullptr;  ///< both planes differ
    std::uint32_t* valid = nullptr;     ///< both entries are there
    std::size_t stride = 0;
};

/// What is summed over the attributes of a pair, and of what numbers.
struct SummedNumbers {
    distance::SumTerm term = distance::SumTerm::AbsoluteDifference;
    bool isDouble = false;  ///< two words a number, the low one first; else one, a float
};

}  // namespace glycine::cuda
