#include "engine/pairs/tile_digest.hpp"

namespace glycine::pairs {

RowDigest digestOfRow(std::span<const std::uint32_t> values, std::span<const std::uint32_t> inCommon,
                      std::size_t leastInCommon, std::uint32_t largest) {
    RowDigest digest;
    for (std::size_t column = 0; column < values.size(); ++column) {
        if (!inCommon.empty() && inCommon[column] < leastInCommon) continue;
        const std::uint32_t value = values[column];
        digest.sum += value;
        ++digest.known;
        digest.zeros += value == 0 ? 1 : 0;
        digest.close += value <= largest ? 1 : 0;
        if (value < digest.smallest) {
            digest.smallest = value;
            digest.smallestColumn = static_cast<std::uint32_t>(column);
        }
        if (value > digest.largest || digest.largestColumn == UINT32_MAX) {
            digest.largest = value;
            digest.largestColumn = static_cast<std::uint32_t>(column);
        }
    }
    return digest;
}

}  // namespace glycine::pairs
