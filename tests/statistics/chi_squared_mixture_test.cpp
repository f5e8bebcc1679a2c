// Weighted sums of chi-squared variables, against closed forms.
#include "engine/statistics/chi_squared_mixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engine/core/error.hpp"

namespace glycine::statistics {
namespace {

void expectClose(double found, double expected) {
    EXPECT_NEAR(found, expected, 1e-7 * expected);
}

TEST(ChiSquaredMixture, OfOneWeightIsChiSquared) {
    const ChiSquaredMixture one(std::vector<double>{2});
    for (const double x : {0.1, 1.0, 7.0, 80.0}) expectClose(one.survival(x), std::erfc(std::sqrt(x / 4)));
    const ChiSquaredMixture two(std::vector<double>{0.5, 0.5});
    for (const double x : {0.1, 1.0, 7.0, 80.0}) expectClose(two.survival(x), std::exp(-x));
}

TEST(ChiSquaredMixture, OfPairsOfWeightsIsASumOfExponentials) {
    // 2a X and 2b Y with exponential X and Y of mean 1: (a exp(−x/2a) − b exp(−x/2b)) / (a − b).
    const double a = 1.5;
    const double b = 0.2;
    const ChiSquaredMixture mixture(std::vector<double>{a, b, a, b});
    EXPECT_DOUBLE_EQ(mixture.mean(), 2 * (a + b));
    EXPECT_DOUBLE_EQ(mixture.variance(), 4 * (a * a + b * b));
    for (const double x : {0.01, 0.5, 3.4, 10.0, 50.0, 200.0, 1500.0})
        expectClose(mixture.survival(x), (a * std::exp(-x / (2 * a)) - b * std::exp(-x / (2 * b))) / (a - b));
    EXPECT_EQ(mixture.survival(0), 1);
    EXPECT_EQ(mixture.survival(-1), 1);
}

TEST(ChiSquaredMixture, OfManyWeightsHasTheirMoments) {
    std::vector<double> weights;
    for (int a = 1; a <= 9; ++a)
        for (int b = 1; b <= 9; ++b) weights.push_back(1.0 / (a * a * b));
    const ChiSquaredMixture mixture(weights);
    // E Q = ∫ P(Q ≥ x) dx and E Q² = ∫ 2 x P dx.
    double mean = 0;
    double square = 0;
    constexpr double kStep = 0.05;
    for (double x = kStep / 2; x < 120; x += kStep) {
        mean += mixture.survival(x) * kStep;
        square += 2 * x * mixture.survival(x) * kStep;
    }
    EXPECT_NEAR(mean, mixture.mean(), 1e-3);
    EXPECT_NEAR(square - mean * mean, mixture.variance(), 1e-2);
}

TEST(ChiSquaredMixture, FallsAndIsInverted) {
    const ChiSquaredMixture mixture(std::vector<double>{1, 0.9, 0.5, 0.5, 0.3, 0.1, 0.1, 0.01});
    double before = 1;
    for (double x = 0.05; x < 120; x *= 1.1) {
        const double p = mixture.survival(x);
        EXPECT_LT(p, before) << x;
        EXPECT_GT(p, 0) << x;
        before = p;
    }
    for (const double p : {0.9, 0.5, 1e-3, 1e-8, 1e-20})
        expectClose(mixture.survival(mixture.quantile(p)), p);
}

TEST(ChiSquaredMixture, RefusesWhatIsNoDistribution) {
    EXPECT_THROW(ChiSquaredMixture(std::vector<double>{}), UsageError);
    EXPECT_THROW(ChiSquaredMixture(std::vector<double>{1, 0}), UsageError);
    EXPECT_THROW(ChiSquaredMixture(std::vector<double>{1}).quantile(0), UsageError);
    EXPECT_THROW(ChiSquaredMixture(std::vector<double>{1}).quantile(1), UsageError);
}

}  // namespace
}  // namespace glycine::statistics
