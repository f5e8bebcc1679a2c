#include "engine/gl/pairs/pair_regions.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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
