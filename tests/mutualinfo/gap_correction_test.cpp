// Tests how estimates from few common samples are made comparable: the moments of independent genes in m
// samples, and the correction of a pair.
#include "engine/mutualinfo/gap_correction.hpp"

#include "engine/core/parallel.hpp"
#include "engine/mutualinfo/network/information_null.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"
#include "engine/pairs/pair_store.hpp"
#include "tests/mutualinfo/network_test_support.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

constexpr SplineOptions kRanked{.transform = Transform::Ranks};

class GapCorrections : public testing::Test {
  protected:
    NullMoments momentsOf(const Matrix<double>& expression, const SplineOptions& splines,
                          const NullMoments::Plan& plan) {
        return {expression.view(), splines, plan, progress_};
    }
    /// Uncorrected estimates of independent genes.
    std::unique_ptr<pairs::PairStore> estimatesOf(const Matrix<double>& expression,
                                                  const MutualInformationOptions& options) {
        auto store = std::make_unique<pairs::PairStore>(pairs::PairFormat{.layout = {expression.rows()}});
        computeMutualInformation(backend_, expression.view(), options, *store, progress_);
        return store;
    }
    /// Checks how far estimates of independent pairs lie from the mean for their numbers of samples, in
    /// deviations. Expects the mean and the deviation of that distance to be 0 and 1, within `ofMean` and
    /// `ofDeviation`. Each band holds pairs with kEdges[i] … kEdges[i + 1] − 1 common samples.
    void expectCalibrated(const Matrix<double>& expression, const SplineOptions& splines, double ofMean,
                          double ofDeviation) {
        constexpr std::size_t kEdges[] = {20, 24, 32, 45, 60, 78};
        const NullMoments moments = momentsOf(expression, splines, {.least = 20});
        const CommonSamples common(expression.view());
        const auto store = estimatesOf(expression, {.splines = splines});
        for (std::size_t band = 0; band + 1 < std::size(kEdges); ++band) {
            double count = 0, sum = 0, squares = 0;
            for (std::size_t i = 0; i < expression.rows(); ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    const std::size_t m = common.of(i, j);
                    if (m < kEdges[band] || m >= kEdges[band + 1]) continue;
                    const NullMoments::Moments null = moments.of(m, common.of(i), common.of(j));
                    const double z = (store->value(i, j) - null.mean) / null.deviation;
                    count += 1, sum += z, squares += z * z;
                }
            ASSERT_GT(count, 1000);
            EXPECT_NEAR(sum / count, 0, ofMean) << "from " << kEdges[band] << " samples on";
            EXPECT_NEAR(std::sqrt(squares / count - sum / count * sum / count), 1, ofDeviation)
                << "from " << kEdges[band] << " samples on";
        }
    }
    HostBackend backend_{"cpu", 2};
    Progress progress_;
};

TEST_F(GapCorrections, CountCommonSamples) {
    Matrix<double> expression(4, 130, 1.0);
    for (std::size_t s = 0; s < 130; ++s) {
        if (s % 2 == 0) expression(1, s) = kNaN;
        if (s % 3 == 0) expression(2, s) = kNaN;
        expression(3, s) = kNaN;
    }
    const CommonSamples common(expression.view());
    EXPECT_TRUE(common.haveGaps());
    EXPECT_EQ(common.samples(), 130U);
    EXPECT_EQ(common.of(0), 130U);
    EXPECT_EQ(common.of(1), 65U);
    EXPECT_EQ(common.of(1, 0), 65U);
    EXPECT_EQ(common.of(0, 2), 86U);
    EXPECT_EQ(common.of(1, 2), 43U);
    EXPECT_EQ(common.of(3, 1), 0U);
    EXPECT_THAT(common.genesBelow(86), ElementsAre(1, 3));
    EXPECT_FALSE(CommonSamples(Matrix<double>(3, 5, 1.0).view()).haveGaps());
}

TEST_F(GapCorrections, IndependentGenesHaveWhatAnIndependentProgramFinds) {
    // Mean and deviation in bits for 10 bins, order 3 and ranks without ties. An independent program computed
    // them from 20,000 permutations each.
    constexpr struct {
        std::size_t common;
        double mean, deviation;
    } kKnown[] = {{20, 0.862, 0.086}, {26, 0.658, 0.080}, {39, 0.428, 0.064}, {77, 0.208, 0.037}};
    const NullMoments moments =
        momentsOf(randomExpression({.genes = 60, .samples = 77}), kRanked, {.least = 20});
    for (const auto& known : kKnown) {
        const NullMoments::Moments found = moments.own(known.common);
        EXPECT_NEAR(found.mean, known.mean, 0.08 * known.deviation) << known.common;
        EXPECT_NEAR(found.deviation / known.deviation, 1, 0.04) << known.common;
    }
    EXPECT_EQ(moments.whole().mean, moments.own(77).mean);
    EXPECT_EQ(moments.of(77, 77, 77).deviation, moments.whole().deviation);
    // Ranks over more than the common samples spread unevenly. Information is then smaller and varies more.
    EXPECT_NEAR(moments.of(20, 20, 77).mean, 0.738, 0.01);
    EXPECT_NEAR(moments.of(20, 77, 77).mean, 0.632, 0.01);
    EXPECT_NEAR(moments.of(20, 77, 77).deviation, 0.1155, 0.004);
    EXPECT_EQ(moments.of(39, 50, 60).mean, moments.of(39, 60, 50).mean);
}

TEST_F(GapCorrections, IndependentGenesAreStandardNormalOfAnyNumberOfSamples) {
    expectCalibrated(expressionWithGaps(500, Marginals::Normal), kRanked, 0.12, 0.06);
}

TEST_F(GapCorrections, SoAreRawValuesAndOtherSplines) {
    expectCalibrated(expressionWithGaps(500, Marginals::Normal), {}, 0.2, 0.08);
    // Half of the genes have outliers and less information. The null distribution covers all pairs.
    expectCalibrated(expressionWithGaps(500, Marginals::Mixed), {}, 0.25, 0.1);
    expectCalibrated(expressionWithGaps(400, Marginals::Normal),
                     {.bins = 6, .order = 2, .transform = Transform::Ranks}, 0.15, 0.08);
    expectCalibrated(expressionWithGaps(400, Marginals::Normal),
                     {.bins = 5, .transform = Transform::Ranks, .estimator = Estimator::Bins}, 0.15, 0.08);
    expectCalibrated(expressionWithGaps(400, Marginals::Normal),
                     {.bins = 8, .order = 5, .knots = Knots::Uniform, .transform = Transform::Ordinals}, 0.15,
                     0.08);
}

TEST_F(GapCorrections, MomentsAreTheSameForAnyNumberOfThreads) {
    const Matrix<double> expression = expressionWithGaps(50, Marginals::Normal);
    const auto of = [&](int threads, std::uint64_t seed = 1) {
        const DefaultThreads some(threads);
        return momentsOf(expression, kRanked, {.least = 30, .seed = seed}).of(41, 50, 77);
    };
    EXPECT_EQ(of(1).mean, of(3).mean);
    EXPECT_EQ(of(1).deviation, of(3).deviation);
    EXPECT_NE(of(1).mean, of(1, 2).mean);
}

TEST_F(GapCorrections, OfBootstrapsAreThoseOfSamplesDrawnTwice) {
    const Matrix<double> expression = expressionWithGaps(200, Marginals::Normal);
    const NullMoments moments = momentsOf(expression, kRanked, {.least = 20, .isResampled = true});
    double count = 0, sum = 0, squares = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const Matrix<double> sampled = bootstrapSample(expression.view(), seed);
        const CommonSamples common(sampled.view());
        const auto store = estimatesOf(sampled, {.splines = kRanked});
        for (std::size_t i = 0; i < sampled.rows(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const std::size_t m = common.of(i, j);
                if (m < 20) continue;
                const NullMoments::Moments null = moments.of(m, common.of(i), common.of(j));
                const double z = (store->value(i, j) - null.mean) / null.deviation;
                count += 1, sum += z, squares += z * z;
            }
    }
    // Each bootstrap draws other samples, and the draw affects all pairs at once.
    EXPECT_NEAR(sum / count, 0, 0.3);
    EXPECT_NEAR(std::sqrt(squares / count - sum / count * sum / count), 1, 0.15);
}

TEST_F(GapCorrections, FollowTheirFormula) {
    Matrix<double> expression = randomExpression({.genes = 6, .samples = 77});
    for (std::size_t s = 0; s < 40; ++s) expression(1, s) = kNaN;   // 37 values
    for (std::size_t s = 30; s < 77; ++s) expression(2, s) = kNaN;  // 30 values, none in common with gene 1
    for (std::size_t s = 20; s < 77; ++s) expression(3, s) = kNaN;  // 20 values
    const auto moments = std::make_shared<const NullMoments>(expression.view(), kRanked,
                                                             NullMoments::Plan{.least = 21}, progress_);
    for (const Unit unit : {Unit::Bits, Unit::Nats}) {
        const double scale = perBit(unit);
        const GapCorrection correction(expression.view(), 21, moments, scale);
        EXPECT_TRUE(correction.isNeeded());
        const NullMoments::Moments all = moments->whole();
        const NullMoments::Moments few = moments->of(37, 37, 77);
        for (const double distance : {-1.0, 0.0, 2.0, 7.5})
            EXPECT_NEAR(correction.corrected(1, 0, (few.mean + distance * few.deviation) * scale),
                        (all.mean + distance * all.deviation) * scale, 1e-12);
        EXPECT_EQ(correction.corrected(1, 0, 0), 0) << "constant genes";
        EXPECT_LT(correction.corrected(1, 0, 1e-12), 1e-10) << "no leap";
        EXPECT_EQ(correction.corrected(4, 0, 0.123456789), 0.123456789) << "pairs with all samples";
        EXPECT_TRUE(std::isnan(correction.corrected(3, 0, 0.5))) << "too few samples";
        EXPECT_TRUE(std::isnan(correction.corrected(2, 1, kNaN))) << "none";
        EXPECT_NEAR(correction.errorOf(1, 0, 0.9 * scale, 1e-6), 1e-6 * all.deviation / few.deviation, 1e-12);
        EXPECT_NEAR(correction.errorOf(4, 0, 0.9 * scale, 1e-6), 1e-6, 1e-15);
        double before = 0;
        for (double information = 0; information < 2; information += 0.001) {
            const double value = correction.corrected(2, 4, information);
            EXPECT_GE(value, before);
            before = value;
        }
    }
    const GapCorrection raw(expression.view(), 30, nullptr, 1);
    EXPECT_EQ(raw.corrected(1, 0, 0.7), 0.7);
    EXPECT_TRUE(std::isnan(raw.corrected(3, 0, 0.7)));
}

TEST_F(GapCorrections, OfTwoSamplesNothingIsKnown) {
    Matrix<double> expression = randomExpression({.genes = 8, .samples = 30});
    for (std::size_t s = 2; s < 30; ++s) expression(1, s) = kNaN;
    const auto moments = std::make_shared<const NullMoments>(expression.view(), kRanked,
                                                             NullMoments::Plan{.least = 1}, progress_);
    // With two common samples every pair has one bit, whatever its genes.
    const GapCorrection correction(expression.view(), 1, moments, 1);
    EXPECT_EQ(moments->own(2).deviation, 0);
    EXPECT_NEAR(moments->own(2).mean, 1, 1e-9);
    for (std::size_t common = 1; common <= 30; ++common)
        for (const std::size_t other : {common, std::size_t{30}}) {
            const NullMoments::Moments null = moments->of(common, common, other);
            EXPECT_TRUE(std::isfinite(null.mean) && std::isfinite(null.deviation)) << common;
        }
    EXPECT_TRUE(std::isfinite(correction.corrected(1, 0, 1)));
}

TEST_F(GapCorrections, NeedTheUsualOverlap) {
    EXPECT_EQ(defaultOverlap(10, 77), 20U);
    EXPECT_EQ(defaultOverlap(10, 410), 20U);
    EXPECT_EQ(defaultOverlap(30, 77), 39U);
    EXPECT_EQ(defaultOverlap(10, 20), 12U);
    EXPECT_EQ(defaultOverlap(10, 9), 9U);
    EXPECT_EQ(defaultOverlap(3, 100), 6U);
    EXPECT_EQ(overlapOf({.rule = GapRule::Raw}, {}, 77), 1U);
    EXPECT_EQ(overlapOf({}, {}, 77), 20U);
    EXPECT_EQ(overlapOf({.minOverlap = 7}, {}, 77), 7U);
    EXPECT_THROW(overlapOf({.minOverlap = 78}, {}, 77), UsageError);
}

TEST_F(GapCorrections, AreForGapsAlone) {
    const Matrix<double> whole = randomExpression({.genes = 5, .samples = 40});
    EXPECT_EQ(momentsFor(whole.view(), kRanked, GapRule::Standardised, {}, progress_), nullptr);
    const Matrix<double> gaps = randomExpression({.genes = 5, .samples = 40, .missing = 0.2});
    EXPECT_NE(momentsFor(gaps.view(), kRanked, GapRule::Standardised, {}, progress_), nullptr);
    EXPECT_EQ(momentsFor(gaps.view(), kRanked, GapRule::Raw, {}, progress_), nullptr);
    EXPECT_EQ(
        momentsFor(gaps.view(), {.estimator = Estimator::Pearson}, GapRule::Standardised, {}, progress_),
        nullptr);
    EXPECT_THROW(momentsOf(gaps, {.estimator = Estimator::Spearman}, {}), UsageError);
    // Constant genes tell nothing about other genes.
    const Matrix<double> idle(4, 30, 1.0);
    EXPECT_EQ(momentsOf(idle, kRanked, {}).whole().mean, 0);
}

TEST(Resampling, FillsGapsByQuantiles) {
    Matrix<double> expression(2, 5);
    for (std::size_t s = 0; s < 5; ++s) expression(0, s) = 10.0 - static_cast<double>(s);
    const double values[] = {8, kNaN, 2, kNaN, 4};
    std::copy_n(values, 5, expression.row(1));
    const std::vector<std::size_t> genes{1, 0};
    const Matrix<double> filled = withoutGaps(expression.view(), genes);
    EXPECT_THAT(std::vector<double>(filled.row(0), filled.row(0) + 5), ElementsAre(2, 3, 4, 6, 8));
    EXPECT_THAT(std::vector<double>(filled.row(1), filled.row(1) + 5), ElementsAre(10, 9, 8, 7, 6));
}

}  // namespace
}  // namespace glycine::mutualinfo
