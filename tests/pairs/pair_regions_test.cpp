#include "engine/pairs/gl/pair_regions.hpp"

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

}  // namespace
}  // namespace glycine::pairs::gl
