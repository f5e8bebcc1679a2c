#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/pairs/close_pairs.hpp"
#include "tests/test.hpp"

namespace glycine::pairs {
namespace {

constexpr std::size_t kInstances = 90;

/// Counts in the form that a device has: differing attributes, and attributes in common.
struct Counts {
    Matrix<std::uint32_t> differing{kInstances, kInstances, 0};
    Matrix<std::uint32_t> inCommon{kInstances, kInstances, 0};
    std::size_t leastInCommon = 0;

    explicit Counts(bool hasMissing) : leastInCommon(hasMissing ? 8 : 0) {
        std::mt19937 random(7);
        for (std::size_t i = 0; i < kInstances; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                // Few distinct values, so that many are equal, and a row in which nothing is known.
                differing(i, j) = random() % 6 == 0 ? 0 : random() % 9;
                inCommon(i, j) = i == 33 ? 0 : random() % 20;
            }
    }
    double value(std::size_t row, std::size_t column) const {
        return inCommon(row, column) < leastInCommon ? std::numeric_limits<double>::quiet_NaN()
                                                     : differing(row, column);
    }
    TileDigest digest(const PairTile& tile, const DigestRequest& digestRequest) const {
        TileDigest digest;
        for (std::size_t row = tile.rows.begin; row < tile.rows.end; ++row) {
            const std::size_t columns = tile.isDiagonal() ? row - tile.rows.begin : tile.columns.size();
            const std::size_t first = tile.columns.begin;
            digest.rows.push_back(digestOfRow({&differing(row, first), columns},
                                              {&inCommon(row, first), leastInCommon > 0 ? columns : 0},
                                              leastInCommon, digestRequest.largest));
            for (std::size_t column = first; column < first + columns; ++column) {
                const ClosePair pair{static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column),
                                     value(row, column)};
                if (pair.value <= digestRequest.largest) digest.close.push_back(pair);
                if (std::ranges::binary_search(digestRequest.samples, row * (row - 1) / 2 + column))
                    digest.samples.push_back(pair);
            }
        }
        return digest;
    }
};

struct Found {
    std::vector<ClosePair> close;
    ValueSummary summary;
    std::vector<double> samples;
    std::size_t digests = 0;
};

/// `everyOther`: the backend computes digests of every other tile only.
Found find(const Counts& counts, double largest, bool byDigests, bool everyOther = false,
           ValueType type = ValueType::Int32) {
    const std::vector<std::size_t> numbers{0, 5, 560, 561, 700, 1200, kInstances * (kInstances - 1) / 2 - 1};
    Found found;
    found.samples.assign(numbers.size(), -1);
    ClosePairs close(kInstances, type, largest, 0, 0,
                     {numbers, [&](std::size_t row, std::size_t first, std::span<const double> values) {
                          for (std::size_t k = 0; k < numbers.size(); ++k) {
                              const std::size_t place = numbers[k] - row * (row - 1) / 2 - first;
                              if (place < values.size()) found.samples[k] = values[place];
                          }
                      }});
    TileSteps steps{[&](const TileWork& work) {
        for (std::size_t r = 0; r < work.tile.rows.size(); ++r)
            for (std::size_t c = 0; c < work.tile.columns.size(); ++c)
                work.values(r, c) = counts.value(work.tile.rows.begin + r, work.tile.columns.begin + c);
    }};
    std::size_t asked = 0;
    if (byDigests)
        steps.digest = [&](const PairTile& tile,
                           const DigestRequest& digestRequest) -> std::optional<TileDigest> {
            if (everyOther && asked++ % 2 == 1) return std::nullopt;
            ++found.digests;
            return counts.digest(tile, digestRequest);
        };
    Progress progress;
    computeTiles({.instances = kInstances, .side = 25, .stage = "counting", .workPerPair = 1}, close,
                 progress, steps);
    found.close = close.sorted();
    found.summary = close.summary();
    return found;
}

void expectSame(const Found& found, const Found& expected) {
    EXPECT_EQ(found.close, expected.close);
    EXPECT_EQ(found.summary.pairs, expected.summary.pairs);
    EXPECT_EQ(found.summary.undefined, expected.summary.undefined);
    EXPECT_EQ(found.summary.identical, expected.summary.identical);
    EXPECT_EQ(found.summary.mean, expected.summary.mean);
    EXPECT_EQ(found.summary.smallest, expected.summary.smallest);
    EXPECT_EQ(found.summary.largest, expected.summary.largest);
    for (std::size_t end = 0; end < 2; ++end) {
        EXPECT_EQ(found.summary.smallestPair[end], expected.summary.smallestPair[end]);
        EXPECT_EQ(found.summary.largestPair[end], expected.summary.largestPair[end]);
    }
    for (std::size_t k = 0; k < expected.samples.size(); ++k)
        EXPECT_TRUE(found.samples[k] == expected.samples[k] ||
                    (std::isnan(found.samples[k]) && std::isnan(expected.samples[k])))
            << k;
}

/// Digests one value after another.
RowDigest plainDigest(std::span<const std::uint32_t> values, std::span<const std::uint32_t> inCommon,
                      std::size_t leastInCommon, std::uint32_t largest) {
    RowDigest digest;
    for (std::uint32_t column = 0; column < values.size(); ++column) {
        if (!inCommon.empty() && inCommon[column] < leastInCommon) continue;
        const std::uint32_t value = values[column];
        digest.sum += value;
        ++digest.known;
        digest.zeros += value == 0;
        digest.close += value <= largest;
        if (value < digest.smallest)
            std::tie(digest.smallest, digest.smallestColumn) = std::tie(value, column);
        if (value > digest.largest || digest.known == 1)
            std::tie(digest.largest, digest.largestColumn) = std::tie(value, column);
    }
    return digest;
}

TEST(RowDigest, IsThatOfAPlainLoop) {
    constexpr std::uint32_t kMax = std::numeric_limits<std::int32_t>::max();
    std::mt19937 random(3);
    for (const std::size_t size : {0, 1, 2, 3, 4, 5, 7, 8, 9, 63, 1000, 65535, 65536, 65537, 140001})
        for (const std::uint32_t bound : {std::uint32_t{1}, std::uint32_t{4}, kMax})
            for (const std::size_t least : {0, 5, 20}) {
                std::vector<std::uint32_t> values(size), inCommon(least > 0 ? size : 0);
                for (std::uint32_t& value : values)
                    value = bound == kMax ? kMax - random() % 9 : random() % bound;
                for (std::uint32_t& common : inCommon) common = random() % 20;
                for (const std::uint32_t largest : {std::uint32_t{0}, bound / 2, kMax})
                    EXPECT_TRUE(digestOfRow(values, inCommon, least, largest) ==
                                plainDigest(values, inCommon, least, largest))
                        << size << " values below " << bound << ", " << least << ", " << largest;
            }
}

TEST(RowDigest, SumsOfLongRowsDoNotOverflow) {
    // More than 2¹⁶ values per lane of the widest registers.
    constexpr std::uint32_t kMax = std::numeric_limits<std::int32_t>::max();
    const std::vector<std::uint32_t> values((std::size_t{1} << 20U) + 37, kMax);
    EXPECT_EQ(digestOfRow(values, {}, 0, 0).sum, std::uint64_t{kMax} * values.size());
}

TEST(TileDigest, GivesWhatAllValuesGive) {
    for (const bool hasMissing : {false, true}) {
        const Counts counts(hasMissing);
        for (const double largest : {0.0, 2.5, 1e9}) {
            const Found expected = find(counts, largest, false);
            EXPECT_EQ(expected.summary.undefined > 0, hasMissing);
            const Found found = find(counts, largest, true);
            EXPECT_EQ(found.digests, 10U);
            expectSame(found, expected);
            expectSame(find(counts, largest, true, true), expected);
        }
    }
}

/// The counts of a tile as whole numbers.
WholeTile wholeOf(Counts& counts, const PairTile& tile) {
    const auto part = [&](Matrix<std::uint32_t>& all) {
        return all.view().block(tile.rows.begin, tile.columns.begin, tile.rows.size(), tile.columns.size());
    };
    return {part(counts.differing), part(counts.inCommon), counts.leastInCommon};
}

/// Passes all tiles to `sink`, as whole numbers if `isWhole`; returns how many were passed that way.
std::size_t fill(PairSink& sink, Counts& counts, bool isWhole) {
    std::size_t wholes = 0;
    TileSteps steps{.compute = [](const TileWork&) {},
                    .finish =
                        [&](const TileWork& work) {
                            for (std::size_t r = 0; r < work.tile.rows.size(); ++r)
                                for (std::size_t c = 0; c < work.tile.columns.size(); ++c)
                                    work.values(r, c) =
                                        counts.value(work.tile.rows.begin + r, work.tile.columns.begin + c);
                        },
                    .whole = [&](const TileWork& work) -> std::optional<WholeTile> {
                        if (!isWhole) return std::nullopt;
                        ++wholes;
                        return wholeOf(counts, work.tile);
                    }};
    Progress progress;
    computeTiles({.instances = kInstances, .side = 25, .stage = "counting", .workPerPair = 1}, sink, progress,
                 steps);
    return wholes;
}

TEST(WholeTile, ClosePairsAreThoseOfItsValues) {
    for (const bool hasMissing : {false, true}) {
        Counts counts(hasMissing);
        for (const double largest : {0.0, 2.5, 1e9}) {
            ClosePairs close(kInstances, ValueType::Int32, largest, 0);
            EXPECT_EQ(fill(close, counts, true), 10U);
            const Found expected = find(counts, largest, false);
            expectSame({close.sorted(), close.summary(), {}, 0}, {expected.close, expected.summary, {}, 0});
        }
    }
    Counts counts(false);
    ClosePairs all(kInstances, ValueType::Float64, 3, 0);
    EXPECT_EQ(fill(all, counts, true), 0U);
}

TEST(WholeTile, IsStoredAndSummedUpAsItsValues) {
    for (const bool hasMissing : {false, true})
        for (const StoreLayout layout : {StoreLayout::Triangle, StoreLayout::Condensed, StoreLayout::Square})
            for (const ValueType type : {ValueType::Int32, ValueType::Float32, ValueType::Float64}) {
                SCOPED_TRACE(testing::Message() << toString(layout) << ' ' << toString(type));
                Counts counts(hasMissing);
                counts.differing(5, 3) = std::numeric_limits<std::int32_t>::max();  // float32 rounds this
                                                                                    // value
                counts.inCommon(5, 3) = 20;
                const PairFormat format{{kInstances, layout}, type};
                const std::size_t bytes = storedBytes(format.layout, type);
                Matrix<std::byte> memory(3, bytes, std::byte{});
                PairStore store(format, memory.row(0)), expected(format, memory.row(1)),
                    alone(format, memory.row(2));
                SummarizedStore sums(store, 0), expectedSums(expected, 0);
                EXPECT_EQ(fill(sums, counts, true), type == ValueType::Float32 ? 0U : 10U);
                EXPECT_EQ(fill(alone, counts, true), 10U);
                EXPECT_EQ(fill(expectedSums, counts, false), 0U);
                for (const std::size_t whole : {0, 2})
                    EXPECT_TRUE(std::equal(memory.row(1), memory.row(1) + bytes, memory.row(whole)));
                expectSame({{}, sums.summary(), {}, 0}, {{}, expectedSums.summary(), {}, 0});
            }
}

TEST(TileDigest, IsNotRequestedWhereItDoesNotSuffice) {
    const Counts counts(false);
    EXPECT_EQ(find(counts, 3, true, false, ValueType::Float64).digests, 0U);
    EXPECT_EQ(find(counts, -1, true).digests, 0U);
}

}  // namespace
}  // namespace glycine::pairs
