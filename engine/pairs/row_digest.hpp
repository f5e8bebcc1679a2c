#pragma once

#include <cstdint>

// C++17, because kernels include it.
namespace glycine::pairs {

/// Digest of one row of a tile.
struct RowDigest {
    std::uint64_t sum = 0;
    std::uint32_t known = 0;  ///< pairs that have a value
    std::uint32_t zeros = 0;  ///< pairs whose value is 0
    std::uint32_t close = 0;  ///< pairs whose value is at most the requested largest
    std::uint32_t smallest = UINT32_MAX;
    std::uint32_t smallestColumn = UINT32_MAX;  ///< first column with this value, counted within the tile
    std::uint32_t largest = 0;
    std::uint32_t largestColumn = UINT32_MAX;

    bool operator==(const RowDigest& other) const {
        return sum == other.sum && known == other.known && zeros == other.zeros && close == other.close &&
               smallest == other.smallest && smallestColumn == other.smallestColumn &&
               largest == other.largest && largestColumn == other.largestColumn;
    }
};

}  // namespace glycine::pairs
