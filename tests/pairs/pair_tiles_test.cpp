// Tiles, regions and rows of pairs.
#include "engine/gl/pairs/pair_regions.hpp"
#include "engine/io/text/text_output.hpp"
#include "engine/pairs/files/pair_rows.hpp"
#include "engine/pairs/pair_tile.hpp"
#include "tests/test.hpp"

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

namespace glycine::pairs::gl {
namespace {

TEST(PairRegions, StepsHoldEverythingBelowTheDiagonal) {
    const PairTexels texels{8, 8};
    for (const std::size_t n : {1, 2, 8, 9, 17, 100, 1000})
        for (const int steps : {1, 4, 64}) {
            const std::vector<glycine::gl::Rectangle> regions = pairRegions({{0, n}, {0, n}}, texels, steps);
            EXPECT_LE(regions.size(), static_cast<std::size_t>(steps));
            int nextRow = 0;
            for (const glycine::gl::Rectangle& region : regions) {
                EXPECT_EQ(region.origin.y, nextRow);
                nextRow += region.size.y;
                const std::size_t lastRow = std::min(n, static_cast<std::size_t>(nextRow) * 8) - 1;
                EXPECT_GE(static_cast<std::size_t>(region.size.x) * 8, lastRow);
            }
            EXPECT_EQ(nextRow, static_cast<int>((n + 7) / 8));
        }
    EXPECT_EQ(pairRegions({{100, 117}, {0, 20}}, texels, 64).size(), 1U);
}

// A row instance in four rows of texels: none of them is cut off, and its columns go around them.
TEST(PairRegions, StepsHoldWholeRowsOfSeveralTexelRows) {
    const PairTexels texels{1, 4, 4};
    EXPECT_EQ(texels.shape(glycine::gl::TextureFormat::RGBA32F, 24).size.x, 2);
    EXPECT_EQ(texels.shape(glycine::gl::TextureFormat::RGBA32F, 24).size.y, 96);
    for (const std::size_t n : {1, 2, 4, 5, 16, 17, 33, 100})
        for (const int steps : {1, 4, 64}) {
            const std::vector<glycine::gl::Rectangle> regions = pairRegions({{0, n}, {0, n}}, texels, steps);
            EXPECT_LE(regions.size(), static_cast<std::size_t>(steps));
            int nextRow = 0;
            for (const glycine::gl::Rectangle& region : regions) {
                EXPECT_EQ(region.origin.y, nextRow);
                EXPECT_EQ(region.size.y % 4, 0);
                nextRow += region.size.y;
                EXPECT_GE(static_cast<std::size_t>(region.size.x) * 16,
                          std::min(n, static_cast<std::size_t>(nextRow) / 4) - 1);
            }
            EXPECT_EQ(nextRow, static_cast<int>(4 * n));
        }
    const std::vector<glycine::gl::Rectangle> whole = pairRegions({{100, 117}, {0, 20}}, texels, 64);
    ASSERT_EQ(whole.size(), 1U);
    EXPECT_EQ(whole[0].size.x, 2);
    EXPECT_EQ(whole[0].size.y, 68);
}

}  // namespace
}  // namespace glycine::pairs::gl

namespace glycine::pairs {
namespace {

std::string shortest(double value, ValueType type = ValueType::Float64) {
    char buffer[io::kNumberChars];
    return {buffer, writeValue(buffer, value, type)};
}

TEST(PairValueText, WholeNumbersAsSuch) {
    EXPECT_EQ(shortest(0), "0");
    EXPECT_EQ(shortest(-0.0), "0");
    EXPECT_EQ(shortest(-17), "-17");
    EXPECT_EQ(shortest(2147483648.0, ValueType::Float32), "2147483648");
    EXPECT_EQ(shortest(1e15), "1000000000000000");
}

TEST(PairValueText, ShortestThatReadsBack) {
    EXPECT_EQ(shortest(0.1), "0.1");
    EXPECT_EQ(shortest(0.1F, ValueType::Float32), "0.1");
    EXPECT_EQ(shortest(0.1F), "0.10000000149011612");
    EXPECT_EQ(shortest(1.0 / 3), "0.3333333333333333");
    EXPECT_EQ(shortest(1e300), "1e+300");
    EXPECT_EQ(shortest(kNaN), "nan");
    EXPECT_EQ(shortest(-std::numeric_limits<double>::infinity()), "-inf");
    std::mt19937_64 random(7);
    for (int k = 0; k < 20000; ++k) {
        const double value = std::exp(std::uniform_real_distribution<>(-80, 80)(random));
        EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
        const auto single = static_cast<float>(value);
        EXPECT_EQ(std::strtof(shortest(single, ValueType::Float32).c_str(), nullptr), single);
    }
}

}  // namespace
}  // namespace glycine::pairs
