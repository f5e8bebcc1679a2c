#include "engine/pairs/few_instances.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/pairs/pair_tile.hpp"

namespace glycine::pairs {
namespace {

using testing::ElementsAre;

constexpr std::size_t numberOf(std::size_t row, std::size_t column) {
    return row * (row - 1) / 2 + column;
}

/// Passes on each pair of the few instances, whose value is a number of both instances' own.
void countAll(const FewInstances& few, const TakePair& take) {
    for (const std::size_t pair : few.pairs) {
        const PairTile tile = pairNumber(pair);
        const std::size_t row = tile.rows.begin, column = tile.columns.begin;
        const auto value = static_cast<double>(1000 * few.rows.at(row) + few.rows.at(column));
        if (!take({row, column, value, 0.5})) return;
    }
}

TEST(FewInstances, PairsKeepTheirInstances) {
    const std::vector<std::size_t> pairs{numberOf(9, 2), numberOf(5, 2), numberOf(9, 5)};
    std::vector<RecountedPair> found;
    const auto take = [&](const RecountedPair& pair) {
        found.push_back(pair);
        return true;
    };
    countAmongFew(pairs, 8, take, [](const FewInstances& few, const TakePair& one) {
        EXPECT_THAT(few.rows, ElementsAre(2, 5, 9));
        EXPECT_THAT(few.pairs, ElementsAre(numberOf(2, 0), numberOf(1, 0), numberOf(2, 1)));
        countAll(few, one);
    });
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].row, 9U);
    EXPECT_EQ(found[0].column, 2U);
    EXPECT_EQ(found[0].value, 9002);
    EXPECT_EQ(found[0].allowed, 0.5);
    EXPECT_EQ(found[2].value, 9005);
}

TEST(FewInstances, LargeInstancesComeOnePairAtATimeUntilStopped) {
    const std::vector<std::size_t> pairs{numberOf(1, 0), numberOf(2, 0), numberOf(3, 0)};
    std::vector<std::size_t> rows;
    const auto take = [&](const RecountedPair& pair) {
        rows.push_back(pair.row);
        return pair.row < 2;
    };
    std::size_t calls = 0;
    countAmongFew(pairs, std::size_t{256} << 20, take, [&](const FewInstances& few, const TakePair& one) {
        ++calls;
        EXPECT_EQ(few.rows.size(), 2U);
        countAll(few, one);
    });
    EXPECT_EQ(calls, 2U);
    EXPECT_THAT(rows, ElementsAre(1, 2));
}

}  // namespace
}  // namespace glycine::pairs
