// Ranks against counting, where values differ in their last bits, are tied, missing or zeros of both signs.
#include "engine/mutualinfo/spline_basis.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "engine/core/random.hpp"
#include "tests/special_values.hpp"

namespace glycine::mutualinfo {
namespace {

using glycine::test::kNaN;
using testing::ElementsAre;
using testing::IsNan;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> ranksOf(const std::vector<double>& values, bool shareTies) {
    std::vector<double> ranks(values.size());
    SampleRanks().find(values, shareTies, ranks);
    return ranks;
}

/// By counting, for each value, those that come before it.
std::vector<double> countedRanks(const std::vector<double>& values, bool shareTies) {
    std::vector<double> ranks;
    for (std::size_t i = 0; i < values.size(); ++i) {
        double smaller = 0, equal = 0, equalBefore = 0;
        for (std::size_t j = 0; j < values.size(); ++j) {
            smaller += values[j] < values[i] ? 1 : 0;
            equal += values[j] == values[i] ? 1 : 0;
            equalBefore += j <= i && values[j] == values[i] ? 1 : 0;
        }
        ranks.push_back(std::isnan(values[i]) ? kNaN : smaller + (shareTies ? (1 + equal) / 2 : equalBefore));
    }
    return ranks;
}

TEST(SampleRanks, ByHand) {
    const std::vector<double> values{3, -1, kNaN, 3, -kInfinity, 0, -0.0, kInfinity};
    EXPECT_THAT(ranksOf(values, true), ElementsAre(5.5, 2, IsNan(), 5.5, 1, 3.5, 3.5, 7));
    EXPECT_THAT(ranksOf(values, false), ElementsAre(5, 2, IsNan(), 6, 1, 3, 4, 7));
    EXPECT_TRUE(ranksOf({}, true).empty());
}

// Values that share their upper 32 bits are told apart by what follows.
TEST(SampleRanks, AsCountingTellsThem) {
    RandomSequence random(7);
    for (const double spacing : {1e-14, 1e-9, 1.0}) {
        std::vector<double> values;
        for (int i = 0; i < 700; ++i)
            values.push_back((random.below(2) == 0 ? -1 : 1) *
                             (1 + spacing * static_cast<double>(random.below(400))));
        for (int i = 0; i < 30; ++i) values[random.below(values.size())] = kNaN;
        for (const bool shareTies : {false, true}) {
            SCOPED_TRACE(testing::Message() << spacing << ' ' << shareTies);
            const std::vector<double> found = ranksOf(values, shareTies);
            const std::vector<double> expected = countedRanks(values, shareTies);
            for (std::size_t i = 0; i < values.size(); ++i)
                EXPECT_TRUE(found[i] == expected[i] || std::isnan(values[i])) << i;
        }
    }
}

TEST(SampleRanks, AreSpreadWhereNoValueComesOften) {
    std::vector<double> values;
    for (int i = 0; i < 100000; ++i) values.push_back(static_cast<double>(i / 2) * 0.1);
    EXPECT_TRUE(areSpread(values, 2));  // with many more values than places of its table
    EXPECT_FALSE(areSpread(values, 1));
    values[5] = values[99999];
    EXPECT_FALSE(areSpread(values, 2));
    EXPECT_TRUE(areSpread(values, 3));
    values[5] = kNaN;
    EXPECT_FALSE(areSpread(values, 3));
    EXPECT_FALSE(areSpread(std::vector<double>{0.0, -0.0}, 1));
    EXPECT_TRUE(areSpread({}, 1));
}

}  // namespace
}  // namespace glycine::mutualinfo
