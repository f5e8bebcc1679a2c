#include "engine/pairs/tile_digest.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::pairs {

namespace {

/// What a processor works on side by side. Values fit 31 bits, so that signed comparisons do, which every
/// x86-64 has. Comparing gives −1 where that holds, else 0.
using WholeLanes [[gnu::vector_size(16)]] = std::int32_t;
constexpr std::size_t kWholeLanes = sizeof(WholeLanes) / sizeof(std::int32_t);
constexpr std::int32_t kMostValue = std::numeric_limits<std::int32_t>::max();
/// Values after which sums of their halves, 16 bits each, might no longer fit a lane.
constexpr std::size_t kValuesOfSums = kWholeLanes << 14U;

WholeLanes load(const std::uint32_t* values, std::size_t count) {
    WholeLanes lanes = {};
    std::memcpy(&lanes, values, std::min(count, kWholeLanes) * sizeof(std::uint32_t));
    return lanes;
}

std::uint64_t sumOf(const WholeLanes& lanes) {
    std::uint64_t sum = 0;
    for (std::size_t lane = 0; lane < kWholeLanes; ++lane) sum += static_cast<std::uint32_t>(lanes[lane]);
    return sum;
}

/// The first column with this value, of pairs that have one.
std::uint32_t columnOf(std::uint32_t value, std::span<const std::uint32_t> values,
                       std::span<const std::uint32_t> inCommon, std::size_t leastInCommon) {
    for (auto place = values.begin();; ++place) {
        place = std::find(place, values.end(), value);
        const auto column = static_cast<std::size_t>(place - values.begin());
        if (inCommon.empty() || inCommon[column] >= leastInCommon) return static_cast<std::uint32_t>(column);
    }
}

}  // namespace

RowDigest digestOfRow(std::span<const std::uint32_t> values, std::span<const std::uint32_t> inCommon,
                      std::size_t leastInCommon, std::uint32_t largest) {
    RowDigest digest;
    const auto least = static_cast<std::int32_t>(std::min<std::size_t>(leastInCommon, kMostValue));
    const auto closest = static_cast<std::int32_t>(std::min<std::uint32_t>(largest, kMostValue));
    WholeLanes smallest = WholeLanes{} + kMostValue;
    WholeLanes most = WholeLanes{} - 1;
    for (std::size_t begin = 0; begin < values.size(); begin += kValuesOfSums) {
        const std::size_t end = std::min(begin + kValuesOfSums, values.size());
        WholeLanes low = {};
        WholeLanes high = {};
        WholeLanes known = {};
        WholeLanes zeros = {};
        WholeLanes close = {};
        for (std::size_t k = begin; k < end; k += kWholeLanes) {
            const WholeLanes value = load(values.data() + k, end - k);
            WholeLanes counts = WholeLanes{} - 1;  // whether the pair has a value
            if (end - k < kWholeLanes)
                for (std::size_t lane = end - k; lane < kWholeLanes; ++lane) counts[lane] = 0;
            if (!inCommon.empty()) counts &= load(inCommon.data() + k, end - k) >= least;
            low += value & 0xffff & counts;
            high += (value >> 16) & counts;
            known -= counts;
            zeros -= (value == 0) & counts;
            close -= (value <= closest) & counts;
            const WholeLanes orMost = (value & counts) | (~counts & kMostValue);
            smallest = orMost < smallest ? orMost : smallest;
            const WholeLanes orLess = value | ~counts;  // −1 where there is no value
            most = orLess > most ? orLess : most;
        }
        digest.sum += sumOf(low) + (sumOf(high) << 16U);
        digest.known += static_cast<std::uint32_t>(sumOf(known));
        digest.zeros += static_cast<std::uint32_t>(sumOf(zeros));
        digest.close += static_cast<std::uint32_t>(sumOf(close));
    }
    if (digest.known == 0) return digest;
    digest.smallest = static_cast<std::uint32_t>(kMostValue);
    for (std::size_t lane = 0; lane < kWholeLanes; ++lane) {
        digest.smallest = std::min(digest.smallest, static_cast<std::uint32_t>(smallest[lane]));
        digest.largest =
            std::max(digest.largest, static_cast<std::uint32_t>(std::max(most[lane], std::int32_t{0})));
    }
    digest.smallestColumn = columnOf(digest.smallest, values, inCommon, leastInCommon);
    digest.largestColumn = columnOf(digest.largest, values, inCommon, leastInCommon);
    return digest;
}

TileDigest digestOfTile(const PairTile& tile, MatrixView<const std::uint32_t> values,
                        MatrixView<const std::uint32_t> inCommon, std::size_t leastInCommon,
                        const DigestWish& wish) {
    constexpr std::size_t kDigestedRows = 64;
    const std::size_t first = tile.columns.begin;
    const std::vector<Range> ranges = splitRange(tile.rows.size(), kDigestedRows);
    TileDigest digest{std::vector<RowDigest>(tile.rows.size()), {}, {}};
    std::vector<TileDigest> parts(ranges.size());
    parallelFor(omp_get_max_threads(), ranges.size(), [&](std::size_t index, std::size_t) {
        for (std::size_t r = ranges[index].begin; r < ranges[index].end; ++r) {
            const std::size_t row = tile.rows.begin + r;
            const std::size_t columns = tile.isDiagonal() ? r : tile.columns.size();
            const std::span<const std::uint32_t> known(leastInCommon > 0 ? inCommon.row(r) : nullptr,
                                                       leastInCommon > 0 ? columns : 0);
            const std::span<const std::uint32_t> found(values.row(r), columns);
            const auto pairOf = [&](std::size_t column) {
                const bool hasValue = known.empty() || known[column] >= leastInCommon;
                return ClosePair{static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(first + column),
                                 hasValue ? found[column] : std::numeric_limits<double>::quiet_NaN()};
            };
            digest.rows[r] = digestOfRow(found, known, leastInCommon, wish.largest);
            std::uint32_t left = digest.rows[r].close;
            for (std::size_t column = 0; left > 0; ++column) {
                const ClosePair pair = pairOf(column);
                if (!(pair.value <= wish.largest)) continue;
                parts[index].close.push_back(pair);
                --left;
            }
            if (wish.samples.empty() || row == 0) continue;
            const std::size_t number = row * (row - 1) / 2 + first;
            for (auto sample = std::ranges::lower_bound(wish.samples, number);
                 sample != wish.samples.end() && *sample < number + columns; ++sample)
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
