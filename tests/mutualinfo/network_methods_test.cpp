// Tests scores of networks worked by hand, and the data-processing inequality on every backend that has it.
#include "engine/mutualinfo/network/edges.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "tests/mutualinfo/network_test_support.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

using pairs::StoreLayout;
using testing::Pair;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::vector<std::pair<std::uint32_t, std::uint32_t>> pairsOf(const Network& network) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
    for (const Edge& edge : network.edges) result.emplace_back(edge.row, edge.column);
    return result;
}

/// All values of a symmetric random matrix. Some values are equal, some are 0 and some are missing.
std::vector<std::vector<double>> randomInformation(std::size_t n) {
    RandomSequence random(n);
    std::vector<std::vector<double>> rows(n, std::vector<double>(n));
    for (auto& row : rows)
        for (double& value : row) {
            value = static_cast<double>(random.below(1000)) / 64;
            if (random.below(40) == 0) value = kNone;
        }
    return rows;
}

Progress& progress() {
    static Progress silent;
    return silent;
}

PairScores selectionScores(const pairs::PairStore& store, const Regulators& regulators, double unknown,
                           std::size_t selections = kSelections) {
    HostBackend cpu("cpu", 2);
    return relevanceWithoutRedundancy(
        *createImplementation<SelectionEngine>(cpu),
        {.information = &store, .candidates = regulators.flags, .unknown = unknown, .selections = selections},
        progress());
}

TEST(NetworkMethods, RelatednessByHand) {
    // Means and deviations over the other genes: 0: 1, 3 → 2, 1; 1: 1, 2 → 1.5, 0.5; 2: 3, 2 → 2.5, 0.5.
    const auto store = storeOf({{}, {1}, {3, 2}});
    const GeneBackground background = backgroundOf(*store, progress());
    EXPECT_THAT(background.means, ElementsAre(2, 1.5, 2.5));
    EXPECT_THAT(background.deviations, ElementsAre(1, 0.5, 0.5));
    EXPECT_DOUBLE_EQ(relatedness(background, 2, 0, 3), std::sqrt(2));
    EXPECT_DOUBLE_EQ(relatedness(background, 0, 1, 1), 0);
    EXPECT_DOUBLE_EQ(relatedness(background, 2, 1, 2), 1);
    const Network network = inferNetwork(*store, {.method = NetworkMethod::Clr}, nullptr, progress());
    EXPECT_THAT(pairsOf(network), ElementsAre(Pair(2, 0), Pair(2, 1)));
    EXPECT_DOUBLE_EQ(network.edges[0].score, std::sqrt(2));
    EXPECT_EQ(network.edges[0].information, 3);
    EXPECT_EQ(network.candidates, 3U);
}

TEST(NetworkMethods, RelatednessWithoutValuesAndWithoutVariance) {
    const GeneBackground background =
        backgroundOf(*storeOf({{}, {kNone}, {4, 4}, {kNone, 2, 4}}), progress());
    EXPECT_THAT(background.means, ElementsAre(4, 3, 4, 3));
    EXPECT_THAT(background.deviations, ElementsAre(0, 1, 0, 1));
    EXPECT_EQ(relatedness(background, 2, 0, 4), 0);
    EXPECT_EQ(relatedness(background, 2, 1, 4), 1);
}

TEST(NetworkMethods, RelevanceWithoutRedundancyByHand) {
    // Target 0: first 1 (5), then 2: 4 − 6 < 0, 3: 1 − 0.5 = 0.5 → 3; then 2: 4 − (6 + 1)/2 = 0.5.
    // Target 1: first 2 (6), then 0: 5 − 4 = 1, 3: 0.5 − 1 < 0 → 0; then 3: 0.5 − (1 + 1)/2 < 0, an end.
    // Target 2: first 1 (6), then 0: 4 − 5 < 0, 3: 1 − 0.5 → 3; then 0: 4 − (5 + 1)/2 = 1.
    // Target 3: first 0 or 2 (1 each): 0, then 2: 1 − 4 < 0, 1: 0.5 − 5 < 0, an end.
    const auto store = storeOf({{}, {5}, {4, 6}, {1, 0.5, 1}});
    const PairScores scores = selectionScores(*store, {}, 0);
    EXPECT_EQ(scores.at(0, 1), 5);
    EXPECT_EQ(scores.at(2, 0), 1);
    EXPECT_EQ(scores.at(1, 2), 6);
    EXPECT_EQ(scores.at(3, 0), 1);
    EXPECT_EQ(scores.at(3, 1), 0);
    EXPECT_EQ(scores.at(3, 2), 0.5);
    const Network network = inferNetwork(*store, {.method = NetworkMethod::Mrnet}, nullptr, progress());
    EXPECT_THAT(pairsOf(network), ElementsAre(Pair(2, 1), Pair(1, 0), Pair(2, 0), Pair(3, 0), Pair(3, 2)));
}

TEST(NetworkMethods, CandidatesAreToldApartWhereTheirBoundsAreNot) {
    // Information of all pairs within 2⁻²⁰ bits, where the bounds of sums have steps of 2⁻¹⁵; and a few far
    // larger, and unknown, values.
    constexpr std::size_t kGenes = 600;
    RandomSequence random(5);
    std::vector<std::vector<double>> rows(kGenes, std::vector<double>(kGenes));
    for (auto& row : rows)
        for (double& value : row) {
            value = 0.25 + static_cast<double>(random.below(1024)) * 0x1p-30;
            if (random.below(100) == 0) value = random.below(2) == 0 ? kNone : 1;
        }
    const auto store = storeOf(rows);
    HostBackend reference("reference", 1);
    HostBackend cpu("cpu", 2);
    for (const std::size_t selections : {std::size_t{3}, kSelections, kGenes}) {
        const SelectionRequest request{
            .information = store.get(), .unknown = 0.125, .selections = selections};
        Matrix<double> expected(kGenes, kGenes);
        Matrix<double> found(kGenes, kGenes);
        createImplementation<SelectionEngine>(reference)->start(request)->score({0, kGenes}, expected.view(),
                                                                                progress());
        createImplementation<SelectionEngine>(cpu)->start(request)->score({0, kGenes}, found.view(),
                                                                          progress());
        std::size_t different = 0;
        for (std::size_t t = 0; t < kGenes; ++t)
            for (std::size_t j = 0; j < kGenes; ++j)
                different += std::max(found(t, j), 0.0) != std::max(expected(t, j), 0.0);
        EXPECT_EQ(different, 0U) << selections << " selections";
    }
}

TEST(NetworkMethods, OthersAreScoredAtOnceAfterTheLastSelection) {
    // After the first selection, as above: target 0 selects 1, 2: 4 − 6 < 0, 3: 1 − 0.5; target 1 selects 2,
    // 0: 5 − 4, 3: 0.5 − 1; target 2 selects 1, 0: 4 − 5, 3: 1 − 0.5; target 3 selects 0, the others < 0.
    const auto store = storeOf({{}, {5}, {4, 6}, {1, 0.5, 1}});
    const PairScores scores = selectionScores(*store, {}, 0, 1);
    EXPECT_EQ(scores.at(0, 1), 5);
    EXPECT_EQ(scores.at(2, 0), 0);
    EXPECT_EQ(scores.at(1, 2), 6);
    EXPECT_EQ(scores.at(3, 0), 1);
    EXPECT_EQ(scores.at(3, 1), 0);
    EXPECT_EQ(scores.at(3, 2), 0.5);
    EXPECT_THROW(inferNetwork(*store, {.method = NetworkMethod::Mrnet, .selections = 0}, nullptr, progress()),
                 UsageError);
}

TEST(NetworkMethods, APairWithoutAValueIsRedundantByWhatIsTypical) {
    // Target 0: first 1 (5), then 2: 4 − unknown, 3: 3 − 3. Target 2: first 3 (6), then 0: 4 − 3.
    const auto store = storeOf({{}, {5}, {4, kNone}, {3, 3, 6}});
    EXPECT_EQ(selectionScores(*store, {}, 0).at(0, 2), 4);
    EXPECT_EQ(selectionScores(*store, {}, 2.5).at(0, 2), 1.5);
    EXPECT_EQ(selectionScores(*store, {}, 3.5).at(0, 2), 1);
    // Upper medians: of 5, 4, 3; of 5, 3; of 4, 6; of 3, 3, 6; then of the medians 4, 5, 6, 3.
    EXPECT_EQ(typicalInformation(*store, progress()), 5);
    EXPECT_EQ(typicalInformation(*storeOf({{}, {kNone}}), progress()), 0);
    const auto scoreOfPair = [&](std::optional<double> unknown) {
        for (const Edge& edge :
             inferNetwork(*store, {.method = NetworkMethod::Mrnet, .unknown = unknown}, nullptr, progress())
                 .edges)
            if (edge.row == 2 && edge.column == 0) return edge.score;
        return 0.0;
    };
    EXPECT_EQ(scoreOfPair(2.5), 1.5);
    EXPECT_EQ(scoreOfPair({}), 1) << "what is typical";
}

TEST(NetworkMethods, OnlyRegulatorsAreSelected) {
    const auto store = storeOf({{}, {5}, {4, 6}, {1, 0.5, 1}});
    const PairScores scores = selectionScores(*store, {{0, 0, 0, 1}}, 0);
    EXPECT_EQ(scores.at(0, 1), 0);
    EXPECT_EQ(scores.at(3, 0), 1);
    EXPECT_EQ(scores.at(3, 1), 0.5);
}

TEST(NetworkMethods, RanksShareTies) {
    const ScoreRanks ranks({2, 5, 2, 1}, 10);
    EXPECT_EQ(ranks.of(5), 1);
    EXPECT_EQ(ranks.of(2), 2.5);
    EXPECT_EQ(ranks.of(1), 4);
    EXPECT_EQ(ranks.of(0), 7.5);
    EXPECT_DOUBLE_EQ(meanOfLogRanks(1, 4, 10), std::log(10) - std::log(2));
    // Scores 1 to 700, each twice, over several stretches.
    std::vector<double> many;
    for (int i = 0; i < 1400; ++i) many.push_back(1 + i % 700);
    const ScoreRanks twice(many, 2000);
    for (int score = 1; score <= 700; ++score) ASSERT_EQ(twice.of(score), 2 * (700 - score) + 1.5);
    EXPECT_EQ(twice.of(0), (1400 + 1 + 2000) / 2.0);
    const ScoreRanks alike(std::vector<double>(1000, 3.0), 1000);
    EXPECT_EQ(alike.of(3), 500.5);
}

TEST(NetworkMethods, ConsensusIsTheMeanOfLogRanks) {
    const auto store = storeOf({{}, {5}, {4, 6}, {1, 0.5, 1}});
    const Network network = inferNetwork(*store, {.method = NetworkMethod::Consensus}, nullptr, progress());
    const GeneBackground background = backgroundOf(*store, progress());
    std::vector<double> related;
    std::vector<double> selected{5, 1, 6, 1, 0.5};
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (const double score = relatedness(background, i, j, store->value(i, j)); score > 0)
                related.push_back(score);
    const ScoreRanks first(related, 6);
    const ScoreRanks second(selected, 6);
    const PairScores scores = selectionScores(*store, {}, 0);
    ASSERT_FALSE(network.edges.empty());
    for (const Edge& edge : network.edges)
        EXPECT_DOUBLE_EQ(
            edge.score,
            meanOfLogRanks(first.of(relatedness(background, edge.row, edge.column, edge.information)),
                           second.of(scores.at(edge.row, edge.column)), 6));
}

TEST(NetworkMethods, KeepsTheBestInAFixedOrder) {
    EdgeRanking all(0);
    EdgeRanking best(3);
    const std::vector<Edge> edges{{4, 1, 1, 2}, {3, 2, 1, 2}, {5, 0, 1, 3}, {2, 1, 7, 1}, {3, 1, 1, 2}};
    all.add(edges);
    best.add(edges);
    EXPECT_THAT(all.take(), ElementsAre(edges[3], edges[2], edges[4], edges[1], edges[0]));
    EXPECT_THAT(best.take(), ElementsAre(edges[3], edges[2], edges[4]));
    // More edges than the ranking keeps at once.
    EdgeRanking few(2);
    std::vector<Edge> many(3 << 20);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = {1, 0, static_cast<double>(i % 1000003), 0};
    few.add(many);
    few.add({{7, 6, 1e9, 0}});
    const std::vector<Edge> kept = few.take();
    ASSERT_EQ(kept.size(), 2U);
    EXPECT_EQ(kept[0].row, 7U);
    EXPECT_EQ(kept[1].score, 1000002);
}

TEST(NetworkMethods, RegulatorsCountTheirPairs) {
    EXPECT_EQ(Regulators{}.pairs(5), 10U);
    EXPECT_EQ((Regulators{{1, 0, 0, 1, 0}}.pairs(5)), 7U);
    EXPECT_TRUE((Regulators{{1, 0, 0}}.mayLink(0, 2)));
    EXPECT_FALSE((Regulators{{1, 0, 0}}.mayLink(1, 2)));
}

TEST(NetworkTruth, ComparesByHand) {
    // The best edge is true. Of two edges with equal scores one is true. The last edge is wrong. The list
    // lacks 6 of 10 pairs, of which one is true.
    const std::vector<Edge> edges{{1, 0, 9, 0}, {2, 0, 5, 0}, {2, 1, 5, 0}, {3, 0, 1, 0}};
    const TruthScore score = compareWithTruth(edges, {{1, 0}, {2, 1}, {4, 3}}, 5, {});
    EXPECT_EQ(score.truePositives, 2U);
    EXPECT_EQ(score.falsePositives, 2U);
    EXPECT_EQ(score.falseNegatives, 1U);
    EXPECT_EQ(score.trueNegatives, 5U);
    EXPECT_DOUBLE_EQ(score.precisionRecallArea, (1 + 2 / 3.0 + 3 / 10.0) / 3);
    // True positives rise 0, 1, 2, 2, 3 of 3 while false positives rise 0, 0, 1, 2, 7 of 7.
    EXPECT_DOUBLE_EQ(score.rocArea, (0 + 1.5 / 3 + 2 / 3.0 + 5 * 2.5 / 3) / 7);
    EXPECT_DOUBLE_EQ(score.precision(), 0.5);
    EXPECT_DOUBLE_EQ(score.recall(), 2 / 3.0);
    EXPECT_DOUBLE_EQ(score.specificity(), 5 / 7.0);
    // Pairs that cannot be edges do not count.
    const TruthScore regulated = compareWithTruth(edges, {{1, 0}, {2, 1}, {4, 3}}, 5, {{1, 1, 0, 0, 0}});
    EXPECT_EQ(regulated.pairs, 7U);
    EXPECT_EQ(regulated.positives, 2U);
    EXPECT_EQ(regulated.falseNegatives, 0U);
}

/// Runs on every backend that has paths, and with every instruction set of the processor.
class IndirectPaths : public testing::Test {
  protected:
    struct Device {
        std::string name;
        std::unique_ptr<PathEngine> engine;
    };
    static std::vector<Device> devices() {
        std::vector<Device> all;
        HostBackend reference("reference", 1);
        all.push_back({"reference", createImplementation<PathEngine>(reference)});
        for (const InstructionSet set :
             {InstructionSet::Generic, InstructionSet::Avx2, InstructionSet::Avx512}) {
            if (set > detectInstructionSet()) continue;
            HostBackend cpu("cpu", 2, set);
            all.push_back({std::string(toString(set)), createImplementation<PathEngine>(cpu)});
        }
        return all;
    }
};

TEST_F(IndirectPaths, OfAChainTheMiddleEdgeGoes) {
    // a – b – c: the information of a about c passes through b.
    const auto chain = storeOf({{}, {1.0}, {0.6, 0.8}});
    for (const Device& device : devices()) {
        InferenceOptions options{.method = NetworkMethod::Aracne};
        Network network = inferNetwork(*chain, options, device.engine.get(), progress());
        EXPECT_THAT(pairsOf(network), ElementsAre(Pair(1, 0), Pair(2, 1))) << device.name;
        EXPECT_EQ(network.candidates, 3U);
        EXPECT_EQ(network.indirect, 1U);
        // min(1, 0.8) ≥ 0.6 / (1 − τ) up to τ = 0.25.
        options.tolerance = 0.25;
        EXPECT_EQ(inferNetwork(*chain, options, device.engine.get(), progress()).indirect, 1U) << device.name;
        options.tolerance = 0.2501;
        EXPECT_EQ(inferNetwork(*chain, options, device.engine.get(), progress()).indirect, 0U) << device.name;
        // An edge below the threshold is not an edge, and no path passes through it.
        options = {.method = NetworkMethod::Aracne, .threshold = 0.7};
        network = inferNetwork(*chain, options, device.engine.get(), progress());
        EXPECT_EQ(network.candidates, 2U);
        EXPECT_EQ(network.indirect, 0U) << device.name;
    }
}

TEST_F(IndirectPaths, GoByWayOfRegulatorsAlone) {
    const auto chain = storeOf({{}, {1.0}, {0.6, 0.8}});
    for (const Device& device : devices()) {
        // b is no regulator. It cannot remove the edge of the regulator a with c, and b – c is no edge.
        const InferenceOptions ends{.method = NetworkMethod::Aracne, .regulators = {{1, 0, 0}}};
        EXPECT_THAT(pairsOf(inferNetwork(*chain, ends, device.engine.get(), progress())),
                    ElementsAre(Pair(1, 0), Pair(2, 0)))
            << device.name;
        const InferenceOptions middle{.method = NetworkMethod::Aracne, .regulators = {{1, 1, 0}}};
        EXPECT_THAT(pairsOf(inferNetwork(*chain, middle, device.engine.get(), progress())),
                    ElementsAre(Pair(1, 0), Pair(2, 1)))
            << device.name;
    }
}

TEST_F(IndirectPaths, AreTheSameInAnyTileOnEveryDevice) {
    constexpr std::size_t kGenes = 139;  // two depths of a panel, and not a multiple of any panel
    const auto rows = randomInformation(kGenes);
    std::vector<char> few(kGenes);
    for (std::size_t g = 0; g < kGenes; g += 3) few[g] = 1;
    for (const StoreLayout layout : {StoreLayout::Square, StoreLayout::Condensed}) {
        const auto store = storeOf(rows, layout);
        for (const std::vector<char>& mediators : {std::vector<char>(), few}) {
            const auto counted = [&](std::size_t x, std::size_t y) {
                const bool isNone =
                    x == y || std::isnan(store->value(x, y)) || (!mediators.empty() && mediators[y] == 0);
                return isNone ? 0 : store->value(x, y);
            };
            Matrix<double> expected(kGenes, kGenes, 0.0);
            for (std::size_t x = 0; x < kGenes; ++x)
                for (std::size_t z = 0; z < x; ++z)
                    for (std::size_t y = 0; y < kGenes; ++y)
                        expected(x, z) = std::max(expected(x, z), std::min(counted(x, y), counted(z, y)));
            for (const Device& device : devices())
                for (const std::size_t side : {kGenes, std::size_t{31}}) {
                    if (device.name == "reference" && side == kGenes) continue;  // it is slow
                    const auto run = device.engine->start({store.get(), mediators});
                    Matrix<double> values(kGenes, kGenes);
                    for (const pairs::PairTile& tile : pairs::tilesBelowDiagonal(kGenes, side)) {
                        const MatrixView<double> view(values.data(), tile.rows.size(), tile.columns.size());
                        run->compute(tile, {&view, 1}, progress());
                        for (std::size_t x = tile.rows.begin; x < tile.rows.end; ++x)
                            for (std::size_t z = tile.columns.begin; z < std::min(x, tile.columns.end); ++z)
                                ASSERT_EQ(view(x - tile.rows.begin, z - tile.columns.begin), expected(x, z))
                                    << device.name << ", side " << side << ": " << x << ", " << z;
                    }
                }
        }
    }
}

TEST_F(IndirectPaths, HaveATolerance) {
    const auto chain = storeOf({{}, {1.0}, {0.6, 0.8}});
    for (const double tolerance : {-0.1, 1.0, kNone})
        EXPECT_THROW(inferNetwork(*chain, {.method = NetworkMethod::Aracne, .tolerance = tolerance},
                                  devices().front().engine.get(), progress()),
                     UsageError);
}

TEST(NetworkMethods, AreTheSameForAnyLayoutOfTheStore) {
    const auto rows = randomInformation(90);
    HostBackend cpu("cpu", 2);
    const auto paths = createImplementation<PathEngine>(cpu);
    for (const NetworkMethod method : {NetworkMethod::Information, NetworkMethod::Aracne, NetworkMethod::Clr,
                                       NetworkMethod::Mrnet, NetworkMethod::Consensus}) {
        const InferenceOptions options{.method = method, .threshold = 2};
        const Network square = inferNetwork(*storeOf(rows), options, paths.get(), progress());
        const Network triangle =
            inferNetwork(*storeOf(rows, StoreLayout::Triangle), options, paths.get(), progress());
        ASSERT_FALSE(square.edges.empty());
        EXPECT_EQ(square.edges, triangle.edges) << toString(method);
        EXPECT_EQ(square.candidates, triangle.candidates);
        InferenceOptions best = options;
        best.most = 20;
        const Network top = inferNetwork(*storeOf(rows), best, paths.get(), progress());
        EXPECT_TRUE(std::equal(top.edges.begin(), top.edges.end(), square.edges.begin())) << toString(method);
        EXPECT_EQ(top.edges.size(), std::min<std::size_t>(20, square.edges.size()));
    }
}

}  // namespace
}  // namespace glycine::mutualinfo
