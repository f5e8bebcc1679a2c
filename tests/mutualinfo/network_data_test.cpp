// Compares with the results of other programs on published data.
#include "engine/io/arrays/npz.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/io/text/byte_source.hpp"
#include "engine/io/text/delimited_table.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "engine/mutualinfo/input/gene_lists.hpp"
#include "engine/mutualinfo/network/infer_network.hpp"
#include "engine/mutualinfo/network/information_null.hpp"
#include "tests/test.hpp"

namespace glycine::mutualinfo {
namespace {

// ---- Networks of simulated expression with a known truth: the edges that an independent program finds, and
// the quality that the manual states.

class KnownNetworks : public testing::Test {
  protected:
    /// Reads a data set with its truth and computes its information. Returns false if the files are missing.
    bool read(const std::string& expression, const std::string& truth, Transform transform) {
        for (const std::string& file : {"mi/" + expression + ".tsv.gz", "mi/" + truth + ".tsv"})
            if (lack_ = lackOfData(file); !lack_.empty()) return false;
        table_ = io::readExpression(sharedData("mi/" + expression + ".tsv.gz"), {});
        truth_ = readTruth(sharedData("mi/" + truth + ".tsv"), table_.genes).pairs;
        options_.splines.transform = transform;
        store_ = std::make_unique<pairs::PairStore>(pairs::PairFormat{.layout = {table_.genes.size()}});
        TiedInformationSink tied(*store_);
        computeMutualInformation(backend_, table_.values.view(), options_, tied, progress_);
        return true;
    }
    Network infer(const InferenceOptions& options) {
        return inferNetwork(*store_, options, paths_.get(), progress_);
    }
    TruthScore score(const InferenceOptions& options) {
        return compareWithTruth(infer(options).edges, truth_, table_.genes.size(), {});
    }
    double aupr(NetworkMethod method) { return score({.method = method}).precisionRecallArea; }

    std::string lack_;
    HostBackend backend_{"cpu", 2};
    std::unique_ptr<PathEngine> paths_ = createImplementation<PathEngine>(backend_);
    Progress progress_;
    io::ExpressionTable table_;
    TruePairs truth_;
    MutualInformationOptions options_;
    std::unique_ptr<pairs::PairStore> store_;
};

TEST_F(KnownNetworks, HaveTheEdgesOfAnIndependentProgram) {
    const struct {
        const char* expression;
        const char* truth;
        const char* edges;
        double threshold;
    } cases[] = {{"table5_500", "table5_net", "mi/table5_500_ref_edges_raw.tsv", 0.06873},
                 {"dream4_100_1", "dream4_100_1_net", "mi/dream4_1_ref_edges_raw.tsv", 0.08167}};
    for (const auto& one : cases) {
        if (const std::string lack = lackOfData(one.edges); !lack.empty()) GTEST_SKIP() << lack;
        if (!read(one.expression, one.truth, Transform::None)) GTEST_SKIP() << lack_;
        std::map<std::string, std::uint32_t, std::less<>> numbers;
        for (std::size_t g = 0; g < table_.genes.size(); ++g)
            numbers[table_.genes[g]] = static_cast<std::uint32_t>(g);
        std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
        io::visitDelimitedRows(
            *io::openText(sharedData(one.edges)),
            [&](const io::DelimitedRow& row) {
                const std::uint32_t a = numbers.find(row[0])->second;
                const std::uint32_t b = numbers.find(row[1])->second;
                expected.emplace(std::max(a, b), std::min(a, b));
            },
            [](std::string_view line) { return line.starts_with('#'); });
        std::set<std::pair<std::uint32_t, std::uint32_t>> found;
        const Network network =
            infer({.method = NetworkMethod::Aracne, .threshold = one.threshold, .tolerance = 0.01});
        for (const Edge& edge : network.edges) found.emplace(edge.row, edge.column);
        EXPECT_EQ(found, expected) << one.expression;
    }
}

TEST_F(KnownNetworks, OfAracneAreThoseOfTinge) {
    constexpr const char* kTinge = "mi/table5_500.tinge_k3.adj.gz";
    if (const std::string lack = lackOfData(kTinge); !lack.empty()) GTEST_SKIP() << lack;
    if (!read("table5_500", "table5_net", Transform::Ranks)) GTEST_SKIP() << lack_;
    // TINGe finds with P = 1e-5 and a tolerance of 0.01: 148 right, 209 wrong, 227 missed.
    const double threshold = rankNull({}, table_.values.columns())->threshold(1e-5);
    const InferenceOptions options{
        .method = NetworkMethod::Aracne, .threshold = threshold, .tolerance = 0.01};
    const TruthScore ranked = score(options);
    EXPECT_EQ(ranked.truePositives, 148U);
    EXPECT_EQ(ranked.falsePositives, 209U);
    EXPECT_EQ(ranked.falseNegatives, 227U);
    // One line per gene: its name, then names and information of other genes. Both genes of a pair list it.
    std::set<std::pair<std::string, std::string>> theirs;
    std::istringstream file(io::readText(sharedData(kTinge)));
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('>')) continue;
        std::istringstream fields(line);
        std::string gene;
        std::string other;
        std::string information;
        std::getline(fields, gene, '\t');
        while (std::getline(fields, other, '\t') && std::getline(fields, information, '\t'))
            theirs.emplace(std::min(gene, other), std::max(gene, other));
    }
    ASSERT_EQ(theirs.size(), 357U);
    std::size_t shared = 0;
    for (const Edge& edge : infer(options).edges) {
        const auto [low, high] = std::minmax(table_.genes[edge.row], table_.genes[edge.column]);
        shared += theirs.contains({low, high}) ? 1 : 0;
    }
    EXPECT_GE(shared, 356U);
}

TEST_F(KnownNetworks, AreFoundAsWellAsTheManualStates) {
    using enum NetworkMethod;
    const struct {
        const char* expression;
        const char* truth;
        std::map<NetworkMethod, double> least;
    } cases[] = {{"dream4_100_1", "dream4_100_1_net", {{Clr, 0.196}, {Mrnet, 0.140}, {Consensus, 0.173}}},
                 {"table5_500", "table5_net", {{Clr, 0.323}, {Mrnet, 0.276}, {Consensus, 0.329}}},
                 {"table5_900", "table5_net", {{Clr, 0.326}, {Mrnet, 0.305}, {Consensus, 0.347}}},
                 {"table5_1200", "table5_net", {{Clr, 0.332}, {Mrnet, 0.310}, {Consensus, 0.350}}},
                 {"minet_syn_100", "minet_syn_net", {{Clr, 0.259}, {Mrnet, 0.454}, {Consensus, 0.351}}}};
    for (const auto& one : cases) {
        if (!read(one.expression, one.truth, Transform::Ranks)) GTEST_SKIP() << lack_;
        for (const auto& [method, least] : one.least)
            EXPECT_GE(aupr(method), least) << one.expression << ", " << toString(method);
    }
}

// ---- Mutual information compared with other programs, on real and simulated expression.

/// Information of all pairs below the diagonal, on the processor.
Matrix<double> tileOfReference(const Matrix<double>& expression, const SplineOptions& splines) {
    HostBackend backend("cpu", 2);
    const std::size_t n = expression.rows();
    Matrix<double> values(n, n);
    const MatrixView<double> view = values.view();
    createInformationEngine(backend)
        ->start(expression.view(), {.genes = n, .samples = expression.columns(), .splines = splines})
        ->compute({{0, n}, {0, n}}, {&view, 1}, silentProgress());
    return values;
}

TEST(OthersInformation, OfDream4ByAnIndependentProgram) {
    for (const char* file : {"mi/dream4_100_1.tsv.gz", "mi/dream4_1_mi_raw.npz"})
        if (const std::string lack = lackOfData(file); !lack.empty()) GTEST_SKIP() << lack;
    const io::ExpressionTable table = io::readExpression(sharedData("mi/dream4_100_1.tsv.gz"), {});
    ASSERT_EQ(table.values.rows(), 100U);
    ASSERT_EQ(table.values.columns(), 410U);
    const io::NpzReader npz(sharedData("mi/dream4_1_mi_raw.npz"));
    const Matrix<double> expected = io::readNpyMatrix<double>(*npz.open("mi"));
    const auto source = npz.open("H");
    io::NpyHeader header = io::readNpyHeader(*source);
    header.shape = {1, 100};
    const Matrix<double> entropies = io::readNpyMatrix<double>(*source, header);
    const Matrix<double> found = tileOfReference(table.values, {});
    const GeneSummary summary = summarizeGenes(table.values.view(), {}, Unit::Bits, silentProgress());
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_NEAR(summary.entropies[i], entropies(0, i), 1e-12) << i;
        for (std::size_t j = 0; j < i; ++j) ASSERT_NEAR(found(i, j), expected(i, j), 1e-12) << i << ", " << j;
    }
}

TEST(OthersInformation, OfRanksByTinge) {
    for (const char* file : {"mi/table5_500.tsv.gz", "mi/table5_500.tinge_k3.adj.gz"})
        if (const std::string lack = lackOfData(file); !lack.empty()) GTEST_SKIP() << lack;
    const io::ExpressionTable table = io::readExpression(sharedData("mi/table5_500.tsv.gz"), {});
    std::map<std::string, std::size_t> numbers;
    for (std::size_t g = 0; g < table.genes.size(); ++g) numbers[table.genes[g]] = g;
    const Matrix<double> found = tileOfReference(table.values, {.transform = Transform::Ordinals});
    // One line per gene: its name, then the other gene and the mutual information of each edge.
    std::istringstream lines(io::readText(sharedData("mi/table5_500.tinge_k3.adj.gz")));
    std::size_t edges = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('>')) continue;
        std::istringstream fields(line);
        std::string gene, other;
        double printed = 0;
        fields >> gene;
        while (fields >> other >> printed) {
            const auto [column, row] = std::minmax(numbers.at(gene), numbers.at(other));
            ASSERT_NEAR(found(row, column), printed, 5.1e-6 * std::max(1.0, printed))
                << gene << ", " << other;
            ++edges;
        }
    }
    EXPECT_GT(edges, 300U);
}

}  // namespace
}  // namespace glycine::mutualinfo
