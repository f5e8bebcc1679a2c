// From counts to measures: cases worked by hand, and laws that hold for all data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/error.hpp"
#include "engine/distance/random_data.hpp"
#include "tests/distance/distance_fixtures.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::distance {
namespace {

using fixtures::compute;
using fixtures::genotypes;
using fixtures::view;
using ::glycine::test::messageOf;
using ::testing::HasSubstr;

class DistanceValues : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        if (BackendRegistry::instance().entries().empty()) registerHostBackends();
    }
};

// Attributes that both have: the first three. 0|2 share no allele, 1|1 both, 2|1 one:
// IBS0 = IBS1 = IBS2 = 1, N = 3, M = 5.
const char* const kFirst = "012.2";
const char* const kSecond = "2110.";

struct Expected {
    Measure measure;
    MissingRule rule;
    double value;
};

TEST_F(DistanceValues, byHand) {
    const SymbolMatrix data = genotypes({kFirst, kSecond});
    const Expected cases[] = {
        {Measure::Mismatch, MissingRule::Ignore, 2},  // IBS0 + IBS1
        {Measure::Mismatch, MissingRule::Flat, 2 * (5.0 / 3)},
        {Measure::Proportion, MissingRule::Ignore, 2.0 / 3},
        {Measure::Proportion, MissingRule::Flat, 2.0 / 3},
        {Measure::Allele, MissingRule::Ignore, 3},  // 2 IBS0 + IBS1
        {Measure::Allele, MissingRule::Flat, 3 * (5.0 / 3)},
        {Measure::OneMinusIbs, MissingRule::Ignore, 0.5},  // 3 of 6 alleles
        {Measure::OneMinusIbs, MissingRule::Flat, 0.5},
        {Measure::Ibs, MissingRule::Ignore, 0.5},
        {Measure::Ibs, MissingRule::Flat, 0.5},
    };
    for (const Expected& expected : cases) {
        const fixtures::Run run =
            compute("reference", view(data), {.measure = expected.measure, .missing = expected.rule});
        EXPECT_NEAR(run(0, 1), expected.value, 1e-15)
            << toString(expected.measure) << ' ' << toString(expected.rule);
        EXPECT_EQ(run(1, 0), run(0, 1));
        EXPECT_EQ(run(0, 0), expected.measure == Measure::Ibs ? 1 : 0);
    }
}

// Allele frequencies 1/2, 1/2, 3/4, and single alleles in the last two: weights 3/16, 3/16, 39/256, 1, 1
// before they are scaled. The pair has the first three.
TEST_F(DistanceValues, weightedByHand) {
    const SymbolMatrix data = genotypes({kFirst, kSecond});
    const fixtures::Run run =
        compute("reference", view(data), {.measure = Measure::Allele, .missing = MissingRule::Weighted});
    const double common = 2 * (3.0 / 16) + 39.0 / 256;
    EXPECT_NEAR(run(0, 1), 3 * (common + 2) / common, 1e-6);
}

TEST_F(DistanceValues, nothingInCommon) {
    const SymbolMatrix data = genotypes({"01..", "..10", "...."});
    const auto value = [&](Measure measure, MissingRule rule) {
        const fixtures::Run run = compute("reference", view(data), {.measure = measure, .missing = rule});
        EXPECT_EQ(run.report.undefinedPairs, std::isnan(run(1, 0)) ? 3U : 0U);
        return run(1, 0);
    };
    EXPECT_EQ(value(Measure::Mismatch, MissingRule::Ignore), 0);
    EXPECT_TRUE(std::isnan(value(Measure::Mismatch, MissingRule::Flat)));
    EXPECT_TRUE(std::isnan(value(Measure::Proportion, MissingRule::Ignore)));
    EXPECT_TRUE(std::isnan(value(Measure::Ibs, MissingRule::Ignore)));
    EXPECT_TRUE(std::isnan(value(Measure::Allele, MissingRule::Weighted)));
}

TEST_F(DistanceValues, coordinatesByHand) {
    Matrix<float> data(3, 2);
    data(0, 0) = 0, data(0, 1) = 1;
    data(1, 0) = 3, data(1, 1) = 5;
    data(2, 0) = 2, data(2, 1) = -1;
    const auto value = [&](Measure measure, std::size_t i, std::size_t j) {
        return compute("reference", view(data), {.measure = measure})(i, j);
    };
    EXPECT_EQ(value(Measure::Euclidean, 0, 1), 5);
    EXPECT_EQ(value(Measure::SquaredEuclidean, 1, 0), 25);
    EXPECT_EQ(value(Measure::Manhattan, 0, 1), 7);
    EXPECT_NEAR(value(Measure::Correlation, 0, 1), 0, 1e-6);  // both rise
    EXPECT_NEAR(value(Measure::Correlation, 0, 2), 2, 1e-6);  // one falls
}

TEST_F(DistanceValues, refusals) {
    const SymbolMatrix data = genotypes({kFirst, kSecond});
    Matrix<float> flat(2, 3, 4.0F);
    flat(0, 1) = 5;
    const auto refused = [](const DataView& input, const DistanceOptions& options) {
        return messageOf<Error>([&] { compute("reference", input, options); });
    };
    EXPECT_THAT(refused(view(data), {.measure = Measure::Mismatch, .missing = MissingRule::Refuse}),
                HasSubstr("instance 1, attribute 4"));
    EXPECT_THAT(refused(view(data), {.measure = Measure::Euclidean}),
                HasSubstr("'euclidean' is for coordinates"));
    EXPECT_THAT(refused(view(flat), {.measure = Measure::Mismatch}), HasSubstr("the data are coordinates"));
    EXPECT_THAT(refused(view(flat), {.measure = Measure::Correlation}),
                HasSubstr("row 2: all 3 values are 4"));
    EXPECT_THAT(refused(view(data), {.measure = Measure::Proportion, .missing = MissingRule::Weighted}),
                HasSubstr("can be weighted for allele, ibs and 1-ibs"));
    const auto letters = randomSymbols(3, 4, 4, 0, 1);
    EXPECT_THAT(refused(view(*letters), {.measure = Measure::Allele}), HasSubstr("no genotypes"));
}

/// A law of all data: d(i, j) ≤ d(i, k) + d(k, j).
void expectMetric(const fixtures::Run& run, std::size_t n, double slack) {
    for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(run(i, i), 0);
        for (std::size_t j = 0; j < n; ++j) {
            EXPECT_EQ(run(i, j), run(j, i));
            for (std::size_t k = 0; k < n; ++k) ASSERT_LE(run(i, j), run(i, k) + run(k, j) + slack);
        }
    }
}

TEST_F(DistanceValues, metricsAreMetrics) {
    constexpr std::size_t n = 23;
    const auto symbols = randomGenotypes({.instances = n, .attributes = 301, .seed = 5});
    const Matrix<float> points = randomCoordinates(n, 31, 5);
    for (const char* backend : {"reference", "cpu"}) {
        for (const Measure measure : {Measure::Mismatch, Measure::Allele, Measure::Proportion})
            expectMetric(compute(backend, view(*symbols), {.measure = measure, .tile = 7}), n, 1e-12);
        for (const Measure measure : {Measure::Euclidean, Measure::Manhattan})
            expectMetric(compute(backend, view(points), {.measure = measure, .tile = 10}), n, 1e-5);
    }
}

/// Tiles change nothing: not the counts, not the weights of what is missing.
TEST_F(DistanceValues, tilesChangeNothing) {
    constexpr std::size_t n = 37;
    const auto symbols = randomGenotypes({.instances = n, .attributes = 513, .seed = 9, .missing = 0.2});
    for (const MissingRule rule : {MissingRule::Ignore, MissingRule::Flat, MissingRule::Weighted}) {
        const DistanceOptions whole{.measure = Measure::Allele, .missing = rule, .tile = 100};
        DistanceOptions tiled = whole;
        tiled.tile = 8;
        const fixtures::Run expected = compute("reference", view(*symbols), whole);
        const fixtures::Run found = compute("cpu", view(*symbols), tiled);
        EXPECT_EQ(expected.report.tiles, 1U);
        EXPECT_EQ(found.report.tiles, 15U);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(found(i, j), expected(i, j)) << i << ", " << j;
    }
}

TEST_F(DistanceValues, oneInstance) {
    const SymbolMatrix data = genotypes({"012"});
    const fixtures::Run run = compute("cpu", view(data), {});
    EXPECT_EQ(run(0, 0), 0);
    EXPECT_EQ(run.report.tiles, 1U);
}

}  // namespace
}  // namespace glycine::distance
