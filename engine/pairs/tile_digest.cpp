#include "engine/pairs/tile_digest.hpp"

#include <omp.h>

#include <algorithm>
#include <limits>

#include "engine/core/instruction_set.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"
#include "engine/pairs/cpu/row_digest_kernel.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::pairs {

RowDigest digestOfRow(std::span<const std::uint32_t> values, std::span<const std::uint32_t> inCommon,
                      std::size_t leastInCommon, std::uint32_t largest) {
    static const RowDigestKernel kernel = kernelFor<RowDigestKernel>(detectInstructionSet());
    constexpr std::uint32_t kMax = std::numeric_limits<std::int32_t>::max();
    return kernel.digest(values.data(), inCommon.empty() ? nullptr : inCommon.data(), values.size(),
                         static_cast<std::int32_t>(std::min<std::size_t>(leastInCommon, kMax)),
                         static_cast<std::int32_t>(std::min(largest, kMax)));
}

TileDigest digestOfTile(const PairTile& tile, const WholeTile& whole, const DigestRequest& digestRequest) {
    constexpr std::size_t kDigestedRows = 64;
    const std::size_t first = tile.columns.begin;
    const std::vector<Range> ranges = splitRange(tile.rows.size(), kDigestedRows);
    TileDigest digest{std::vector<RowDigest>(tile.rows.size()), {}, {}};
    std::vector<TileDigest> parts(ranges.size());
    // Other threads are not worth waking for few pairs.
    const int threads = tile.pairs() > 100'000 ? omp_get_max_threads() : 1;
    parallelFor(threads, ranges.size(), [&](std::size_t index, std::size_t) {
        for (std::size_t r = ranges[index].begin; r < ranges[index].end; ++r) {
            const std::size_t row = tile.rows.begin + r;
            const std::size_t columns = tile.columnsOf(r);
            const bool isPartial = whole.leastInCommon > 0;
            const std::span<const std::uint32_t> known(isPartial ? whole.inCommon.row(r) : nullptr,
                                                       isPartial ? columns : 0);
            const std::span<const std::uint32_t> found(whole.values.row(r), columns);
            const auto pairOf = [&](std::size_t column) {
                return ClosePair{
                    static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(first + column),
                    whole.hasValue(r, column) ? found[column] : std::numeric_limits<double>::quiet_NaN()};
            };
            digest.rows[r] = digestOfRow(found, known, whole.leastInCommon, digestRequest.largest);
            std::uint32_t left = digest.rows[r].close;
            for (std::size_t column = 0; left > 0; ++column) {
                const ClosePair pair = pairOf(column);
                if (!(pair.value <= digestRequest.largest)) continue;
                parts[index].close.push_back(pair);
                --left;
            }
            if (digestRequest.samples.empty() || row == 0) continue;
            const std::size_t number = row * (row - 1) / 2 + first;
            for (auto sample = std::ranges::lower_bound(digestRequest.samples, number);
                 sample != digestRequest.samples.end() && *sample < number + columns; ++sample)
                parts[index].samples.push_back(pairOf(*sample - number));
        }
    });
    for (const TileDigest& part : parts) {
        digest.close.insert(digest.close.end(), part.close.begin(), part.close.end());
        digest.samples.insert(digest.samples.end(), part.samples.begin(), part.samples.end());
    }
    return digest;
}

}  // namespace glycine::pairs
