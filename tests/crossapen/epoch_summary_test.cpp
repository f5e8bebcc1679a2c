#include "engine/crossapen/results/subject_entropies.hpp"
#include "tests/special_values.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <string>

namespace glycine::crossapen {
namespace {

using glycine::test::kInfinity;
using glycine::test::kNaN;

/// The summary of one element over epochs.
EntropyMatrix summaryOf(std::initializer_list<double> values) {
    EpochSummary summary(1, 1, false);
    for (const double value : values) summary.add(Matrix<double>(1, 1, value).view());
    return summary.finish("name", "label");
}

TEST(EpochSummary, MeanAndDeviationByHand) {
    // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squared deviations 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32.
    const EntropyMatrix result = summaryOf({2, 4, 4, 4, 5, 5, 7, 9});
    EXPECT_EQ(result.name, "name");
    EXPECT_EQ(result.label, "label");
    EXPECT_DOUBLE_EQ(result.mean(0, 0), 5);
    EXPECT_DOUBLE_EQ(result.deviation(0, 0), std::sqrt(32.0 / 7));
    EXPECT_EQ(result.epochsUsed(0, 0), 8);
    EXPECT_TRUE(result.epochs.empty());
}

TEST(EpochSummary, ElementsAreApart) {
    EpochSummary summary(2, 3, false);
    Matrix<double> values(2, 3);
    for (const double epoch : {0.0, 1.0}) {
        for (std::size_t k = 0; k < values.size(); ++k) values.data()[k] = static_cast<double>(k) + 4 * epoch;
        summary.add(values.view());
    }
    const EntropyMatrix result = summary.finish("", "");
    ASSERT_EQ(result.mean.rows(), 2);
    ASSERT_EQ(result.mean.columns(), 3);
    for (std::size_t k = 0; k < values.size(); ++k) {
        EXPECT_EQ(result.mean.data()[k], static_cast<double>(k) + 2);
        EXPECT_DOUBLE_EQ(result.deviation.data()[k], std::sqrt(8.0));
    }
}

TEST(EpochSummary, NothingCancelsBesideALargeMean) {
    // Squares of these do not fit the 53 bits of a double together with their differences.
    const EntropyMatrix result = summaryOf({1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16});
    EXPECT_EQ(result.mean(0, 0), 1e9 + 10);
    EXPECT_DOUBLE_EQ(result.deviation(0, 0), std::sqrt(30.0));
}

TEST(EpochSummary, UndefinedValuesAreLeftOut) {
    const EntropyMatrix result = summaryOf({kNaN, 1, kNaN, 3});
    EXPECT_EQ(result.mean(0, 0), 2);
    EXPECT_DOUBLE_EQ(result.deviation(0, 0), std::sqrt(2.0));
    EXPECT_EQ(result.epochsUsed(0, 0), 2);
}

TEST(EpochSummary, FewEpochs) {
    const EntropyMatrix none = summaryOf({kNaN, kNaN});
    EXPECT_TRUE(std::isnan(none.mean(0, 0)));
    EXPECT_TRUE(std::isnan(none.deviation(0, 0)));
    EXPECT_EQ(none.epochsUsed(0, 0), 0);
    const EntropyMatrix one = summaryOf({1.5});
    EXPECT_EQ(one.mean(0, 0), 1.5);
    EXPECT_TRUE(std::isnan(one.deviation(0, 0)));
    EXPECT_EQ(one.epochsUsed(0, 0), 1);
}

TEST(EpochSummary, InfiniteValues) {
    const EntropyMatrix above = summaryOf({1, kInfinity, 2, kInfinity});
    EXPECT_EQ(above.mean(0, 0), kInfinity);
    EXPECT_TRUE(std::isnan(above.deviation(0, 0)));
    EXPECT_EQ(above.epochsUsed(0, 0), 4);
    EXPECT_EQ(summaryOf({-kInfinity, 1}).mean(0, 0), -kInfinity);
    EXPECT_TRUE(std::isnan(summaryOf({-kInfinity, kInfinity}).mean(0, 0)));
}

TEST(EpochSummary, EpochsAreKeptOnRequest) {
    EpochSummary summary(1, 2, true);
    Matrix<double> values(1, 2, 1.0);
    summary.add(values.view());
    values(0, 1) = kNaN;
    summary.add(values.view());
    const EntropyMatrix result = summary.finish("", "");
    ASSERT_EQ(result.epochs.size(), 2);
    EXPECT_EQ(result.epochs[0](0, 1), 1);
    EXPECT_TRUE(std::isnan(result.epochs[1](0, 1)));
    EXPECT_EQ(result.epochsUsed(0, 1), 1);
}

}  // namespace
}  // namespace glycine::crossapen
