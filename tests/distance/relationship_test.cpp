// Genomic relationships against plain loops over the genotypes, and the files.
#include "engine/distance/relationship.hpp"

#include "engine/distance/random_data.hpp"
#include "engine/distance/results/distance_files.hpp"
#include "tests/distance/distance_fixtures.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

class Relationship : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        if (BackendRegistry::instance().entries().empty()) registerHostBackends();
    }
};

struct Related {
    double value = 0;
    std::size_t inCommon = 0;
};

/// The mean of (a − 2p)(b − 2p) / (2p(1 − p)), with p among the founders.
Related relatePlainly(const Matrix<std::uint8_t>& symbols, const std::vector<bool>& founders, std::size_t a,
                      std::size_t b) {
    Related result;
    for (std::size_t k = 0; k < symbols.columns(); ++k) {
        double copies = 0, known = 0;
        for (std::size_t i = 0; i < symbols.rows(); ++i)
            if (founders[i] && symbols(i, k) != kMissingSymbol) copies += symbols(i, k), known += 2;
        if (symbols(a, k) == kMissingSymbol || symbols(b, k) == kMissingSymbol) continue;
        ++result.inCommon;
        const double p = known > 0 ? copies / known : 0;
        if (p > 0 && p < 1)
            result.value += (symbols(a, k) - 2 * p) * (symbols(b, k) - 2 * p) / (2 * p * (1 - p));
    }
    result.value /= static_cast<double>(result.inCommon);
    return result;
}

TEST_F(Relationship, asByPlainLoops) {
    constexpr std::size_t kN = 25;
    std::vector<bool> founders(kN, true);
    founders[2] = founders[11] = false;
    for (const double missing : {0.0, 0.2}) {
        const auto data = randomGenotypes({.instances = kN, .attributes = 150, .missing = missing});
        const Matrix<std::uint8_t> symbols = symbolsOf(*data, {0, kN}, {0, 150});
        const std::vector<double> own = relationshipsWithThemselves(*data, founders, silentProgress());
        for (const std::string backend : {"reference", "cpu"})
            for (const std::size_t tile : {kN, std::size_t{7}}) {
                DistanceOptions options{.measure = Measure::Grm, .tile = tile};
                options.founders = founders;
                const fixtures::Run run = compute(backend, view(*data), options);
                const auto made = BackendRegistry::instance().create(backend, {});
                CommonAttributes common(*made, *data);
                Matrix<float> counts(kN, kN);
                common.count({0, kN}, counts.view());
                for (std::size_t i = 0; i < kN; ++i)
                    for (std::size_t j = 0; j <= i; ++j) {
                        const Related expected = relatePlainly(symbols, founders, i, j);
                        ASSERT_NEAR(i == j ? own[i] : run(i, j), expected.value, 1e-12) << i << ' ' << j;
                        ASSERT_EQ(counts(i, j), static_cast<float>(expected.inCommon));
                    }
            }
    }
}

TEST_F(Relationship, blocksFillWholeWords) {
    EXPECT_EQ(relationshipBlock({.instances = 4, .attributes = 1}, Precision::Float64, 1 << 20) % 64, 0U);
    // For any tile size.
    const std::size_t block = relationshipBlock({.instances = 1 << 20}, Precision::Float32, 1 << 20);
    EXPECT_EQ(block, 64U);
}

TEST_F(Relationship, refusals) {
    const SymbolMatrix data = genotypes({"012", "21."});
    for (const MissingRule rule : {MissingRule::Flat, MissingRule::Weighted})
        for (const Measure measure : {Measure::Grm, Measure::Jaccard})
            EXPECT_THROW(checkMeasure(view(data), {.measure = measure, .missing = rule}), UsageError);
    EXPECT_EQ(resultFormat("x.grm.bin", {}, Measure::Grm), ResultFormat::Grm);
    EXPECT_EQ(resultFormat("x.rel", {}, Measure::Grm), ResultFormat::PlinkText);
    EXPECT_EQ(resultFormat("x.rel.gz", {}, Measure::Grm), ResultFormat::PlinkText);
    EXPECT_EQ(resultFormat("x.rel.bin", {}, Measure::Grm), ResultFormat::PlinkBinary);
    EXPECT_THROW(resultFormat("x.rel.bin", {}, Measure::Ibs), UsageError);
    EXPECT_THROW(resultFormat("x.rel.bin.gz", {}, Measure::Grm), UsageError);
    EXPECT_THROW(resultFormat("x.grm.bin", {}, Measure::Ibs), UsageError);
    EXPECT_THROW(resultFormat("x.dist", {}, Measure::Grm), UsageError);
    EXPECT_THROW(resultFormat("x.npy.gz", {}, Measure::Grm), UsageError);
}

TEST_F(Relationship, files) {
    const TemporaryFolder folder;
    const ResultLabels labels{{"a", "b"}, {{"f", "a"}, {"f", "b"}}, Measure::Grm};
    pairs::PairStore store({{2, pairs::StoreLayout::Triangle}, pairs::ValueType::Float64, 0, {1.5, 2.5}});
    Matrix<double> value(1, 1, -0.25);
    store.store({{1, 2}, {0, 1}}, value.view());
    writeGrm(
        folder / "x.grm.bin", store, labels,
        [](Range, MatrixView<float> counts) {
            for (std::size_t k = 0; k < 4; ++k) counts(k / 2, k % 2) = static_cast<float>(7 + k);
        },
        silentProgress());
    const auto floats = [&](const char* name) {
        const std::string bytes = readFile(folder / name);
        std::vector<float> numbers(bytes.size() / sizeof(float));
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
        return numbers;
    };
    EXPECT_THAT(floats("x.grm.bin"), ElementsAre(1.5F, -0.25F, 2.5F));
    EXPECT_THAT(floats("x.grm.N.bin"), ElementsAre(7.0F, 9.0F, 10.0F));
    EXPECT_EQ(readFile(folder / "x.grm.id"), "f\ta\nf\tb\n");
}

template <class T>
std::vector<T> numbersOf(const fs::path& path) {
    const std::string bytes = readFile(path);
    std::vector<T> numbers(bytes.size() / sizeof(T));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
    return numbers;
}

/// PLINK's --make-rel bin and bin4: the square unless another shape is given, all with the diagonal.
TEST_F(Relationship, binaryShapes) {
    const TemporaryFolder folder;
    const ResultLabels labels{{"a", "b"}, {{"f", "a"}, {"f", "b"}}, Measure::Grm};
    const std::pair<std::optional<Shape>, std::vector<double>> cases[] = {
        {std::nullopt, {1.5, -0.25, -0.25, 2.5}},
        {Shape::Square, {1.5, -0.25, -0.25, 2.5}},
        {Shape::SquareZero, {1.5, 0, -0.25, 2.5}},
        {Shape::Triangle, {1.5, -0.25, 2.5}}};
    const Matrix<double> value(1, 1, -0.25);
    for (const pairs::ValueType type : {pairs::ValueType::Float64, pairs::ValueType::Float32})
        for (const auto& [shape, expected] : cases) {
            ResultFileOptions options;
            options.shape = shape;
            pairs::PairStore store(
                {{2, suitableLayout(ResultFormat::PlinkBinary, options)}, type, 0, {1.5, 2.5}});
            store.store({{1, 2}, {0, 1}}, value.view());
            const fs::path path = folder / "x.rel.bin";
            writeResult(path, ResultFormat::PlinkBinary, store, labels, options, silentProgress());
            if (type == pairs::ValueType::Float64)
                EXPECT_EQ(numbersOf<double>(path), expected);
            else
                EXPECT_EQ(numbersOf<float>(path), std::vector<float>(expected.begin(), expected.end()));
            EXPECT_EQ(fs::file_size(path), expected.size() * (type == pairs::ValueType::Float64 ? 8 : 4));
            EXPECT_EQ(readFile(folder / "x.rel.id"), "f\ta\nf\tb\n");
        }
}

}  // namespace
}  // namespace glycine::distance
