#include "engine/pairs/few_instances.hpp"

#include <algorithm>

#include "engine/core/tiling.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::pairs {

void countAmongFew(std::span<const std::size_t> pairs, std::size_t bytesOfInstance, const TakePair& take,
                   const std::function<void(const FewInstances&, const TakePair&)>& count) {
    constexpr std::size_t kBytesAtOnce = std::size_t{256} << 20;
    bool goesOn = true;
    for (const Range& part :
         splitRange(pairs.size(), std::max<std::size_t>(1, kBytesAtOnce / (2 * bytesOfInstance)))) {
        FewInstances few;
        std::vector<std::size_t>& rows = few.rows;
        const std::span<const std::size_t> some = pairs.subspan(part.begin, part.size());
        for (const std::size_t pair : some) {
            const PairTile tile = pairNumber(pair);
            rows.insert(rows.end(), {tile.rows.begin, tile.columns.begin});
        }
        std::ranges::sort(rows);
        rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
        const auto placeOf = [&rows](std::size_t row) {
            return static_cast<std::size_t>(std::ranges::lower_bound(rows, row) - rows.begin());
        };
        for (const std::size_t pair : some) {
            const PairTile tile = pairNumber(pair);
            const std::size_t row = placeOf(tile.rows.begin);
            few.pairs.push_back(row * (row - 1) / 2 + placeOf(tile.columns.begin));
        }
        count(few, [&](const RecountedPair& found) {
            return goesOn = take({rows[found.row], rows[found.column], found.value, found.allowed});
        });
        if (!goesOn) return;
    }
}

}  // namespace glycine::pairs
