// Tests weights of splines, and ranks of samples.
#include "engine/mutualinfo/spline_basis.hpp"
#include "engine/mutualinfo/reference/serial_information.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

// ---- B-splines by hand, and properties of all B-splines.

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
    // Equally spaced knots: halves at a knot; 1/8, 3/4, 1/8 halfway between two knots.
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
    // The present values have the ranks 3.5 1 3.5 2 5, or 3 1 4 2 5 when ties are counted one after another.
    const std::vector<double> values{7, -1, 7, 2, kNaN, 100};
    const std::vector<double> shared = positionsOf(values, 4, Transform::Ranks).z;
    EXPECT_THAT(std::vector<double>(shared.begin(), shared.begin() + 4), ElementsAre(2.5, 0, 2.5, 1));
    EXPECT_EQ(shared[5], 4);
    EXPECT_TRUE(std::isnan(shared[4]));
    const std::vector<double> counted = positionsOf(values, 4, Transform::Ordinals).z;
    EXPECT_THAT(std::vector<double>(counted.begin(), counted.begin() + 4), ElementsAre(2, 0, 3, 1));
}

TEST(GenePositions, RecogniseConstantAndEmptyGenes) {
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

// ---- Ranks compared with counting. Values differ in their last bits, are tied, missing, or zeros of both
// signs.

using testing::IsNan;

std::vector<double> ranksOf(const std::vector<double>& values, bool shareTies) {
    std::vector<double> ranks(values.size());
    SampleRanks().find(values, shareTies, ranks);
    return ranks;
}

/// Ranks by counting: for each value, the values that come before it.
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

// The lower 32 bits distinguish values with equal upper 32 bits.
TEST(SampleRanks, AsCountingGivesThem) {
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
    EXPECT_TRUE(hasFewTies(values, 2));  // with many more values than places in its table
    EXPECT_FALSE(hasFewTies(values, 1));
    values[5] = values[99999];
    EXPECT_FALSE(hasFewTies(values, 2));
    EXPECT_TRUE(hasFewTies(values, 3));
    values[5] = kNaN;
    EXPECT_FALSE(hasFewTies(values, 3));
    EXPECT_FALSE(hasFewTies(std::vector<double>{0.0, -0.0}, 1));
    EXPECT_TRUE(hasFewTies({}, 1));
}

}  // namespace
}  // namespace glycine::mutualinfo
