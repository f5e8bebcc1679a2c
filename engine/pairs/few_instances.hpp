#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "engine/core/tiling.hpp"
#include "engine/pairs/pair_run.hpp"

namespace glycine::pairs {

/// The instances of some pairs, and these pairs renumbered among them, as by pairNumber.
struct FewInstances {
    std::vector<std::size_t> rows;  ///< ascending
    std::vector<std::size_t> pairs;

    explicit FewInstances(std::span<const std::size_t> numbers) {
        for (const std::size_t number : numbers) {
            const PairTile tile = pairNumber(number);
            rows.insert(rows.end(), {tile.rows.begin, tile.columns.begin});
        }
        std::ranges::sort(rows);
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        const auto placeOf = [this](std::size_t row) {
            return static_cast<std::size_t>(std::ranges::lower_bound(rows, row) - rows.begin());
        };
        for (const std::size_t number : numbers) {
            const PairTile tile = pairNumber(number);
            const std::size_t row = placeOf(tile.rows.begin);
            pairs.push_back(row * (row - 1) / 2 + placeOf(tile.columns.begin));
        }
    }
};

using TakePair = std::function<bool(const RecountedPair&)>;
/// Recounts pairs with only a few instances in memory at a time, within a limit of bytes. Requires that a
/// value depends on its own pair only. `count(few, take)` passes values on as recountByReference does.
template <class Count>
void countAmongFew(std::span<const std::size_t> pairs, std::size_t bytesOfInstance, const TakePair& take,
                   const Count& count) {
    constexpr std::size_t kBytesAtOnce = std::size_t{256} << 20;
    bool goesOn = true;
    for (const Range& part :
         splitRange(pairs.size(), std::max<std::size_t>(1, kBytesAtOnce / (2 * bytesOfInstance)))) {
        const FewInstances few(pairs.subspan(part.begin, part.size()));
        count(few, [&](const RecountedPair& found) {
            return goesOn = take({few.rows[found.row], few.rows[found.column], found.value, found.allowed});
        });
        if (!goesOn) return;
    }
}

}  // namespace glycine::pairs
