#include "engine/study/samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace glycine::study {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Samples, AreDistinctWithTheFirstAndTheLast) {
    RandomSequence random(1);
    EXPECT_THAT(drawSamples(3, 3, random), ElementsAre(0, 1, 2));
    EXPECT_THAT(drawSamples(2, 100, random), ElementsAre(0, 1));
    EXPECT_THAT(drawSamples(0, 5, random), IsEmpty());
    EXPECT_THAT(drawSamples(9, 2, random), ElementsAre(0, 8));
    EXPECT_THAT(drawSamples(9, 1, random), ElementsAre(0));
    for (int draw = 0; draw < 20; ++draw) {
        const std::vector<std::size_t> samples = drawSamples(50, 10, random);
        ASSERT_EQ(samples.size(), 10U);
        EXPECT_EQ(samples.front(), 0U);
        EXPECT_EQ(samples.back(), 49U);
        for (std::size_t i = 1; i < samples.size(); ++i) EXPECT_LT(samples[i - 1], samples[i]);
    }
    RandomSequence again(1);
    RandomSequence once(1);
    EXPECT_EQ(drawSamples(1000, 20, again), drawSamples(1000, 20, once));
}

}  // namespace
}  // namespace glycine::study
