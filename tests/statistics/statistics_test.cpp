// Rank tests, polynomials, mixtures of chi-squared variables.
#include "engine/statistics/chi_squared_mixture.hpp"
#include "engine/statistics/polynomial_fit.hpp"
#include "engine/statistics/rank_tests.hpp"
#include "tests/test.hpp"

namespace glycine::statistics {
namespace {

using Samples = std::vector<std::vector<double>>;

bool saysNothing(const RankTest& test) {
    return std::isnan(test.statistic) && std::isnan(test.p);
}

RankTest mannWhitneyOf(const std::vector<double>& first, const std::vector<double>& second) {
    return mannWhitney(first, second);
}

TEST(KruskalWallis, TheAuthorsExample) {
    // Bottle caps of three machines: Kruskal and Wallis 1952, table 1.1, whose H is 5.656. Rank sums 24, 14,
    // 40; with two degrees of freedom p = exp(−H / 2).
    const RankTest test =
        kruskalWallis(Samples{{340, 345, 330, 342, 338}, {339, 333, 344}, {347, 343, 349, 355}});
    const double h = 12.0 / (12 * 13) * (24.0 * 24 / 5 + 14.0 * 14 / 3 + 40.0 * 40 / 4) - 3 * 13;
    EXPECT_NEAR(h, 5.656, 5e-4);
    EXPECT_NEAR(test.statistic, h, 1e-12);
    EXPECT_NEAR(test.p, std::exp(-h / 2), 1e-14);
}

TEST(KruskalWallis, ValuesOfScipysManual) {
    const RankTest two = kruskalWallis(Samples{{1, 3, 5, 7, 9}, {2, 4, 6, 8, 10}});
    EXPECT_NEAR(two.statistic, 0.2727272727272734, 1e-12);
    EXPECT_NEAR(two.p, 0.6015081344405895, 1e-12);
    const RankTest tied = kruskalWallis(Samples{{1, 1, 1}, {2, 2, 2}, {2, 2}});
    EXPECT_NEAR(tied.statistic, 7, 1e-12);
    EXPECT_NEAR(tied.p, 0.0301973834223185, 1e-13);
}

TEST(KruskalWallis, SmallTailsKeepTheirDigits) {
    // Two samples of 200 that do not overlap: H = 12 · 2 · 200 · 100² / (400 · 401), one degree of freedom.
    Samples samples(2);
    for (int k = 0; k < 200; ++k) {
        samples[0].push_back(k);
        samples[1].push_back(1000 + k);
    }
    const RankTest test = kruskalWallis(samples);
    const double h = 12.0 / (400.0 * 401) * 2 * 200 * 100 * 100;
    EXPECT_NEAR(test.statistic, h, 1e-9);
    const double expected = std::erfc(std::sqrt(h / 2));
    EXPECT_LT(expected, 1e-60);
    EXPECT_NEAR(test.p / expected, 1, 1e-11);
}

TEST(KruskalWallis, OrderOfSamplesAndMonotonicScalesDoNotMatter) {
    const Samples samples{{1.5, 2, 7}, {3, 2, 9, 4}, {0.1, 11}};
    Samples cubed;
    for (const auto& sample : samples) {
        cubed.emplace_back();
        for (const double value : sample) cubed.back().push_back(value * value * value);
    }
    const RankTest test = kruskalWallis(samples);
    EXPECT_EQ(kruskalWallis(cubed).statistic, test.statistic);
    EXPECT_DOUBLE_EQ(kruskalWallis(Samples{samples[2], samples[0], samples[1]}).statistic, test.statistic);
}

TEST(KruskalWallis, UndefinedAndInfiniteValues) {
    const RankTest plain = kruskalWallis(Samples{{1, 2}, {3, 4, 5}});
    const RankTest gaps = kruskalWallis(Samples{{1, kNaN, 2}, {3, 4, 5, kNaN}, {kNaN}});
    EXPECT_EQ(gaps.statistic, plain.statistic);
    EXPECT_EQ(gaps.p, plain.p);
    EXPECT_EQ(kruskalWallis(Samples{{-kInfinity, 2}, {3, 4, kInfinity}}).statistic, plain.statistic);
}

TEST(KruskalWallis, SaysNothing) {
    EXPECT_TRUE(saysNothing(kruskalWallis(Samples{})));
    EXPECT_TRUE(saysNothing(kruskalWallis(Samples{{}, {}})));
    EXPECT_TRUE(saysNothing(kruskalWallis(Samples{{1, 2}, {kNaN}})));
    EXPECT_TRUE(saysNothing(kruskalWallis(Samples{{2, 2}, {2}})));
}

TEST(KruskalWallis, SamplesOfOne) {
    const RankTest test = kruskalWallis(Samples{{1}, {2}});
    EXPECT_NEAR(test.statistic, 1, 1e-14);
    EXPECT_NEAR(test.p, std::erfc(std::sqrt(0.5)), 1e-14);
}

TEST(MannWhitney, ExactByHand) {
    // Of the 10 ways to choose 2 of 5 ranks, 1, 1, 2, 2, 2, 1, 1 give U = 0 … 6.
    const RankTest separate = mannWhitneyOf({1, 2}, {3, 4, 5});
    EXPECT_EQ(separate.statistic, 0);
    EXPECT_NEAR(separate.p, 0.2, 1e-15);
    const RankTest near = mannWhitneyOf({1, 4}, {2, 3, 5});
    EXPECT_EQ(near.statistic, 2);
    EXPECT_NEAR(near.p, 0.8, 1e-15);
    // U = 3 is in the middle: twice its tail would exceed 1.
    EXPECT_EQ(mannWhitneyOf({1, 5}, {2, 3, 4}).p, 1);
    EXPECT_EQ(mannWhitneyOf({3, 4, 5}, {1, 2}).statistic, 6);
}

TEST(MannWhitney, PublishedExamples) {
    // SciPy's manual: ages at diagnosis.
    const RankTest ages = mannWhitneyOf({19, 22, 16, 29, 24}, {20, 11, 17, 12});
    EXPECT_EQ(ages.statistic, 17);
    EXPECT_NEAR(ages.p, 1.0 / 9, 1e-14);
    // R's wilcox.test: permeability of membranes, from Hollander and Wolfe; the one-sided p is 0.1272.
    const RankTest membranes = mannWhitneyOf({0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46},
                                             {1.15, 0.88, 0.90, 0.74, 1.21});
    EXPECT_EQ(membranes.statistic, 35);
    EXPECT_NEAR(membranes.p, 2 * 0.1272, 1e-4);
}

TEST(MannWhitney, ExactAgreesWithEnumeration) {
    constexpr unsigned kAll = 9;
    constexpr int kFirst = 4;
    std::vector<double> counts(kFirst * (kAll - kFirst) + 1, 0);
    double subsets = 0;
    const auto statistic = [](unsigned subset) {
        unsigned u = 0;
        for (unsigned a = 0; a < kAll; ++a)
            for (unsigned b = 0; b < a; ++b) u += (subset >> a & 1) & ~(subset >> b) & 1;
        return u;
    };
    for (unsigned subset = 0; subset < 1U << kAll; ++subset)
        if (std::popcount(subset) == kFirst) {
            ++counts[statistic(subset)];
            ++subsets;
        }
    for (unsigned subset = 0; subset < 1U << kAll; ++subset) {
        if (std::popcount(subset) != kFirst) continue;
        std::vector<double> first;
        std::vector<double> second;
        for (unsigned k = 0; k < kAll; ++k) (subset >> k & 1 ? first : second).push_back(k);
        const unsigned u = statistic(subset);
        double below = 0;
        double above = 0;
        for (unsigned other = 0; other < counts.size(); ++other) {
            if (other <= u) below += counts[other];
            if (other >= u) above += counts[other];
        }
        const RankTest test = mannWhitney(first, second);
        EXPECT_EQ(test.statistic, u);
        EXPECT_NEAR(test.p, std::min(1.0, 2 * std::min(below, above) / subsets), 1e-14);
    }
}

TEST(MannWhitney, TiesTakeTheNormalApproximation) {
    // Ranks 1, 3, 3, 5.5 and 3, 5.5, 7.5, 7.5: U = 2.5, mean 8; ties of 3, 2 and 2 make the variance 78 / 7.
    const RankTest test = mannWhitneyOf({1, 2, 2, 3}, {2, 3, 4, 4});
    EXPECT_EQ(test.statistic, 2.5);
    EXPECT_NEAR(test.p, std::erfc((5.5 - 0.5) / std::sqrt(2 * 78.0 / 7)), 1e-14);
    // U equals its mean: the continuity correction must not move it to the other side.
    EXPECT_EQ(mannWhitneyOf({1, 1, 4}, {1, 4, 1}).p, 1);
}

TEST(MannWhitney, LargeSamplesTakeTheNormalApproximation) {
    std::vector<double> first;
    std::vector<double> second;
    for (std::size_t k = 0; k < kExactMannWhitneyBelow; ++k) {
        first.push_back(static_cast<double>(k));
        second.push_back(static_cast<double>(k) + 5.5);
    }
    const auto approximation = [](double u, double n1, double n2) {
        return std::erfc((std::abs(u - n1 * n2 / 2) - 0.5) / std::sqrt(n1 * n2 * (n1 + n2 + 1) / 6));
    };
    const RankTest large = mannWhitney(first, second);
    EXPECT_NEAR(large.p, approximation(large.statistic, 50, 50), 1e-14);
    // With one value fewer on both sides, p is exact: close, but not the same.
    first.pop_back();
    second.pop_back();
    const RankTest small = mannWhitney(first, second);
    const double approximated = approximation(small.statistic, 49, 49);
    EXPECT_NE(small.p, approximated);
    EXPECT_NEAR(small.p / approximated, 1, 0.02);
    // The exact tail of fully separated samples of 49: 2 of C(98, 49).
    for (double& value : second) value += 1000;
    EXPECT_NEAR(mannWhitney(first, second).p / (2 / 2.5477612258980856902730428600e28), 1, 1e-12);
}

TEST(MannWhitney, SwappingTheSamplesMirrorsU) {
    const std::vector<double> first{0.3, 2.5, 8, 4.4};
    const std::vector<double> second{1, 7, 3, 9, 12, 2};
    const RankTest test = mannWhitney(first, second);
    const RankTest swapped = mannWhitney(second, first);
    EXPECT_EQ(test.statistic + swapped.statistic, 24);
    EXPECT_DOUBLE_EQ(test.p, swapped.p);
}

TEST(MannWhitney, UndefinedInfiniteAndTooFewValues) {
    EXPECT_EQ(mannWhitneyOf({1, kNaN, 2}, {3, 4, kNaN, 5}).p, mannWhitneyOf({1, 2}, {3, 4, 5}).p);
    EXPECT_EQ(mannWhitneyOf({1, 2}, {3, 4, kInfinity}).statistic, 0);
    EXPECT_TRUE(saysNothing(mannWhitneyOf({1, 2}, {kNaN})));
    EXPECT_TRUE(saysNothing(mannWhitneyOf({}, {1, 2})));
    EXPECT_TRUE(saysNothing(mannWhitneyOf({3, 3}, {3})));
    EXPECT_EQ(mannWhitneyOf({1}, {2}).p, 1);
}

TEST(BenjaminiHochberg, ByHand) {
    const auto near = [](double value) { return DoubleNear(value, 1e-15); };
    EXPECT_THAT(benjaminiHochberg(std::vector<double>{0.01, 0.04, 0.03, 0.005}),
                ElementsAre(near(0.02), near(0.04), near(0.04), near(0.02)));
    EXPECT_THAT(benjaminiHochberg(std::vector<double>{0.9, 0.8}), ElementsAre(near(0.9), near(0.9)));
    EXPECT_TRUE(benjaminiHochberg(std::vector<double>{}).empty());
}

TEST(BenjaminiHochberg, TheAuthorsExample) {
    // Benjamini and Hochberg 1995, section 4.1: at 0.05 the first four hypotheses are rejected.
    const std::vector<double> p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000};
    const std::vector<double> q = benjaminiHochberg(p);
    for (std::size_t k = 0; k < q.size(); ++k) EXPECT_EQ(q[k] < 0.05, k < 4) << k;
    EXPECT_NEAR(q[3], 0.0095 * 15 / 4, 1e-15);
    EXPECT_EQ(q.back(), 1);
}

TEST(BenjaminiHochberg, UndefinedDoesNotCount) {
    const std::vector<double> q = benjaminiHochberg(std::vector<double>{kNaN, 0.02, kNaN, 0.03});
    EXPECT_TRUE(std::isnan(q[0]));
    EXPECT_NEAR(q[1], 0.03, 1e-15);
    EXPECT_TRUE(std::isnan(q[2]));
    EXPECT_NEAR(q[3], 0.03, 1e-15);
}

// ---- Least-squares polynomials.

TEST(PolynomialFit, GoesThroughPointsOfItsDegree) {
    const std::vector<double> x{-1, 0, 2, 5};
    std::vector<double> y;
    for (const double place : x) y.push_back(2 - place + 3 * place * place * place);
    const PolynomialFit fit(x, y, 5);
    for (const double place : {-1.0, -0.5, 0.0, 1.0, 4.9})
        EXPECT_NEAR(fit(place), 2 - place + 3 * place * place * place, 1e-9) << place;
    EXPECT_EQ(fit(-9), fit(-1)) << "beyond the points the ends count";
    EXPECT_EQ(fit(9), fit(5));
}

TEST(PolynomialFit, IsTheLineOfLeastSquares) {
    // By hand: mean 2 and 3, slope (1 · 2 + 0 + 1 · 1) / 2 = 1.5.
    const PolynomialFit fit(std::vector<double>{1, 2, 3}, std::vector<double>{1, 4, 4}, 1);
    EXPECT_NEAR(fit(1), 1.5, 1e-12);
    EXPECT_NEAR(fit(2), 3, 1e-12);
    EXPECT_NEAR(fit(3), 4.5, 1e-12);
    const PolynomialFit mean(std::vector<double>{1, 2, 3}, std::vector<double>{1, 4, 4}, 0);
    EXPECT_NEAR(mean(1), 3, 1e-12);
}

TEST(PolynomialFit, NeedsPoints) {
    EXPECT_THROW(PolynomialFit({}, {}, 1), std::invalid_argument);
    EXPECT_EQ(PolynomialFit(std::vector<double>{4}, std::vector<double>{7}, 5)(1), 7);
}

// ---- Weighted sums of chi-squared variables, compared with closed forms.

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
