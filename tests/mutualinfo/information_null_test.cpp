// Tests the estimates for independent genes: the analytic null distribution against permutations.
#include "engine/mutualinfo/network/information_null.hpp"

#include "engine/mutualinfo/simulated_expression.hpp"
#include "engine/pairs/pair_store.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

class NullDistribution : public testing::Test {
  protected:
    std::unique_ptr<InformationNull> permuted(const Matrix<double>& expression, std::size_t pairs,
                                              Transform transform = Transform::Ranks,
                                              std::uint64_t seed = 1) {
        return permutationNull(backend_, expression.view(), {.splines = {.transform = transform}},
                               {.pairs = pairs, .seed = seed}, progress_);
    }
    HostBackend backend_{"cpu", 2};
    Progress progress_;
};

TEST_F(NullDistribution, OfRanksIsWhatPermutationsGive) {
    // Results of an independent program for 800 samples: mean 0.0185, deviation 0.00385, P = 1e-4 at 0.0380.
    const auto null = rankNull({}, 800);
    EXPECT_NEAR(null->threshold(0.5), 0.0180, 0.0002);
    EXPECT_NEAR(null->threshold(1e-4), 0.0380, 0.0003);
    const Matrix<double> expression = randomExpression({.genes = 200, .samples = 800});
    const auto measured = permuted(expression, 100000);
    for (const double p : {0.9, 0.5, 0.1, 0.01, 1e-3})
        EXPECT_NEAR(measured->threshold(p) / null->threshold(p), 1, 0.025) << p;
    EXPECT_NEAR(measured->pValue(null->threshold(1e-3)) / 1e-3, 1, 0.35);
}

TEST_F(NullDistribution, OfRanksIsKnownForOtherSplines) {
    const Matrix<double> expression = randomExpression({.genes = 100, .samples = 600});
    for (const SplineOptions& splines :
         {SplineOptions{.bins = 10, .order = 4}, SplineOptions{.bins = 6, .order = 1},
          SplineOptions{.bins = 3, .order = 2}, SplineOptions{.bins = 2, .order = 1},
          SplineOptions{.bins = 12, .order = 3, .knots = Knots::Uniform}}) {
        SplineOptions ranked = splines;
        ranked.transform = Transform::Ranks;
        const auto measured =
            permutationNull(backend_, expression.view(), {.splines = ranked}, {.pairs = 30000}, progress_);
        const auto null = rankNull(splines, 600);
        // Tables of two bins have few distinct values.
        for (const double p : {0.2, 0.1, 0.01})
            EXPECT_NEAR(measured->threshold(p) / null->threshold(p), 1, 0.08)
                << splines.bins << " bins, order " << splines.order << ", P " << p;
    }
}

TEST_F(NullDistribution, PValuesFall) {
    const Matrix<double> expression = randomExpression({.genes = 60, .samples = 100});
    const auto analytic = rankNull({}, 100);
    const auto measured = permuted(expression, 20000, Transform::None);
    const auto printed = aracneNull(100);
    for (const InformationNull* null : {analytic.get(), measured.get(), printed.get()}) {
        double before = 1;
        for (double bits = 0; bits < 1.5; bits += 0.01) {
            const double p = null->pValue(bits);
            EXPECT_LE(p, before) << null->description() << ", " << bits;
            EXPECT_GT(p, 0) << null->description() << ", " << bits;
            before = p;
        }
        EXPECT_EQ(null->pValue(0), 1) << null->description();
        for (const double p : {0.5, 0.01, 1e-3}) {
            EXPECT_LE(null->pValue(null->threshold(p)), p * (1 + 1e-9)) << null->description();
            EXPECT_GT(null->pValue(null->threshold(p) * 0.99), p) << null->description();
        }
    }
}

TEST_F(NullDistribution, OfPermutationsFollowsItsSeed) {
    const Matrix<double> expression = randomExpression({.genes = 40, .samples = 50, .missing = 0.1});
    const double threshold = permuted(expression, 5000)->threshold(0.01);
    EXPECT_EQ(permuted(expression, 5000)->threshold(0.01), threshold);
    EXPECT_NE(permuted(expression, 5000, Transform::Ranks, 2)->threshold(0.01), threshold);
    // Constant genes are excluded.
    const Matrix<double> idle = randomExpression({.genes = 41, .samples = 50, .hasIdleGenes = true});
    EXPECT_GT(permuted(idle, 5000)->threshold(0.99), 0);
}

TEST_F(NullDistribution, OfBootstrapsIsWider) {
    // Independent genes in bootstraps of independent genes, worked by hand.
    const Matrix<double> expression = randomExpression({.genes = 60, .samples = 200});
    const auto null =
        permutationNull(backend_, expression.view(), {}, {.pairs = 20000, .isResampled = true}, progress_);
    const auto usual = permuted(expression, 20000, Transform::None);
    EXPECT_NEAR(null->threshold(0.5) / usual->threshold(0.5), 2, 0.25);
    // Genes with even numbers are independent of each other.
    Matrix<double> even(30, 200);
    for (std::size_t g = 0; g < 30; ++g) std::copy_n(expression.row(2 * g), 200, even.row(g));
    std::size_t above = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Matrix<double> sampled = bootstrapSample(even.view(), seed);
        pairs::PairStore store({.layout = {30}});
        computeMutualInformation(backend_, sampled.view(), {}, store, progress_);
        for (std::size_t i = 0; i < 30; ++i)
            for (std::size_t j = 0; j < i; ++j) above += store.value(i, j) >= null->threshold(0.05) ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(above) / (20 * 435), 0.05, 0.03);
}

TEST_F(NullDistribution, RefusesUndeterminedProbabilities) {
    const Matrix<double> expression = randomExpression({.genes = 40, .samples = 50});
    EXPECT_THROW(static_cast<void>(permuted(expression, 1000)->threshold(1e-4)), UsageError);
    EXPECT_THROW(static_cast<void>(permuted(randomExpression({.genes = 1, .samples = 50}), 1000)),
                 InputError);
    EXPECT_THROW(rankNull({}, 1), UsageError);
    Matrix<double> apart(2, 4, kNaN);
    apart(0, 0) = 1, apart(0, 1) = 2, apart(1, 0) = 1, apart(1, 1) = 2;
    EXPECT_NO_THROW(static_cast<void>(permuted(apart, 100)));
}

TEST_F(NullDistribution, OfAracneIsItsFormula) {
    // (1.062 − ln 1e-7) / (48.7 + 0.634 · 300) nats.
    EXPECT_NEAR(aracneNull(300)->threshold(1e-7), 17.18009565 / 238.9 / std::numbers::ln2, 1e-9);
    EXPECT_NEAR(aracneNull(300)->pValue(aracneNull(300)->threshold(1e-7)), 1e-7, 1e-15);
}

TEST_F(NullDistribution, KnowsUnevenRanks) {
    Matrix<double> expression = randomExpression({.genes = 4, .samples = 200});
    EXPECT_TRUE(haveEvenRanks(expression.view()));
    for (std::size_t s = 0; s < 4; ++s) expression(1, s) = 0;
    EXPECT_TRUE(haveEvenRanks(expression.view()));
    expression(1, 4) = 0;
    EXPECT_FALSE(haveEvenRanks(expression.view()));
    for (std::size_t s = 0; s < 200; ++s) expression(1, s) = 0;
    EXPECT_TRUE(haveEvenRanks(expression.view()));
    expression(2, 7) = kNaN;
    EXPECT_FALSE(haveEvenRanks(expression.view()));
}

TEST(Resampling, PermutesEachGeneAndDrawsSamples) {
    Matrix<double> expression(3, 50);
    for (std::size_t g = 0; g < 3; ++g)
        for (std::size_t s = 0; s < 50; ++s) expression(g, s) = static_cast<double>(100 * g + s);
    const std::vector<std::size_t> genes{2, 0, 2};
    const Matrix<double> permuted = permutedGenes(expression.view(), genes, 5);
    for (std::size_t i = 0; i < 3; ++i) {
        std::vector<double> values(permuted.row(i), permuted.row(i) + 50);
        EXPECT_FALSE(std::is_sorted(values.begin(), values.end()));
        std::sort(values.begin(), values.end());
        EXPECT_TRUE(std::equal(values.begin(), values.end(), expression.row(genes[i]))) << i;
    }
    EXPECT_FALSE(std::equal(permuted.row(0), permuted.row(0) + 50, permuted.row(2)));
    const Matrix<double> sampled = bootstrapSample(expression.view(), 5);
    std::size_t different = 0;
    for (std::size_t s = 0; s < 50; ++s) {
        // Each draw takes the same sample of all genes.
        EXPECT_EQ(sampled(1, s), sampled(0, s) + 100);
        EXPECT_EQ(sampled(2, s), sampled(0, s) + 200);
        different += sampled(0, s) != expression(0, s) ? 1 : 0;
    }
    EXPECT_GT(different, 30U);
}

}  // namespace
}  // namespace glycine::mutualinfo
