#include "engine/core/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace glycine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Samples, AreDistinctWithTheFirstAndTheLast) {
    EXPECT_THAT(drawSamples(3, 3, 1), ElementsAre(0, 1, 2));
    EXPECT_THAT(drawSamples(2, 100, 1), ElementsAre(0, 1));
    EXPECT_THAT(drawSamples(0, 5, 1), IsEmpty());
    EXPECT_THAT(drawSamples(9, 2, 1), ElementsAre(0, 8));
    EXPECT_THAT(drawSamples(9, 1, 1), ElementsAre(0));
    EXPECT_THAT(drawSamples(9, 0, 1), IsEmpty());
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const std::vector<std::size_t> samples = drawSamples(50, 10, seed);
        ASSERT_EQ(samples.size(), 10U);
        EXPECT_EQ(samples.front(), 0U);
        EXPECT_EQ(samples.back(), 49U);
        for (std::size_t i = 1; i < samples.size(); ++i) EXPECT_LT(samples[i - 1], samples[i]);
    }
    const std::vector<std::size_t> drawn = drawSamples(1000, 20, 1);
    EXPECT_EQ(drawn, drawSamples(1000, 20, 1));
    EXPECT_NE(drawn, drawSamples(1000, 20, 2));
}

TEST(SpreadSamples, TakeOneOfEachPart) {
    EXPECT_THAT(spreadSamples(3, 5, 1), ElementsAre(0, 1, 2));
    EXPECT_THAT(spreadSamples(0, 5, 1), IsEmpty());
    EXPECT_THAT(spreadSamples(9, 0, 1), IsEmpty());
    std::vector<std::size_t> all;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const std::vector<std::size_t> samples = spreadSamples(14, 4, seed);  // 4, 4, 3 and 3 numbers
        ASSERT_EQ(samples.size(), 4U);
        const std::size_t ends[] = {4, 8, 11, 14};
        for (std::size_t part = 0; part < 4; ++part) {
            EXPECT_LT(samples[part], ends[part]);
            EXPECT_GE(samples[part], part == 0 ? 0 : ends[part - 1]);
        }
        all.insert(all.end(), samples.begin(), samples.end());
    }
    for (std::size_t number = 0; number < 14; ++number) EXPECT_THAT(all, testing::Contains(number));
    EXPECT_EQ(spreadSamples(std::size_t{1} << 40, 12, 1), spreadSamples(std::size_t{1} << 40, 12, 1));
}

}  // namespace
}  // namespace glycine
