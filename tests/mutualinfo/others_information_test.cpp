// Mutual information as other programs find it, on real and simulated expression.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "engine/core/host_backends.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/expression/expression_table.hpp"
#include "engine/io/text/byte_source.hpp"
#include "engine/mutualinfo/information_engine.hpp"
#include "tests/needs.hpp"

namespace glycine::mutualinfo {
namespace {

using test::lackOfData;
using test::sharedData;

/// All pairs below the diagonal, on the processor.
Matrix<double> tileOfReference(const Matrix<double>& expression, const SplineOptions& splines) {
    HostBackend backend("cpu", 2);
    const std::size_t n = expression.rows();
    Matrix<double> values(n, n);
    const MatrixView<double> view = values.view();
    Progress progress;
    createInformationEngine(backend)
        ->start(expression.view(), {.genes = n, .samples = expression.columns(), .splines = splines})
        ->compute({{0, n}, {0, n}}, {&view, 1}, progress);
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
    Progress progress;
    const GeneSummary summary = summarizeGenes(table.values.view(), {}, Unit::Bits, progress);
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
    // A line a gene: its name, then the others of its edges, each with the mutual information.
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
