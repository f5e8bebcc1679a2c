// Tests networks without mutual information: forests and partial correlations.
#include <omp.h>

#include "engine/mutualinfo/network/partial_correlation.hpp"
#include "engine/mutualinfo/network/random_forest.hpp"
#include "engine/pairs/pair_store.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

/// Gene 2 follows gene 0, gene 3 is constant, and the other genes are noise.
Matrix<double> regressionData(std::size_t genes, std::size_t samples) {
    RandomSequence random(7);
    Matrix<double> values(genes, samples);
    for (std::size_t g = 0; g < genes; ++g)
        for (std::size_t s = 0; s < samples; ++s)
            values(g, s) = g == 2   ? 2 * values(0, s) + 0.2 * normalPair(random)[0]
                           : g == 3 ? 1
                                    : normalPair(random)[0];
    return values;
}

template <class Compute>
std::unique_ptr<pairs::PairStore> filledStore(std::size_t genes, const Compute& compute) {
    auto store =
        std::make_unique<pairs::PairStore>(pairs::PairFormat{.layout = {genes, pairs::StoreLayout::Square}});
    compute(*store);
    return store;
}

TEST(RandomForest, ATargetThatOneRegulatorExplains) {
    // Regulator 0 has two values, and the target has the same order. Each tree splits once and explains the
    // whole variance, except when all drawn samples come from one side. Regulator 1 is constant.
    Matrix<double> values(3, 8);
    for (std::size_t s = 0; s < 8; ++s) {
        values(0, s) = s < 4 ? 10 : 20;
        values(1, s) = 5;
        values(2, s) = s < 4 ? -1 : 1;
    }
    const auto importance = forestOfTarget(std::as_const(values).view(), {}, {.trees = 200}, 2);
    EXPECT_NEAR(importance[0], 7.0 / 8, 0.03) << "the mean variance of eight that are drawn";
    EXPECT_EQ(importance[1], 0);
    EXPECT_EQ(importance[2], 0);
    // Only the target itself may regulate, so no regulator remains.
    EXPECT_THAT(forestOfTarget(std::as_const(values).view(), {{0, 0, 1}}, {.trees = 5}, 2),
                testing::Each(0.0));
}

TEST(RandomForest, TheSameForAnyThreadsAndTiles) {
    const Matrix<double> values = regressionData(12, 60);
    const ForestOptions options{.trees = 20, .seed = 3};
    const auto stored = [&](int threads, std::size_t side) {
        const DefaultThreads fewer(threads);
        return filledStore(12, [&](pairs::PairSink& sink) {
            forestImportance(values.view(), {}, options, side, sink, silentProgress());
        });
    };
    const auto one = stored(1, 12);
    const auto two = stored(2, 5);
    const auto of0 = forestOfTarget(values.view(), {}, options, 0);
    const auto of2 = forestOfTarget(values.view(), {}, options, 2);
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            EXPECT_EQ(one->value(i, j), two->value(i, j));
            EXPECT_LE(one->value(i, j), one->value(2, 0));
        }
    EXPECT_EQ(one->value(2, 0), std::max(of0[2], of2[0])) << "the larger direction";
    EXPECT_GT(one->value(2, 0), 0.4);
    EXPECT_LE(std::accumulate(of2.begin(), of2.end(), 0.0), 1.1);
    EXPECT_NE(of2, forestOfTarget(values.view(), {}, {.trees = 20, .seed = 4}, 2));
}

TEST(RandomForest, RefusesWhatItCannotUse) {
    Matrix<double> values = regressionData(5, 10);
    EXPECT_THROW(forestOfTarget(std::as_const(values).view(), {}, {.trees = 0}, 0), UsageError);
    EXPECT_THROW(forestOfTarget(std::as_const(values).view(), {}, {.candidates = 6}, 0), UsageError);
    values(1, 1) = test::kNaN;
    EXPECT_THROW(forestOfTarget(std::as_const(values).view(), {}, {}, 0), UsageError);
    EXPECT_THROW(PartialCorrelation(std::as_const(values).view(), Transform::None), UsageError);
}

/// The inverse by elimination, from the definition.
std::vector<std::vector<double>> inverseOf(std::vector<std::vector<double>> a) {
    const std::size_t n = a.size();
    for (std::size_t i = 0; i < n; ++i) {
        a[i].resize(2 * n);
        a[i][n + i] = 1;
    }
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < n; ++i) {
            const double factor = i == k ? 1 - 1 / a[k][k] : a[i][k] / a[k][k];
            const std::vector<double> pivot = a[k];
            for (std::size_t j = 0; j < 2 * n; ++j) a[i][j] -= factor * pivot[j];
        }
    for (auto& row : a) row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n));
    return a;
}

TEST(PartialCorrelations, AreThoseOfTheShrunkInverse) {
    for (const std::size_t samples : {6U, 40U})
        for (const std::size_t genes : {5U, 12U}) {
            const Matrix<double> values = regressionData(genes, samples);
            const auto m = static_cast<double>(samples);
            std::vector<std::vector<double>> x(genes, std::vector<double>(samples));
            for (std::size_t g = 0; g < genes; ++g) {
                const double mean = std::accumulate(values.row(g), values.row(g) + samples, 0.0) / m;
                double squares = 0;
                for (std::size_t s = 0; s < samples; ++s) squares += std::pow(values(g, s) - mean, 2);
                for (std::size_t s = 0; s < samples && g != 3; ++s)
                    x[g][s] = (values(g, s) - mean) / std::sqrt(squares / (m - 1));
            }
            // Schäfer and Strimmer's λ, pair by pair.
            double variance = 0;
            double squares = 0;
            std::vector<std::vector<double>> r(genes, std::vector<double>(genes));
            for (std::size_t i = 0; i < genes; ++i)
                for (std::size_t j = 0; j < genes; ++j) {
                    double mean = 0;
                    for (std::size_t s = 0; s < samples; ++s) mean += x[i][s] * x[j][s] / m;
                    r[i][j] = m / (m - 1) * mean;
                    if (i == j) continue;
                    squares += r[i][j] * r[i][j];
                    for (std::size_t s = 0; s < samples; ++s)
                        variance += m / std::pow(m - 1, 3) * std::pow(x[i][s] * x[j][s] - mean, 2);
                }
            const PartialCorrelation partial(values.view(), Transform::None);
            ASSERT_NEAR(partial.shrinkage(), std::min(1.0, variance / squares), 1e-12);
            for (std::size_t i = 0; i < genes; ++i)
                for (std::size_t j = 0; j < genes; ++j)
                    r[i][j] = i == j ? 1 : (1 - partial.shrinkage()) * r[i][j];
            const auto omega = inverseOf(r);
            const auto store =
                filledStore(genes, [&](pairs::PairSink& sink) { partial.store(4, sink, silentProgress()); });
            for (std::size_t i = 0; i < genes; ++i)
                for (std::size_t j = 0; j < i; ++j)
                    EXPECT_NEAR(store->value(i, j),
                                std::abs(omega[i][j]) / std::sqrt(omega[i][i] * omega[j][j]), 1e-9)
                        << genes << " genes, " << samples << " samples: " << i << ", " << j;
            EXPECT_EQ(store->value(3, 0), 0) << "a constant gene";
        }
}

}  // namespace
}  // namespace glycine::mutualinfo
