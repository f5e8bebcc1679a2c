#include "engine/pairs/pair_tile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace glycine::pairs {
namespace {

TEST(PairNumber, CountsAllPairsBelowTheDiagonal) {
    std::size_t number = 0;
    for (std::size_t row = 1; row < 60; ++row)
        for (std::size_t column = 0; column < row; ++column, ++number)
            EXPECT_EQ(pairNumber(number), (PairTile{{row, row + 1}, {column, column + 1}})) << number;
    // Where a double has lost the last digits.
    const std::size_t n = std::size_t{1} << 31;
    EXPECT_EQ(pairNumber(n * (n - 1) / 2 - 1), (PairTile{{n - 1, n}, {n - 2, n - 1}}));
    EXPECT_EQ(pairNumber(n * (n - 1) / 2), (PairTile{{n, n + 1}, {0, 1}}));
}

TEST(CutTile, PiecesHoldEachPairOnce) {
    for (const PairTile& tile : {PairTile{{10, 45}, {10, 45}}, PairTile{{30, 41}, {3, 25}}}) {
        Matrix<int> hits(64, 64, 0);
        std::size_t pairs = 0;
        for (const PairTile& piece : cutTile(tile, 8)) {
            EXPECT_TRUE(piece.isDiagonal() || piece.columns.end <= piece.rows.begin);
            pairs += piece.pairs();
            for (std::size_t i = piece.rows.begin; i < piece.rows.end; ++i)
                for (std::size_t j = piece.columns.begin; j < std::min(piece.columns.end, i); ++j)
                    ++hits(i, j);
        }
        EXPECT_EQ(pairs, tile.pairs());
        EXPECT_EQ(static_cast<std::size_t>(std::accumulate(hits.data(), hits.data() + hits.size(), 0)),
                  pairs);
        EXPECT_LE(*std::max_element(hits.data(), hits.data() + hits.size()), 1);
    }
}

}  // namespace
}  // namespace glycine::pairs
