// Tests Pearson's and Spearman's r through the call for mutual information: values worked by hand, gaps pair
// by pair, and blocked products against the reference.
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/simulated_expression.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

Matrix<double> genes(const std::vector<std::vector<double>>& rows) {
    Matrix<double> values(rows.size(), rows.front().size());
    for (std::size_t g = 0; g < rows.size(); ++g) std::copy(rows[g].begin(), rows[g].end(), values.row(g));
    return values;
}

/// r for all pairs below the diagonal.
Matrix<double> correlationsOf(Backend& backend, const Matrix<double>& expression, Estimator estimator,
                              std::size_t tile = 0) {
    const std::size_t n = expression.rows();
    struct Sink final : pairs::PairSink {
        explicit Sink(std::size_t count) : values(count, count, -7.0) {}
        void store(const pairs::PairTile& part, MatrixView<const double> found) override {
            for (std::size_t r = 0; r < part.rows.size(); ++r)
                for (std::size_t c = 0; c < (part.isDiagonal() ? r : part.columns.size()); ++c)
                    values(part.rows.begin + r, part.columns.begin + c) = found(r, c);
        }
        Matrix<double> values;
    } sink(n);
    const auto report = computeMutualInformation(
        backend, expression.view(), {.splines = {.estimator = estimator}, .unit = Unit::Nats, .tile = tile},
        sink, silentProgress());
    EXPECT_EQ(report.variant, backend.name() == "cpu" ? "products" : "pairwise");
    return std::move(sink.values);
}

/// Runs on both backends, `reference` first.
class Correlations : public testing::TestWithParam<const char*> {
  protected:
    HostBackend backend_{GetParam(), 2};
};

TEST_P(Correlations, WorkedByHand) {
    // Means 3 and 4: deviations (-2 -1 0 1 2) and (-2 0 -1 2 1), products 4 + 0 + 0 + 2 + 2, squares 10
    // and 10.
    const Matrix<double> values =
        genes({{1, 2, 3, 4, 5}, {2, 4, 3, 6, 5}, {-1, -8, -27, -64, -125}, {7, 7, 7, 7, 7}});
    const Matrix<double> r = correlationsOf(backend_, values, Estimator::Pearson);
    EXPECT_NEAR(r(1, 0), 0.8, 1e-15);
    // Deviations (44 37 18 -19 -80), products -88 -37 + 0 -19 -160, squares 10 and 10390.
    EXPECT_NEAR(r(2, 0), -304 / std::sqrt(10.0 * 10390), 1e-15);
    EXPECT_EQ(r(3, 0), 0);
    const Matrix<double> rho = correlationsOf(backend_, values, Estimator::Spearman);
    EXPECT_NEAR(rho(1, 0), 0.8, 1e-15);
    EXPECT_NEAR(rho(2, 0), -1, 1e-15);
    EXPECT_GE(rho(2, 0), -1);
    EXPECT_EQ(rho(3, 2), 0);
    // Equal values share the mean of their ranks: 1.5 1.5 3 and 1 2 3.
    EXPECT_NEAR(correlationsOf(backend_, genes({{5, 5, 9}, {1, 2, 3}}), Estimator::Spearman)(1, 0),
                std::sqrt(0.75), 1e-15);
}

TEST_P(Correlations, GapsCountTheSamplesThatBothHave) {
    const Matrix<double> values = genes({{1, 2, 3, 4, 5, kNaN},
                                         {2, 4, 3, kNaN, 5, 100},
                                         {kNaN, kNaN, kNaN, kNaN, kNaN, 3},
                                         {9, 9, 9, 1, 9, kNaN},
                                         {kNaN, kNaN, kNaN, 3, kNaN, kNaN}});
    const Matrix<double> r = correlationsOf(backend_, values, Estimator::Pearson);
    // Samples 1, 2, 3, 5: means 11/4 and 7/2.
    const double products = 1 * 2 + 2 * 4 + 3 * 3 + 5 * 5 - 4 * 2.75 * 3.5;
    const double x = 1 + 4 + 9 + 25 - 4 * 2.75 * 2.75, y = 4 + 16 + 9 + 25 - 4 * 3.5 * 3.5;
    EXPECT_NEAR(r(1, 0), products / std::sqrt(x * y), 1e-14);
    EXPECT_TRUE(std::isnan(r(2, 0)));
    // Gene 3 is constant in the samples of gene 1. With one common sample, all genes are constant.
    EXPECT_EQ(r(3, 1), 0);
    EXPECT_EQ(r(2, 1), 0);
    EXPECT_EQ(r(4, 0), 0);
    EXPECT_TRUE(std::isnan(r(4, 2)));
}

TEST_P(Correlations, NumbersOfAnySize) {
    // Raw sums of squares would overflow, underflow, or lose all digits.
    for (const double scale : {1e308, 1e-307, 1.0})
        for (const double shift : {0.0, scale == 1.0 ? 1e9 : 0.0}) {
            Matrix<double> values = genes({{-0.5, -0.25, 0, 0.25, 0.5}, {-0.5, 0, -0.25, 0.5, 0.25}});
            for (std::size_t i = 0; i < values.size(); ++i)
                values.data()[i] = values.data()[i] * scale + shift;
            EXPECT_NEAR(correlationsOf(backend_, values, Estimator::Pearson)(1, 0), 0.8, 1e-15)
                << scale << ' ' << shift;
        }
    // In the common samples, gene 1 varies by only 4e-12 of its whole range.
    Matrix<double> values = genes({{1, 2, 3, 4, 5, kNaN}, {2e-9, 4e-9, 3e-9, 6e-9, 5e-9, 1000}});
    EXPECT_NEAR(correlationsOf(backend_, values, Estimator::Pearson)(1, 0), 0.8, 1e-12);
    EXPECT_NEAR(correlationsOf(backend_, values, Estimator::Spearman)(1, 0), 0.8, 1e-14);
    // In the common samples, both genes vary by far less than a unit in the last place of their range.
    values = genes({{1e-11, 2e-11, 3e-11, 4e-11, 5e-11, kNaN, 3e17},
                    {-2e-9, -4e-9, -3e-9, -6e-9, -5e-9, -2e13, kNaN},
                    {-1e308, 4e-9, -1, kNaN, 2, 1e308, 0}});
    EXPECT_NEAR(correlationsOf(backend_, values, Estimator::Pearson)(1, 0), -0.8, 1e-15);
    // The pair is effectively (0 0 0 0 -1) and (-1 0 0 0 1). The range of gene 2 exceeds the largest number.
    EXPECT_NEAR(correlationsOf(backend_, values, Estimator::Pearson)(2, 1), -1 / std::sqrt(1.6), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, Correlations, testing::Values("reference", "cpu"));

TEST(CorrelationProducts, AgreeWithTheReference) {
    HostBackend reference("reference", 1);
    for (const InstructionSet set : {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512}) {
        if (set > detectInstructionSet()) continue;
        HostBackend cpu("cpu", 2, set);
        for (const std::size_t n : {2U, 17U, 130U})
            for (const std::size_t samples : {1U, 2U, 256U, 515U})
                for (const double missing : {0.0, 0.3}) {
                    Matrix<double> values = randomExpression({.genes = n,
                                                              .samples = samples,
                                                              .missing = missing,
                                                              .hasIdleGenes = n > 2,
                                                              .seed = n + samples});
                    // An outlier that lies outside the common samples of most pairs.
                    if (missing > 0) values(0, 0) = 1e7;
                    for (const Estimator estimator : {Estimator::Pearson, Estimator::Spearman}) {
                        const Matrix<double> expected = correlationsOf(reference, values, estimator);
                        const Matrix<double> found = correlationsOf(cpu, values, estimator, (n + 2) / 3 + 1);
                        for (std::size_t r = 0; r < n; ++r)
                            for (std::size_t c = 0; c < r; ++c) {
                                ASSERT_EQ(std::isnan(found(r, c)), std::isnan(expected(r, c)))
                                    << n << ' ' << samples << ' ' << r << ' ' << c;
                                if (std::isnan(expected(r, c))) continue;
                                ASSERT_NEAR(found(r, c), expected(r, c),
                                            allowedDifference(WeightPrecision::Float64))
                                    << n << ' ' << samples << ' ' << missing << ' ' << r << ' ' << c;
                            }
                    }
                }
    }
}

TEST(CorrelationProducts, OtherBackendsSayThatTheyHaveNone) {
    const Matrix<double> values = genes({{1, 2}, {2, 1}});
    test::NamedBackend other("gl");
    const Support support =
        supportsMutualInformation(other, values.view(), {.splines = {.estimator = Estimator::Pearson}});
    EXPECT_FALSE(support);
    EXPECT_NE(support.reason().find("reference, cpu"), std::string::npos) << support.reason();
}

}  // namespace
}  // namespace glycine::mutualinfo
