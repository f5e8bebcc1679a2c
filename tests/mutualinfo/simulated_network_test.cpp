// Tests simulated networks: topology and kinetics match their description, the bytes are the same on every
// machine, and mutual information finds the edges.
#include "engine/mutualinfo/simulated_expression.hpp"

#include "app/mutualinfo/mutualinfo_commands.hpp"
#include "engine/core/parallel.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "tests/app/task_test.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

Matrix<double> express(const SimulatedNetwork& network, const SimulatedExpressionOptions& options) {
    return simulateExpression(network, options, silentProgress());
}

std::vector<std::size_t> inDegrees(const SimulatedNetwork& network) {
    std::vector<std::size_t> degrees(network.genes.size(), 0);
    for (const RegulatoryEdge& edge : network.edges) ++degrees[edge.target];
    return degrees;
}

/// A hash over all bits of all values.
std::uint64_t digest(const Matrix<double>& values) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, values.data() + i, sizeof(bits));
        sum = mixBits(sum + kGoldenIncrement + bits);
    }
    return sum;
}

TEST(PortableFunctions, AreThoseOfTheLibraryToTheLastDigits) {
    RandomSequence random(1);
    for (int i = 0; i < 20000; ++i) {
        const double x = 100 * (random.uniform() - 0.5);
        EXPECT_NEAR(portableExponential(x) / std::exp(x), 1, 4e-16) << x;
        const double y = std::ldexp(random.uniform() + 0x1p-60, i % 100 - 50);
        EXPECT_NEAR(portableLogarithm(y), std::log(y), 4e-16 * std::max(1.0, std::abs(std::log(y)))) << y;
    }
    EXPECT_EQ(portableExponential(0), 1);
    EXPECT_EQ(portableLogarithm(1), 0);
}

TEST(SimulatedNetworks, FactorsRegulateGenesWithoutCycles) {
    for (const Topology topology : {Topology::ScaleFree, Topology::Modular}) {
        const SimulatedNetwork network =
            simulateNetwork({.genes = 2000, .factors = 150, .regulators = 2.5, .topology = topology});
        EXPECT_EQ(network.genes.front(), "TF1");
        EXPECT_EQ(network.genes[150], "G1");
        EXPECT_EQ(network.genes.back(), "G1850");
        std::set<std::pair<std::size_t, std::size_t>> distinct;
        std::size_t ownModule = 0;
        std::vector<std::size_t> outDegrees(150, 0);
        for (const RegulatoryEdge& edge : network.edges) {
            ASSERT_LT(edge.regulator, 150U);
            ASSERT_TRUE(edge.target >= 150 || edge.regulator < edge.target);
            ASSERT_TRUE(distinct.emplace(edge.regulator, edge.target).second);
            ASSERT_TRUE(edge.coefficient >= 1 && edge.coefficient <= 4);
            ++outDegrees[edge.regulator];
            ownModule += edge.regulator % 40 == edge.target % 40;
        }
        const std::vector<std::size_t> degrees = inDegrees(network);
        for (std::size_t g = 150; g < 2000; ++g) ASSERT_GE(degrees[g], 1U) << g;
        EXPECT_EQ(degrees[0], 0U);
        const auto edges = static_cast<double>(network.edges.size());
        // Half of the factors have regulators. A module with few factors cannot provide many regulators.
        EXPECT_NEAR(edges / (1850 + 75), 2.5, topology == Topology::Modular ? 0.5 : 0.15);
        std::sort(outDegrees.rbegin(), outDegrees.rend());
        if (topology == Topology::ScaleFree) {
            // A power law: the first tenth of the factors has far more than a tenth of the edges.
            double first = 0;
            for (std::size_t i = 0; i < 15; ++i) first += static_cast<double>(outDegrees[i]);
            EXPECT_GT(first / edges, 0.22);
            EXPECT_LT(static_cast<double>(outDegrees[0]) / 2000, 0.15);
        }
        EXPECT_NEAR(static_cast<double>(ownModule) / edges, topology == Topology::Modular ? 0.87 : 1 / 40.0,
                    0.06);
    }
}

TEST(SimulatedNetworks, LevelsAreTheSteadyStateOfTheirKinetics) {
    SimulatedNetwork network{
        .genes = {"TF1", "TF2", "G1"}, .factors = 2, .edges = {}, .rates = {std::log(3.0), std::log(5.0), 0}};
    network.edges.push_back(
        {.regulator = 0, .target = 2, .isActivating = true, .coefficient = 2, .threshold = std::log(6.0)});
    network.edges.push_back(
        {.regulator = 1, .target = 2, .isActivating = false, .coefficient = 1, .threshold = std::log(20.0)});
    // Factors vary, and the level of their target follows from them in each sample.
    const Matrix<double> values = express(network, {.samples = 50, .variation = 0, .noise = 0});
    std::set<double> levels;
    for (std::size_t s = 0; s < 50; ++s) {
        const double activator = std::exp2(values(0, s)), inhibitor = std::exp2(values(1, s));
        const double u = std::pow(activator / 6, 2), v = inhibitor / 20;
        EXPECT_NEAR(values(2, s), std::log2((1 + 9 * u / (1 + u)) / (1 + v)), 3e-4);
        levels.insert(values(0, s));
        EXPECT_EQ(values(0, s), std::round(values(0, s) * 1e4) / 1e4);
    }
    EXPECT_GT(levels.size(), 45U);
}

TEST(SimulatedNetworks, AreTheSameEverywhere) {
    const SimulatedNetwork network =
        simulateNetwork({.genes = 60, .regulators = 3, .topology = Topology::Modular, .seed = 7});
    const SimulatedExpressionOptions options{.samples = 40, .missing = 0.1, .seed = 7};
    const Matrix<double> values = express(network, options);
    EXPECT_EQ(digest(values), 15425171875418601208U);
    for (const int threads : {1, 3}) {
        const DefaultThreads some(threads);
        EXPECT_EQ(digest(express(network, options)), digest(values)) << threads;
    }
    EXPECT_NE(digest(express(network, {.samples = 40, .missing = 0.1, .seed = 8})), digest(values));
    std::size_t missing = 0;
    for (std::size_t i = 0; i < values.size(); ++i) missing += std::isnan(values.data()[i]);
    EXPECT_NEAR(static_cast<double>(missing) / 2400, 0.1, 0.02);
}

TEST(SimulatedCells, CountsFollowLibrariesLevelsAndDropouts) {
    const SimulatedNetwork network = simulateNetwork({.genes = 40, .factors = 40, .seed = 2});
    constexpr std::size_t kCells = 4000;
    const auto counts = [&](double depth, double variation, double midpoint) {
        return express(network, {.samples = kCells,
                                 .variation = 0,
                                 .depth = depth,
                                 .depthVariation = variation,
                                 .dropoutMidpoint = midpoint});
    };
    const auto librariesOf = [&](const Matrix<double>& cells) {
        std::vector<double> libraries(kCells);
        for (std::size_t g = 0; g < cells.rows(); ++g)
            for (std::size_t s = 0; s < kCells; ++s) libraries[s] += cells(g, s);
        return libraries;
    };
    const auto momentsOf = [](const std::vector<double>& values) {
        double mean = 0, square = 0;
        for (const double value : values) mean += value / static_cast<double>(values.size());
        for (const double value : values)
            square += (value - mean) * (value - mean) / static_cast<double>(values.size());
        return std::pair(mean, square);
    };
    // Counts are sums of Poisson numbers: with one library size, the variance equals the mean.
    const Matrix<double> even = counts(1000, 0, 0);
    const auto [mean, variance] = momentsOf(librariesOf(even));
    EXPECT_NEAR(mean, 1000, 4 * std::sqrt(1000.0 / kCells));
    EXPECT_NEAR(variance / mean, 1, 0.1);
    for (std::size_t i = 0; i < even.size(); ++i) EXPECT_EQ(even.data()[i], std::floor(even.data()[i]));
    // Library sizes are log-normal.
    std::vector<double> logarithms = librariesOf(counts(100000, 0.5, 0));
    for (double& size : logarithms) size = std::log(size);
    const auto [logMean, logVariance] = momentsOf(logarithms);
    EXPECT_NEAR(logMean, std::log(100000), 0.03);
    EXPECT_NEAR(std::sqrt(logVariance), 0.5, 0.02);
    // Two equal factors share a library of 2 λ counts, so each has λ on average. λ varies with the levels.
    SimulatedNetwork pair{.genes = {"TF1", "TF2"}, .factors = 2, .edges = {}, .rates = {0, 0}};
    const auto shareOfZeros = [&](double midpoint) {
        const Matrix<double> cells = express(
            pair,
            {.samples = kCells, .depth = 400, .depthVariation = 0, .dropoutMidpoint = midpoint, .seed = 4});
        double expected = 0;
        const Matrix<double> whole =
            express(pair, {.samples = kCells, .depth = 400, .depthVariation = 0, .seed = 4});
        std::size_t zeros = 0;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            zeros += cells.data()[i] == 0;
            expected += midpoint / (midpoint + whole.data()[i]) / static_cast<double>(cells.size());
        }
        return std::pair(static_cast<double>(zeros) / static_cast<double>(cells.size()), expected);
    };
    const auto [found, expected] = shareOfZeros(100);
    EXPECT_NEAR(found, expected, 0.03);
    EXPECT_GT(expected, 0.3);
    EXPECT_EQ(digest(counts(50, 0.2, 1)), 14981352472885500686U);
}

TEST(SimulatedNetworks, MutualInformationFindsTheirEdges) {
    for (const Topology topology : {Topology::ScaleFree, Topology::Modular}) {
        const SimulatedNetwork network = simulateNetwork({.genes = 150, .topology = topology, .seed = 3});
        const Matrix<double> values = express(network, {.samples = 300, .seed = 3});
        HostBackend cpu("cpu", 2);
        Matrix<double> information(150, 150);
        const MatrixView<double> view = information.view();
        cpu::engine()
            .create(cpu)
            ->start(values.view(), {.genes = 150, .samples = 300})
            ->compute({{0, 150}, {0, 150}}, {&view, 1}, silentProgress());
        std::set<std::pair<std::size_t, std::size_t>> linked;
        for (const RegulatoryEdge& edge : network.edges)
            linked.emplace(std::max(edge.regulator, edge.target), std::min(edge.regulator, edge.target));
        // AUROC: the probability that a linked pair has more information than an unlinked pair.
        std::vector<double> others, found;
        for (std::size_t i = 0; i < 150; ++i)
            for (std::size_t j = 0; j < i; ++j)
                (linked.contains({i, j}) ? found : others).push_back(view(i, j));
        std::sort(others.begin(), others.end());
        double above = 0;
        for (const double value : found)
            above +=
                static_cast<double>(std::lower_bound(others.begin(), others.end(), value) - others.begin());
        above /= static_cast<double>(found.size()) * static_cast<double>(others.size());
        EXPECT_GT(above, 0.8) << toString(topology);
        EXPECT_LT(above, 0.999) << toString(topology);
    }
}

TEST(SimulatedNetworks, AreRefusedWhereTheyCannotBe) {
    EXPECT_THAT(messageOf<UsageError>([] { simulateNetwork({.genes = 1}); }), HasSubstr("2 at least"));
    EXPECT_THAT(messageOf<UsageError>([] { simulateNetwork({.genes = 5, .factors = 6}); }),
                HasSubstr("6 transcription factors among 5 genes"));
    EXPECT_THAT(messageOf<UsageError>([] { simulateNetwork({.genes = 5, .regulators = 0.5}); }),
                HasSubstr("1 to 100"));
    const SimulatedNetwork network = simulateNetwork({.genes = 5, .factors = 5});
    EXPECT_THAT(messageOf<UsageError>([&] { express(network, {.samples = 0}); }), HasSubstr("0 samples"));
    EXPECT_THAT(messageOf<UsageError>([&] { express(network, {.samples = 1, .missing = 1}); }),
                HasSubstr("below 1"));
}

TEST(GenerateExpression, WritesTheMatrixAndItsTruth) {
    const TemporaryFolder folder;
    const std::string matrix = (folder / "x.tsv").string(), truth = (folder / "t.tsv").string();
    const auto outcome =
        test::runTask(declareGenerate, {"--genes", "30", "--samples", "12", "--missing", "0.2", "--factors",
                                        "4", "-o", matrix, "--truth", truth});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.error;
    EXPECT_THAT(outcome.out, HasSubstr("of 4 transcription factors, Hill kinetics"));
    const io::ExpressionTable table = io::readExpression(matrix, {});
    EXPECT_EQ(table.values.rows(), 30U);
    EXPECT_EQ(table.values.columns(), 12U);
    EXPECT_GT(table.missing, 30U);
    EXPECT_EQ(table.genes[4], "G1");
    EXPECT_EQ(table.samples[11], "S12");
    const std::string edges = readFile(truth);
    EXPECT_TRUE(edges.starts_with("regulator\ttarget\tsign\nTF1\t")) << edges;
    EXPECT_THAT(edges, testing::ContainsRegex("\nTF[1-4]\tG[0-9]+\t-1\n"));
    const auto cells = test::runTask(declareGenerate, {"--genes", "30", "--samples", "12", "--molecules",
                                                       "200", "--dropouts", "0.5", "-o", matrix});
    ASSERT_EQ(cells.exitCode, 0) << cells.error;
    EXPECT_THAT(cells.out, AllOf(HasSubstr("30 genes × 12 cells"),
                                 HasSubstr("libraries of 200 molecules (ln ± 0.2), half of the genes "
                                           "with 0.5 lost, "),
                                 HasSubstr("of the counts are 0")));
    const io::ExpressionTable counts = io::readExpression(matrix, {});
    for (std::size_t i = 0; i < counts.values.size(); ++i)
        EXPECT_EQ(counts.values.data()[i], std::floor(counts.values.data()[i]));
    for (const char* option : {"--noise", "--missing"})
        test::expectTaskRefused(
            declareGenerate,
            {"--genes", "3", "--samples", "2", "--molecules", "9", option, "0.1", "-o", matrix},
            std::string(option) + " is for intensities; --molecules makes counts of cells");
    for (const char* option : {"--dropouts", "--library-variation"})
        test::expectTaskRefused(
            declareGenerate, {"--genes", "3", "--samples", "2", option, "0.1", "-o", matrix}, "--molecules");
    test::expectTaskRefused(declareGenerate,
                            {"--genes", "30", "--samples", "2", "-o", (folder / "x.csv").string()},
                            "ends in .tsv");
    test::expectTaskRefused(declareGenerate,
                            {"--genes", "3", "--samples", "2", "-o", matrix, "--truth", matrix}, "x.tsv");
    test::expectTaskRefused(declareGenerate,
                            {"--genes", "3", "--samples", "2", "-o", matrix, "--missing", "2"}, "--missing");
}

}  // namespace
}  // namespace glycine::mutualinfo
