#include "engine/gl/pairs/pair_regions.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace glycine::pairs::gl {
namespace {

TEST(PairRegions, StepsHoldEverythingBelowTheDiagonal) {
    const PairTexels texels{8, 8};
    for (const std::size_t n : {1, 2, 8, 9, 17, 100, 1000})
        for (const int steps : {1, 4, 64}) {
            const std::vector<glycine::gl::Rect> regions = pairRegions({{0, n}, {0, n}}, texels, steps);
            EXPECT_LE(regions.size(), static_cast<std::size_t>(steps));
            int nextRow = 0;
            for (const glycine::gl::Rect& region : regions) {
                EXPECT_EQ(region.y, nextRow);
                nextRow += region.height;
                const std::size_t lastRow = std::min(n, static_cast<std::size_t>(nextRow) * 8) - 1;
                EXPECT_GE(static_cast<std::size_t>(region.width) * 8, lastRow);
            }
            EXPECT_EQ(nextRow, static_cast<int>((n + 7) / 8));
        }
    EXPECT_EQ(pairRegions({{100, 117}, {0, 20}}, texels, 64).size(), 1U);
}

// A row instance in four rows of texels: none of them is cut off, and its columns go around them.
TEST(PairRegions, StepsHoldWholeRowsOfSeveralTexelRows) {
    const PairTexels texels{1, 4, 4};
    EXPECT_EQ(texels.shape(glycine::gl::TextureFormat::RGBA32F, 24).width, 2);
    EXPECT_EQ(texels.shape(glycine::gl::TextureFormat::RGBA32F, 24).height, 96);
    for (const std::size_t n : {1, 2, 4, 5, 16, 17, 33, 100})
        for (const int steps : {1, 4, 64}) {
            const std::vector<glycine::gl::Rect> regions = pairRegions({{0, n}, {0, n}}, texels, steps);
            EXPECT_LE(regions.size(), static_cast<std::size_t>(steps));
            int nextRow = 0;
            for (const glycine::gl::Rect& region : regions) {
                EXPECT_EQ(region.y, nextRow);
                EXPECT_EQ(region.height % 4, 0);
                nextRow += region.height;
                EXPECT_GE(static_cast<std::size_t>(region.width) * 16,
                          std::min(n, static_cast<std::size_t>(nextRow) / 4) - 1);
            }
            EXPECT_EQ(nextRow, static_cast<int>(4 * n));
        }
    const std::vector<glycine::gl::Rect> whole = pairRegions({{100, 117}, {0, 20}}, texels, 64);
    ASSERT_EQ(whole.size(), 1U);
    EXPECT_EQ(whole[0].width, 2);
    EXPECT_EQ(whole[0].height, 68);
}

}  // namespace
}  // namespace glycine::pairs::gl
