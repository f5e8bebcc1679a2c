#pragma once

#include <cstdint>

// C++17, as kernels are.
namespace glycine::pairs {

/// The values of a row of a tile.
struct RowDigest {
    std::uint64_t sum = 0;
    std::uint32_t known = 0;  ///< pairs that have a value
    std::uint32_t zeros = 0;  ///< pairs whose value is 0
    std::uint32_t close = 0;  ///< pairs whose value is at most the largest that is wanted
    std::uint32_t smallest = UINT32_MAX;
    std::uint32_t smallestColumn = UINT32_MAX;  ///< of the first one, counted within the tile
    std::uint32_t largest = 0;
    std::uint32_t largestColumn = UINT32_MAX;

    bool operator==(const RowDigest& other) const {
        return sum == other.sum && known == other.known && zeros == other.zeros && close == other.close &&
               smallest == other.smallest && smallestColumn == other.smallestColumn &&
               largest == other.largest && largestColumn == other.largestColumn;
    }
};

}  // namespace glycine::pairs
