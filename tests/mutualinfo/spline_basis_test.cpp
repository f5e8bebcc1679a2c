// B-splines by hand, and what holds for all of them.
#include "engine/mutualinfo/spline_basis.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "engine/core/error.hpp"
#include "engine/mutualinfo/reference/serial_information.hpp"
#include "tests/special_values.hpp"

namespace glycine::mutualinfo {
namespace {

using glycine::test::kNaN;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::Pointwise;

/// The weights of all bins at z.
std::vector<double> weightsAt(double z, const SplineOptions& options) {
    const SplineBasis basis(options);
    std::vector<double> weights(options.order);
    std::vector<double> all(options.bins);
    const std::size_t first = basis.evaluate(z, weights.data());
    for (std::size_t i = 0; i < options.order; ++i) all.at(first + i) = weights[i];
    return all;
}

TEST(SplineBasis, BinsWhereTheOrderIsOne) {
    const SplineOptions plain{.bins = 4, .order = 1};
    EXPECT_THAT(weightsAt(0, plain), ElementsAre(1, 0, 0, 0));
    EXPECT_THAT(weightsAt(0.999, plain), ElementsAre(1, 0, 0, 0));
    EXPECT_THAT(weightsAt(1, plain), ElementsAre(0, 1, 0, 0));
    EXPECT_THAT(weightsAt(4, plain), ElementsAre(0, 0, 0, 1));
}

TEST(SplineBasis, HatsWhereTheOrderIsTwo) {
    const SplineOptions hats{.bins = 3, .order = 2};
    EXPECT_THAT(weightsAt(0, hats), ElementsAre(1, 0, 0));
    EXPECT_THAT(weightsAt(0.5, hats), ElementsAre(0.5, 0.5, 0));
    EXPECT_THAT(weightsAt(1.25, hats), ElementsAre(0, 0.75, 0.25));
    EXPECT_THAT(weightsAt(2, hats), ElementsAre(0, 0, 1));
}

TEST(SplineBasis, QuadraticSplinesByHand) {
    // Knots 0 0 0 1 2 2 2: B0 = (1 − z)², B1 = z(1 − z) + z(2 − z)/2, B2 = z²/2 on [0, 1).
    const SplineOptions clamped{.bins = 4, .order = 3};
    EXPECT_THAT(weightsAt(0, clamped), ElementsAre(1, 0, 0, 0));
    EXPECT_THAT(weightsAt(0.5, clamped), ElementsAre(0.25, 0.625, 0.125, 0));
    EXPECT_THAT(weightsAt(1.5, clamped), ElementsAre(0, 0.125, 0.625, 0.25));
    EXPECT_THAT(weightsAt(2, clamped), ElementsAre(0, 0, 0, 1));
    // Equal distances: halves at a knot, 1/8, 3/4, 1/8 between two.
    const SplineOptions uniform{.bins = 4, .order = 3, .knots = Knots::Uniform};
    EXPECT_THAT(weightsAt(0, uniform), ElementsAre(0.5, 0.5, 0, 0));
    EXPECT_THAT(weightsAt(0.5, uniform), ElementsAre(0.125, 0.75, 0.125, 0));
    EXPECT_THAT(weightsAt(2, uniform), ElementsAre(0, 0, 0.5, 0.5));
}

TEST(SplineBasis, WeightsArePositiveSumToOneAndFollowTheRecursion) {
    std::vector<double> values;
    for (int i = 0; i <= 200; ++i) values.push_back(i * 0.35 - 3);
    for (const Knots knots : {Knots::Clamped, Knots::Uniform})
        for (const std::size_t bins : {2U, 3U, 5U, 10U, 21U})
            for (std::size_t order = 1; order < std::min<std::size_t>(bins, 9); ++order) {
                SCOPED_TRACE(testing::Message() << toString(knots) << ' ' << bins << ' ' << order);
                const SplineOptions options{.bins = bins, .order = order, .knots = knots};
                const GeneWeights gene = weightsOf(values, SplineBasis(options), Transform::None);
                const Matrix<double> matrix = reference::weightingMatrix(values, options);
                for (std::size_t s = 0; s < values.size(); ++s) {
                    double sum = 0;
                    for (std::size_t bin = 0; bin < bins; ++bin) {
                        const bool isIn = bin >= gene.firstBins[s] && bin < gene.firstBins[s] + order;
                        const double weight = isIn ? gene.weights[s * order + bin - gene.firstBins[s]] : 0;
                        ASSERT_GE(weight, 0);
                        ASSERT_NEAR(weight, matrix(s, bin), 1e-14) << s << ", bin " << bin;
                        sum += weight;
                    }
                    ASSERT_NEAR(sum, 1, 1e-14) << s;
                }
            }
}

TEST(SplineBasis, RefusesWhatIsNoSpline) {
    for (const SplineOptions wrong :
         {SplineOptions{.bins = 1, .order = 1}, SplineOptions{.bins = 10, .order = 10},
          SplineOptions{.bins = 10, .order = 0}, SplineOptions{.bins = 257, .order = 3}})
        EXPECT_THROW(SplineBasis{wrong}, UsageError) << wrong.bins << ' ' << wrong.order;
    EXPECT_NO_THROW((SplineBasis{{.bins = 256, .order = 255}}));
}

TEST(GenePositions, ReachFromEndToEnd) {
    const std::vector<double> values{3, kNaN, 1, 5};
    const GenePositions gene = positionsOf(values, 8, Transform::None);
    EXPECT_EQ(gene.z[0], 4);
    EXPECT_TRUE(std::isnan(gene.z[1]));
    EXPECT_EQ(gene.z[2], 0);
    EXPECT_EQ(gene.z[3], 8);
    EXPECT_FALSE(gene.isConstant || gene.isEmpty);
}

TEST(GenePositions, HoldForTheLargestNumbers) {
    const double most = std::numeric_limits<double>::max();
    const std::vector<double> values{-most, 0, most};
    EXPECT_THAT(positionsOf(values, 8, Transform::None).z, ElementsAre(0, 4, 8));
    const double least = std::numeric_limits<double>::denorm_min();
    const std::vector<double> tiny{0, least, 2 * least};
    EXPECT_THAT(positionsOf(tiny, 8, Transform::None).z, ElementsAre(0, 4, 8));
}

TEST(GenePositions, RanksShareTiesOrCountThem) {
    // Ranks 3.5 1 3.5 2 5 of the values that are there, and 3 1 4 2 5 one after another.
    const std::vector<double> values{7, -1, 7, 2, kNaN, 100};
    const std::vector<double> shared = positionsOf(values, 4, Transform::Ranks).z;
    EXPECT_THAT(std::vector<double>(shared.begin(), shared.begin() + 4), ElementsAre(2.5, 0, 2.5, 1));
    EXPECT_EQ(shared[5], 4);
    EXPECT_TRUE(std::isnan(shared[4]));
    const std::vector<double> counted = positionsOf(values, 4, Transform::Ordinals).z;
    EXPECT_THAT(std::vector<double>(counted.begin(), counted.begin() + 4), ElementsAre(2, 0, 3, 1));
}

TEST(GenePositions, TellConstantAndEmptyGenes) {
    for (const Transform transform : {Transform::None, Transform::Ranks, Transform::Ordinals}) {
        const GenePositions constant = positionsOf(std::vector<double>{2, kNaN, 2}, 8, transform);
        EXPECT_TRUE(constant.isConstant);
        EXPECT_EQ(constant.z[0], 0);
        EXPECT_EQ(constant.z[2], 0);
        const GenePositions empty = positionsOf(std::vector<double>{kNaN, kNaN}, 8, transform);
        EXPECT_TRUE(empty.isEmpty);
        EXPECT_FALSE(empty.isConstant);
        EXPECT_TRUE(positionsOf(std::vector<double>{4}, 8, transform).isConstant);
    }
}

}  // namespace
}  // namespace glycine::mutualinfo
