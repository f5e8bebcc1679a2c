// Tests mutual information by hand, and properties of every estimate: the reference, and the typed call.
#include "engine/mutualinfo/mutualinfo.hpp"

#include "engine/mutualinfo/reference/serial_information.hpp"
#include "engine/pairs/pair_store.hpp"
#include "tests/core/recorded_team.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

using Rows = std::vector<std::vector<double>>;

Matrix<double> matrixOf(const Rows& rows) {
    Matrix<double> matrix(rows.size(), rows.front().size());
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy(rows[i].begin(), rows[i].end(), matrix.row(i));
    return matrix;
}

/// Information of all pairs according to the reference, with entropies on the diagonal.
Matrix<double> informationOf(const Matrix<double>& expression, const MutualInformationOptions& options) {
    HostBackend backend("reference", 1);
    const std::size_t n = expression.rows();
    pairs::PairStore store(
        {.layout = {n, pairs::StoreLayout::Square},
         .diagonals =
             summarizeGenes(expression.view(), options.splines, options.unit, silentProgress()).entropies});
    computeMutualInformation(backend, expression.view(), options, store, silentProgress());
    Matrix<double> values(n, n);
    store.readBlock({0, n}, {0, n}, values.view());
    return values;
}
Matrix<double> informationOf(const Rows& rows, const MutualInformationOptions& options = {}) {
    return informationOf(matrixOf(rows), options);
}
double pairOf(const std::vector<double>& x, const std::vector<double>& y,
              const MutualInformationOptions& options = {}) {
    return informationOf({x, y}, options)(0, 1);
}

Rows randomRows(std::size_t genes, std::size_t samples, std::uint64_t seed) {
    RandomSequence random(seed);
    Rows rows(genes, std::vector<double>(samples));
    for (auto& row : rows)
        for (double& value : row) value = normalPair(random)[0];
    return rows;
}

double entropyOf(std::initializer_list<double> probabilities) {
    double sum = 0;
    for (const double p : probabilities) sum -= p * std::log2(p);
    return sum;
}

const MutualInformationOptions kTwoBins{.splines = {.bins = 2, .order = 1}};

TEST(MutualInformation, OfPlainBinsByHand) {
    EXPECT_DOUBLE_EQ(pairOf({0, 0, 1, 1}, {5, 5, 9, 9}, kTwoBins), 1);
    EXPECT_DOUBLE_EQ(pairOf({0, 0, 1, 1}, {9, 9, 5, 5}, kTwoBins), 1);
    EXPECT_DOUBLE_EQ(pairOf({0, 0, 1, 1}, {0, 1, 0, 1}, kTwoBins), 0);
    // p = 1/4, 1/2, 1/4 of (0,0), (0,1), (1,1): H(X) = H(Y) = H(1/4), H(X,Y) = 1.5.
    EXPECT_NEAR(pairOf({0, 0, 0, 1}, {0, 1, 1, 1}, kTwoBins), 2 * entropyOf({0.25, 0.75}) - 1.5, 1e-15);
}

TEST(MutualInformation, OfHatsByHand) {
    // z = 0, 1/2, 2: rows (1 0 0), (1/2 1/2 0), (0 0 1). The joint table sums to 3: 1.25, .25, .25, .25, 1.
    const MutualInformationOptions hats{.splines = {.bins = 3, .order = 2}};
    const double joint = entropyOf({1.25 / 3, 0.25 / 3, 0.25 / 3, 0.25 / 3, 1. / 3});
    const double marginal = entropyOf({1.5 / 3, 0.5 / 3, 1. / 3});
    EXPECT_NEAR(pairOf({0, 1, 4}, {10, 11, 14}, hats), 2 * marginal - joint, 1e-15);
    EXPECT_NEAR(informationOf(Rows{{0, 1, 4}}, hats)(0, 0), marginal, 1e-15);
}

TEST(MutualInformation, InNatsIsThatInBitsTimesTheLogarithmOfTwo) {
    const Rows rows = randomRows(2, 40, 1);
    const Matrix<double> bits = informationOf(rows);
    const Matrix<double> nats = informationOf(rows, {.unit = Unit::Nats});
    EXPECT_DOUBLE_EQ(nats(0, 1), bits(0, 1) * std::log(2.0));
    EXPECT_DOUBLE_EQ(nats(1, 1), bits(1, 1) * std::log(2.0));
}

TEST(MutualInformation, WithItselfIsTheEntropyWhereBinsDoNotOverlap) {
    const Rows rows = randomRows(1, 200, 2);
    for (const std::size_t bins : {2U, 10U}) {
        const Matrix<double> values =
            informationOf({rows[0], rows[0]}, {.splines = {.bins = bins, .order = 1}});
        EXPECT_NEAR(values(0, 1), values(0, 0), 1e-14);
        EXPECT_EQ(values(0, 0), values(1, 1));
    }
    // The diagonal is the entropy for any order. Overlapping bins blur the information of a gene with itself.
    const Matrix<double> blurred = informationOf({rows[0], rows[0]});
    EXPECT_GT(blurred(0, 0), 2);
    EXPECT_LT(blurred(0, 1), blurred(0, 0) - 0.5);
}

TEST(MutualInformation, EntropyOfTheSummaryIsThatOfTheWeightingMatrix) {
    Rows rows = randomRows(3, 60, 3);
    rows[1][7] = rows[2][0] = rows[2][59] = kNaN;
    const Matrix<double> expression = matrixOf(rows);
    for (const std::size_t order : {1U, 3U, 5U}) {
        const SplineOptions splines{.order = order};
        const GeneSummary summary = summarizeGenes(expression.view(), splines, Unit::Bits, silentProgress());
        for (std::size_t g = 0; g < rows.size(); ++g)
            EXPECT_NEAR(summary.entropies[g],
                        reference::entropy(reference::weightingMatrix(rows[g], splines)), 1e-14);
    }
}

TEST(MutualInformation, SummariesAreMadeInPartsByProcesses) {
    Rows rows = randomRows(7, 20, 3);
    rows[1].assign(20, 2.5);
    rows[5].assign(20, kNaN);
    rows[6].assign(20, -1);
    Matrix<double> expression = matrixOf(rows);
    for (const Estimator estimator : {Estimator::Splines, Estimator::Pearson}) {
        const auto summarize = [&](ProcessTeam* team) {
            const GeneSummary summary = summarizeGenes(expression.view(), {.estimator = estimator},
                                                       Unit::Nats, silentProgress(), team);
            return std::tuple(summary.entropies, summary.constant, summary.empty);
        };
        test::RecordedTeam::Record record;
        EXPECT_THAT(test::inProcesses(3, 2, record, [&](ProcessTeam& team) { return summarize(&team); }),
                    testing::Each(summarize(nullptr)));
        // The last process does not look at genes of the first one's part.
        expression(0, 0) = std::numeric_limits<double>::infinity();
        test::RecordedTeam last(2, 3, record), first(0, 3, record);
        EXPECT_NO_THROW(summarize(&last));
        EXPECT_THAT(messageOf<InputError>([&] { summarize(&first); }),
                    HasSubstr("gene 1, sample 1: the value is inf"));
        expression(0, 0) = 0.5;
    }
}

TEST(MutualInformation, IsSymmetricAndNeverNegative) {
    Rows rows = randomRows(12, 30, 4);
    const Matrix<double> forward = informationOf(rows);
    std::reverse(rows.begin(), rows.end());
    const Matrix<double> backward = informationOf(rows);
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 12; ++j) {
            EXPECT_NEAR(forward(i, j), backward(11 - i, 11 - j), 1e-14);
            EXPECT_GE(forward(i, j), 0);
        }
}

TEST(MutualInformation, StaysUnderIncreasingAndDecreasingLinearMaps) {
    const Rows rows = randomRows(2, 100, 5);
    Rows mapped = rows;
    for (double& value : mapped[0]) value = 1e6 + 3 * value;
    for (double& value : mapped[1]) value = 7 - 0.001 * value;
    EXPECT_NEAR(pairOf(mapped[0], mapped[1]), pairOf(rows[0], rows[1]), 1e-8);
    EXPECT_GT(pairOf(rows[0], rows[1]), 0.05);  // the information of 100 samples by chance
}

TEST(MutualInformation, OfRanksStaysUnderAnyIncreasingMap) {
    const Rows rows = randomRows(2, 100, 6);
    std::vector<double> mapped = rows[0];
    for (double& value : mapped) value = std::exp(3 * value);
    for (const Transform transform : {Transform::Ranks, Transform::Ordinals}) {
        const MutualInformationOptions ranks{.splines = {.transform = transform}};
        EXPECT_DOUBLE_EQ(pairOf(mapped, rows[1], ranks), pairOf(rows[0], rows[1], ranks));
    }
    EXPECT_NE(pairOf(mapped, rows[1]), pairOf(rows[0], rows[1]));
}

TEST(MutualInformation, OfIndependentGenesIsTheBiasAndVanishesWithSamples) {
    // (R − 1)² = 81 degrees of freedom at most, smoothed to 20.4: 20.4 / (2 M ln 2) bits for ranks.
    const MutualInformationOptions ranks{.splines = {.transform = Transform::Ranks}};
    const Matrix<double> values = informationOf(randomRows(24, 2000, 7), ranks);
    double sum = 0;
    for (std::size_t i = 0; i < 24; ++i)
        for (std::size_t j = 0; j < i; ++j) sum += values(i, j);
    EXPECT_NEAR(sum / 276, 20.4 / (2 * 2000 * std::log(2.0)), 0.0004);
    EXPECT_GT(pairOf(randomRows(1, 2000, 8)[0], randomRows(1, 2000, 8)[0], ranks), 1);
}

TEST(MutualInformation, OfGapsIsThatOfTheSamplesThatBothHave) {
    Rows rows = randomRows(2, 60, 9);
    // The gaps spare the smallest and the largest value, so the bins do not move.
    rows[0][0] = rows[1][1] = -9;
    rows[0][2] = rows[1][3] = 9;
    Rows gaps = rows;
    for (const std::size_t s : {10, 11, 12}) gaps[0][s] = kNaN;
    for (const std::size_t s : {12, 13, 40, 59}) gaps[1][s] = kNaN;
    Rows dropped(2);
    for (std::size_t s = 0; s < 60; ++s)
        if (!std::isnan(gaps[0][s]) && !std::isnan(gaps[1][s]))
            for (const std::size_t g : {0, 1}) dropped[g].push_back(rows[g][s]);
    ASSERT_EQ(dropped[0].size(), 54U);
    EXPECT_NEAR(pairOf(gaps[0], gaps[1]), pairOf(dropped[0], dropped[1]), 1e-14);
    EXPECT_GT(std::abs(pairOf(gaps[0], gaps[1]) - pairOf(rows[0], rows[1])), 1e-4);
}

TEST(MutualInformation, OfConstantGenesIsZeroAndReported) {
    const Rows rows{
        {1, 2, 3, 4}, {5, 5, 5, 5}, {kNaN, 7, 7, kNaN}, {kNaN, kNaN, kNaN, kNaN}, {4, kNaN, kNaN, 1}};
    const Matrix<double> values = informationOf(rows);
    EXPECT_EQ(values(0, 1), 0);
    EXPECT_EQ(values(0, 2), 0);
    EXPECT_EQ(values(1, 2), 0);
    EXPECT_EQ(values(1, 1), 0);
    // The two genes have no sample in common.
    for (const std::size_t g : {0, 1, 2, 4}) EXPECT_TRUE(std::isnan(values(g, 3))) << g;
    EXPECT_TRUE(std::isnan(values(2, 4)));
    EXPECT_FALSE(std::isnan(values(0, 4)));
    const GeneSummary summary = summarizeGenes(matrixOf(rows).view(), {}, Unit::Bits, silentProgress());
    EXPECT_THAT(summary.constant, ElementsAre(1, 2));
    EXPECT_THAT(summary.empty, ElementsAre(3));
    EXPECT_EQ(summary.entropies[3], 0);
}

TEST(MutualInformation, ComesInTilesOfAnySize) {
    const Matrix<double> expression = matrixOf(randomRows(11, 20, 10));
    const Matrix<double> whole = informationOf(expression, {});
    for (const std::size_t tile : {1U, 3U, 10U, 50U}) {
        const Matrix<double> tiled = informationOf(expression, {.tile = tile});
        EXPECT_TRUE(std::equal(whole.data(), whole.data() + whole.size(), tiled.data())) << tile;
    }
}

// Different numbers of common samples, whose logarithms differ in the last bit if computed one by one.
TEST(MutualInformation, OfTheProcessorDependsOnNoTile) {
    Rows rows = randomRows(75, 200, 11);
    for (std::size_t g = 0; g < rows.size(); ++g)
        for (std::size_t s = 0; s < g; ++s) rows[g][(s * s + 7 * g) % 200] = kNaN;
    const Matrix<double> expression = matrixOf(rows);
    HostBackend backend("cpu", 1);
    for (const SplineOptions& splines : {SplineOptions{}, SplineOptions{.bins = 7, .order = 1}}) {
        const auto inTiles = [&](std::size_t tile) {
            pairs::PairStore store({.layout = {rows.size(), pairs::StoreLayout::Square}});
            computeMutualInformation(backend, expression.view(), {.splines = splines, .tile = tile}, store,
                                     silentProgress());
            std::vector<double> values;
            for (std::size_t i = 0; i < rows.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) values.push_back(store.value(i, j));
            return values;
        };
        const std::vector<double> whole = inTiles(rows.size());
        for (const std::size_t tile : {5U, 13U, 31U}) EXPECT_TRUE(inTiles(tile) == whole) << tile;
    }
}

TEST(MutualInformation, RefusesWhatItCannotDo) {
    HostBackend backend("reference", 1);
    pairs::PairStore store({.layout = {2, pairs::StoreLayout::Square}});
    const Matrix<double> expression(2, 5, 1.0);
    EXPECT_THROW(computeMutualInformation(backend, expression.view(), {.splines = {.bins = 3}}, store,
                                          silentProgress()),
                 UsageError);
    EXPECT_THROW(computeMutualInformation(backend, {}, {}, store, silentProgress()), InputError);
    EXPECT_THROW(computeMutualInformation(backend, expression.view(), {.precision = WeightPrecision::Float32},
                                          store, silentProgress()),
                 UnavailableError);
    EXPECT_THROW(computeMutualInformation(backend, expression.view(), {.variant = Variant::Grouped}, store,
                                          silentProgress()),
                 UnavailableError);
}

}  // namespace
}  // namespace glycine::mutualinfo
