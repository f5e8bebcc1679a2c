// Files of distances, byte for byte, and numbers in PLINK's format.
#include <cstdio>

#include "engine/distance/results/distance_files.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/io/arrays/npz.hpp"
#include "engine/io/text/byte_source.hpp"
#include "tests/test.hpp"

namespace glycine::distance {
namespace {

using pairs::PairStore;
using pairs::StoreLayout;
using pairs::ValueType;

std::unique_ptr<PairStore> inMemory(std::size_t instances, ValueType type, StoreLayout layout,
                                    double diagonal) {
    return std::make_unique<PairStore>(pairs::PairFormat{{instances, layout}, type, diagonal});
}

/// A result of few instances from the pairs below the diagonal, (1,0), (2,0), (2,1), …
std::unique_ptr<PairStore> resultOf(const std::vector<double>& below, ValueType type = ValueType::Float64,
                                    StoreLayout layout = StoreLayout::Triangle, double diagonal = 0) {
    std::size_t n = 1;
    while (n * (n - 1) / 2 < below.size()) ++n;
    Matrix<double> values(n, n, kNaN);
    std::size_t k = 0;
    for (std::size_t i = 1; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) values(i, j) = below.at(k++);
    auto store = inMemory(n, type, layout, diagonal);
    store->store({{0, n}, {0, n}}, values.view());
    return store;
}

class ResultFilesTest : public ::testing::Test {
  protected:
    /// Writes a result under this name, with the options, and returns its bytes.
    std::string written(const std::string& name, const PairStore& store) {
        const ResultFormat format = resultFormat(folder / name, options, labels.measure);
        writeResult(folder / name, format, store, labels, options, silentProgress());
        return readFile(folder / name);
    }
    std::string refusal(const std::string& name) {
        return messageOf<UsageError>([&] { resultFormat(folder / name, options, labels.measure); });
    }
    void setNames(std::vector<std::string> names) {
        labels.names = names;
        labels.familyIds.clear();
        for (const std::string& name : names) labels.familyIds.emplace_back("F_" + name, name);
    }

    void SetUp() override { setNames({"a", "b", "c"}); }

    TemporaryFolder folder;
    ResultLabels labels;
    ResultFileOptions options;
};

TEST_F(ResultFilesTest, CsvQuotesNamesThatNeedIt) {
    setNames({"a,1", "b \"x\"", "c"});
    EXPECT_EQ(written("d.csv", *resultOf({1, kNaN, 0.5})),
              ",\"a,1\",\"b \"\"x\"\"\",c\n\"a,1\",0,1,nan\n\"b \"\"x\"\"\",1,0,0.5\nc,nan,0.5,0\n");
    options.shape = Shape::Triangle;
    EXPECT_EQ(written("t.csv", *resultOf({1, 2, 3})),
              ",\"a,1\",\"b \"\"x\"\"\",c\n\"a,1\",0\n"
              "\"b \"\"x\"\"\",1,0\nc,2,3,0\n");
}

TEST_F(ResultFilesTest, NpyHasAFileOfNames) {
    setNames({"a", "b\nc", "d"});
    written("d.npy", *resultOf({1, 2, 3}));
    EXPECT_EQ(readFile(folder / "d.npy.names"), "a\nb_c\nd\n");
    EXPECT_THAT(resultFiles(folder / "d.npy", ResultFormat::Npy),
                ElementsAre(folder / "d.npy", folder / "d.npy.names"));
}

TEST_F(ResultFilesTest, NpzHoldsValuesNamesAndMeasure) {
    for (const StoreLayout layout : {StoreLayout::Square, StoreLayout::Triangle, StoreLayout::Condensed})
        for (const ValueType type : {ValueType::Int32, ValueType::Float32, ValueType::Float64}) {
            options.shape = Shape::Square;
            written("d.npz", *resultOf({1, 2, 3}, type, layout));
            const io::NpzReader archive(folder / "d.npz");
            EXPECT_THAT(archive.names(), ElementsAre("values", "names", "measure"));
            const Matrix<double> values = io::readNpyMatrix<double>(*archive.open("values"));
            EXPECT_THAT(std::vector<double>(values.data(), values.data() + values.size()),
                        ElementsAre(0, 1, 2, 1, 0, 3, 2, 3, 0));
            EXPECT_THAT(io::readNpyStrings(*archive.open("names")), ElementsAre("a", "b", "c"));
            EXPECT_THAT(io::readNpyStrings(*archive.open("measure")), ElementsAre("mismatch"));

            options.shape = Shape::Triangle;
            written("c.npz", *resultOf({1, 2, 3}, type, layout));
            const io::NpzReader condensed(folder / "c.npz");
            const auto source = condensed.open("values");
            const io::NpyHeader header = io::readNpyHeader(*source);
            EXPECT_THAT(header.shape, ElementsAre(3U));
            // The same bytes as the .npy file in that shape.
            std::string bytes(header.dataBytes(), '\0');
            EXPECT_EQ(source->read(std::as_writable_bytes(std::span(bytes))), bytes.size());
            const std::string npy = written("c.npy", *resultOf({1, 2, 3}, type, layout));
            EXPECT_EQ(bytes, npy.substr(npy.size() - bytes.size()));
        }
}

TEST_F(ResultFilesTest, ClusteredPictureHasFilesOfItsTreeAndOrder) {
    setNames({"a", "b", "c"});
    drawResult(folder / "map.svg", *resultOf({9, 2, 9}), labels,
               {.isClustered = true, .title = "title", .footer = "footer"}, silentProgress());
    EXPECT_THAT(pictureFiles(folder / "map.svg", true),
                ElementsAre(folder / "map.svg", folder / "map.nwk", folder / "map.order.tsv"));
    EXPECT_EQ(readFile(folder / "map.nwk"), "(b:4.5,(a:1,c:1):3.5);\n");
    EXPECT_EQ(readFile(folder / "map.order.tsv"), "instance\tname\n2\tb\n1\ta\n3\tc\n");
    drawResult(folder / "plain.svg", *resultOf({9, 2, 9}), labels,
               {.isClustered = false, .title = "title", .footer = "footer"}, silentProgress());
    EXPECT_THAT(pictureFiles(folder / "plain.svg", false), ElementsAre(folder / "plain.svg"));
    EXPECT_FALSE(fs::exists(folder / "plain.nwk"));
}

TEST_F(ResultFilesTest, FormatsByName) {
    EXPECT_EQ(resultFormat("x.npy", {}, Measure::Ibs), ResultFormat::Npy);
    EXPECT_EQ(resultFormat("x.TSV", {}, Measure::Ibs), ResultFormat::Tsv);
    EXPECT_EQ(resultFormat("x.phylip.dist", {}, Measure::OneMinusIbs), ResultFormat::Phylip);
    EXPECT_EQ(resultFormat("x.phy", {}, Measure::Mismatch), ResultFormat::Phylip);
    EXPECT_EQ(resultFormat("x.dist", {}, Measure::Allele), ResultFormat::PlinkText);
    EXPECT_EQ(resultFormat("x.mibs", {}, Measure::Ibs), ResultFormat::PlinkText);
    EXPECT_EQ(resultFormat("x.mdist.bin", {}, Measure::OneMinusIbs), ResultFormat::PlinkBinary);
    EXPECT_EQ(resultFormat("x.dist.bin", {}, Measure::Euclidean), ResultFormat::PlinkBinary);
    options.molten = true;
    EXPECT_EQ(resultFormat("x.tsv", options, Measure::Mismatch), ResultFormat::Molten);
    EXPECT_THAT(resultFiles("d/x.mibs", ResultFormat::PlinkText), ElementsAre("d/x.mibs", "d/x.mibs.id"));
    EXPECT_THAT(resultFiles("d/x.mibs.bin", ResultFormat::PlinkBinary),
                ElementsAre("d/x.mibs.bin", "d/x.mibs.id"));
    EXPECT_THAT(resultFiles("x.npy", ResultFormat::Npy), ElementsAre("x.npy", "x.npy.names"));
}

TEST_F(ResultFilesTest, SuitableLayouts) {
    EXPECT_EQ(suitableLayout(ResultFormat::Npy, options), StoreLayout::Square);
    EXPECT_EQ(suitableLayout(ResultFormat::PlinkText, options), StoreLayout::Triangle);
    EXPECT_EQ(suitableLayout(ResultFormat::PlinkBinary, options), StoreLayout::Square);
    options.shape = Shape::Triangle;
    EXPECT_EQ(suitableLayout(ResultFormat::Npy, options), StoreLayout::Condensed);
    EXPECT_EQ(suitableLayout(ResultFormat::Tsv, options), StoreLayout::Triangle);
}

TEST_F(ResultFilesTest, Refusals) {
    EXPECT_THAT(refusal("x.xlsx"), AllOf(HasSubstr("x.xlsx"), HasSubstr(".npy, .npz, .csv, .tsv, .phy")));
    EXPECT_THAT(refusal("dist"), HasSubstr("stands for no result format"));
    EXPECT_THAT(refusal("x.mibs"), AllOf(HasSubstr("'ibs'"), HasSubstr("'mismatch'"), HasSubstr(".dist")));
    EXPECT_THAT(refusal("x.mdist.bin"), HasSubstr("'1-ibs'"));
    options.shape = Shape::SquareZero;
    EXPECT_THAT(refusal("x.npy"), HasSubstr("square0"));
    options = {};
    options.molten = true;
    EXPECT_THAT(refusal("x.phy"), HasSubstr("molten"));
    options = {};
    options.maxDistance = 3;
    EXPECT_THAT(refusal("x.tsv"), HasSubstr("maximum distance"));
    options.molten = true;
    labels.measure = Measure::Ibs;
    EXPECT_THAT(refusal("x.tsv"), HasSubstr("similarity"));
    options = {};
    EXPECT_THAT(refusal("x.dist"), HasSubstr(".mibs"));
    EXPECT_THAT(refusal("x.phy"), HasSubstr("'1-ibs'"));
    EXPECT_THAT(messageOf<UsageError>([] { fromString<Shape>("cube"); }),
                HasSubstr("square, square0, triangle"));
}

TEST_F(ResultFilesTest, TsvAsSnpDists) {
    EXPECT_EQ(written("x.tsv", *resultOf({1, 2, 12}, ValueType::Int32)),
              "\ta\tb\tc\n"
              "a\t0\t1\t2\n"
              "b\t1\t0\t12\n"
              "c\t2\t12\t0\n");
    options.shape = Shape::Triangle;
    EXPECT_EQ(written("x.tsv", *resultOf({1, 2, 12}, ValueType::Int32)),
              "\ta\tb\tc\n"
              "a\t0\n"
              "b\t1\t0\n"
              "c\t2\t12\t0\n");
}

TEST_F(ResultFilesTest, TsvValues) {
    EXPECT_EQ(written("x.tsv", *resultOf({0.1, kNaN, 1e-7}, ValueType::Float32, StoreLayout::Condensed, 1)),
              "\ta\tb\tc\na\t1\t0.1\tnan\nb\t0.1\t1\t1e-07\nc\tnan\t1e-07\t1\n");
}

TEST_F(ResultFilesTest, NamesThatWouldBreakATable) {
    setNames({"a b", "b\tb", "c\nc"});
    EXPECT_EQ(written("x.tsv", *resultOf({1, 2, 3})).substr(0, 13), "\ta b\tb_b\tc_c\n");
    setNames({"a\tb", "x", "a_b"});
    EXPECT_THAT(messageOf<InputError>([&] {
                    written("y.tsv", *resultOf({1, 2, 3}));
                }),
                AllOf(HasSubstr("y.tsv"), HasSubstr("instances 1 and 3"), HasSubstr("'a_b'")));
    EXPECT_FALSE(fs::exists(folder / "y.tsv"));
}

TEST_F(ResultFilesTest, Molten) {
    options.molten = true;
    const auto store = resultOf({1, 2.5, kNaN});
    EXPECT_EQ(written("x.tsv", *store),
              "a\ta\t0\na\tb\t1\na\tc\t2.5\nb\ta\t1\nb\tb\t0\nb\tc\tnan\nc\ta\t2.5\nc\tb\tnan\nc\tc\t0\n");
    options.maxDistance = 1;
    EXPECT_EQ(written("x.tsv", *store), "a\ta\t0\na\tb\t1\nb\ta\t1\nb\tb\t0\nc\tc\t0\n");
    options.shape = Shape::Triangle;
    EXPECT_EQ(written("x.tsv", *store), "b\ta\t1\n");
    options.maxDistance.reset();
    EXPECT_EQ(written("x.tsv", *store), "b\ta\t1\nc\ta\t2.5\nc\tb\tnan\n");
}

TEST_F(ResultFilesTest, NearestOfEach) {
    options.molten = true;
    const auto store = resultOf({1, 2.5, kNaN});
    options.nearest = 1;
    EXPECT_EQ(written("x.tsv", *store), "a\tb\t1\nb\ta\t1\nc\ta\t2.5\n");
    options.nearest = 5;
    EXPECT_EQ(written("x.tsv", *store), "a\tb\t1\na\tc\t2.5\nb\ta\t1\nc\ta\t2.5\n");
    labels.measure = Measure::Ibs;
    options.nearest = 1;
    EXPECT_EQ(written("x.tsv", *store), "a\tc\t2.5\nb\ta\t1\nc\ta\t2.5\n");
}

TEST_F(ResultFilesTest, PhylipStrict) {
    setNames({"Homo", "Pan trog.", "Gorilla_10"});
    EXPECT_EQ(written("x.phy", *resultOf({0.5, 2, kNaN})),
              "3\n"
              "Homo       0 0.5 2\n"
              "Pan_trog.  0.5 0 -1\n"
              "Gorilla_10 2 -1 0\n");
    options.shape = Shape::Triangle;
    EXPECT_EQ(written("x.phylip", *resultOf({0.5, 2, 1})),
              "3\n"
              "Homo      \n"
              "Pan_trog.  0.5\n"
              "Gorilla_10 2 1\n");
}

TEST_F(ResultFilesTest, PhylipRelaxed) {
    setNames({"Homo sapiens", "b", "c"});
    EXPECT_EQ(written("x.phylip.dist", *resultOf({1, 2, 3})),
              "3\n"
              "Homo_sapiens  0 1 2\n"
              "b  1 0 3\n"
              "c  2 3 0\n");
    setNames({"a", "", "c"});
    EXPECT_THAT(messageOf<InputError>([&] {
                    written("x.phy", *resultOf({1, 2, 3}));
                }),
                HasSubstr("instance 2"));
}

template <class T>
std::vector<T> valuesIn(const std::string& bytes, std::size_t offset = 0) {
    std::vector<T> values((bytes.size() - offset) / sizeof(T));
    std::memcpy(values.data(), bytes.data() + offset, values.size() * sizeof(T));
    return values;
}

TEST_F(ResultFilesTest, NpySquare) {
    for (const StoreLayout layout : {StoreLayout::Square, StoreLayout::Triangle, StoreLayout::Condensed}) {
        written("x.npy", *resultOf({0.5, 2, 3}, ValueType::Float32, layout, 1));
        const Matrix<double> matrix = io::readNpyMatrix<double>(folder / "x.npy");
        EXPECT_EQ(std::vector<double>(matrix.data(), matrix.data() + 9),
                  (std::vector<double>{1, 0.5, 2, 0.5, 1, 3, 2, 3, 1}));
    }
}

// SciPy's pdist of four instances: (0,1), (0,2), (0,3), (1,2), (1,3), (2,3).
TEST_F(ResultFilesTest, NpyCondensed) {
    options.shape = Shape::Triangle;
    setNames({"a", "b", "c", "d"});
    const std::size_t shape[] = {6};
    for (const StoreLayout layout : {StoreLayout::Square, StoreLayout::Triangle, StoreLayout::Condensed}) {
        const std::string bytes =
            written("x.npy", *resultOf({10, 20, 21, 30, 31, 32}, ValueType::Int32, layout));
        const std::string header = io::npyHeaderText("<i4", shape);
        EXPECT_EQ(bytes.substr(0, header.size()), header);
        EXPECT_THAT(valuesIn<std::int32_t>(bytes, header.size()), ElementsAre(10, 20, 30, 21, 31, 32));
    }
    setNames({"only"});
    const auto one = inMemory(1, ValueType::Float64, StoreLayout::Condensed, 0);
    const std::size_t none[] = {0};
    EXPECT_EQ(written("one.npy", *one), io::npyHeaderText("<f8", none));
}

// Integers use R's NA for a pair without a value.
TEST_F(ResultFilesTest, CountsWithoutAValue) {
    for (const StoreLayout layout : {StoreLayout::Triangle, StoreLayout::Square, StoreLayout::Condensed}) {
        const auto store = resultOf({1, kNaN, 3}, ValueType::Int32, layout);
        EXPECT_TRUE(std::isnan(store->value(2, 0)));
        EXPECT_TRUE(std::isnan(store->value(0, 2)));
        EXPECT_EQ(store->value(2, 1), 3);
        EXPECT_EQ(written("x.tsv", *store), "\ta\tb\tc\na\t0\t1\tnan\nb\t1\t0\t3\nc\tnan\t3\t0\n");
        EXPECT_EQ(written("x.phy", *store), "3\na          0 1 -1\nb          1 0 3\nc          -1 3 0\n");
        const std::string bytes = written("x.npy", *store);
        EXPECT_THAT(valuesIn<std::int32_t>(bytes, bytes.size() - 9 * 4),
                    ElementsAre(0, 1, std::numeric_limits<std::int32_t>::min(), 1, 0, 3,
                                std::numeric_limits<std::int32_t>::min(), 3, 0));
    }
}

TEST_F(ResultFilesTest, OneInstance) {
    setNames({"only"});
    const auto store = inMemory(1, ValueType::Int32, StoreLayout::Triangle, 0);
    EXPECT_EQ(written("x.tsv", *store), "\tonly\nonly\t0\n");
    EXPECT_EQ(written("x.phy", *store), "1\nonly       0\n");
    EXPECT_EQ(written("x.dist", *store), "");
    EXPECT_EQ(readFile(folder / "x.dist.id"), "F_only\tonly\n");
}

TEST_F(ResultFilesTest, ManyRowsComeInOrder) {
    const std::size_t n = 2100;  // more than fit into memory at once
    std::vector<double> pairs;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < n; ++i) {
        names.push_back(fmt::format("s{}", i));
        for (std::size_t j = 0; j < i; ++j)
            pairs.push_back(static_cast<double>((i * 7919 + j * 104729) % 1000));
    }
    setNames(names);
    std::istringstream text(written("x.tsv", *resultOf(pairs, ValueType::Int32)));
    std::string line;
    std::getline(text, line);
    for (std::size_t i = 0; i < n; ++i) {
        std::string name;
        text >> name;
        ASSERT_EQ(name, names[i]);
        for (std::size_t j = 0; j < n; ++j) {
            double value = -1;
            text >> value;
            const std::size_t row = std::max(i, j);
            ASSERT_EQ(value, i == j ? 0 : pairs[row * (row - 1) / 2 + std::min(i, j)]) << i << ", " << j;
        }
    }
}

TEST_F(ResultFilesTest, ACancelledFileDoesNotAppear) {
    writeFile(folder / "x.dist", "old");
    bool isCancelled = false;
    Progress progress([&](const ProgressUpdate&) { isCancelled = true; }, [&] { return isCancelled; });
    isCancelled = true;
    EXPECT_THROW(writeResult(folder / "x.dist", ResultFormat::PlinkText, *resultOf({1, 2, 3}), labels,
                             options, progress),
                 CancelledError);
    EXPECT_EQ(readFile(folder / "x.dist"), "old");
    EXPECT_EQ(folder.fileCount(), 1U);
}

/// The matrix that snp-dists wrote for 515 real sequences.
TEST_F(ResultFilesTest, ARealMatrixOfSnpDists) {
    const std::string matrix = "snp/fastbaps_seqs.snp-dists.tsv.gz";
    if (const std::string lack = lackOfData(matrix); !lack.empty()) GTEST_SKIP() << lack;
    const fs::path file = sharedData(matrix);
    const std::string expected = io::readText(file);
    std::istringstream text(expected);
    std::string header;
    std::getline(text, header);
    std::istringstream names(header);
    std::vector<std::string> found;
    for (std::string name; names >> name;) found.push_back(name);
    setNames(found);
    std::vector<double> pairs;
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::string name;
        text >> name;
        for (std::size_t j = 0; j < found.size(); ++j) {
            double value = 0;
            text >> value;
            if (j < i) pairs.push_back(value);
        }
    }
    EXPECT_EQ(written("x.tsv", *resultOf(pairs, ValueType::Int32)), expected);
}

/// Runs PLINK 1.9 on nine variants of six individuals; the first two have none in common.
class PlinkFilesTest : public ResultFilesTest {
  protected:
    void SetUp() override {
        if (const std::string lack = lackOfProgram("plink1.9"); !lack.empty()) GTEST_SKIP() << lack;
        // Two bits per individual, from the low end: 0 homozygous, 1 missing, 2 heterozygous, 3 the other
        // homozygous genotype.
        constexpr int kCodes[9][6] = {{0, 1, 2, 3, 0, 2}, {2, 1, 3, 3, 0, 0}, {3, 1, 0, 2, 2, 0},
                                      {1, 0, 2, 2, 3, 1}, {1, 2, 0, 1, 3, 3}, {1, 3, 3, 0, 0, 2},
                                      {1, 2, 1, 2, 2, 3}, {0, 1, 2, 0, 3, 3}, {1, 3, 0, 0, 1, 2}};
        std::string bed("\x6c\x1b\x01", 3);
        std::string bim;
        for (int v = 0; v < 9; ++v) {
            for (int first = 0; first < 6; first += 4) {
                unsigned byte = 0;
                for (int k = 0; k < 4 && first + k < 6; ++k)
                    byte |= static_cast<unsigned>(kCodes[v][first + k]) << (2 * k);
                bed += static_cast<char>(byte);
            }
            bim += fmt::format("1\tv{}\t0\t{}\tA\tC\n", v, v + 1);
        }
        std::string fam;
        for (int i = 0; i < 6; ++i) {
            fam += fmt::format("fam{} ind{} 0 0 0 -9\n", i / 2, i);
            labels.names.push_back(fmt::format("ind{}", i));
            labels.familyIds.emplace_back(fmt::format("fam{}", i / 2), fmt::format("ind{}", i));
        }
        writeFile(folder / "six.bed", bed);
        writeFile(folder / "six.bim", bim);
        writeFile(folder / "six.fam", fam);
    }

    /// The bytes that PLINK writes, and those of the identifiers.
    std::pair<std::string, std::string> plink(const std::string& modifiers, const std::string& ending) const {
        const std::string prefix = folder / "plink";
        const std::string command =
            fmt::format("plink1.9 --bfile '{}' --distance {} --out '{}' >'{}.out' 2>&1",
                        (folder / "six").string(), modifiers, prefix, prefix);
        if (std::system(command.c_str()) != 0) ADD_FAILURE() << command << "\n" << readFile(prefix + ".out");
        const std::string text = ending.substr(0, ending.find(".bin"));
        return {readFile(prefix + ending), readFile(prefix + text + ".id")};
    }

    /// PLINK's own values of this measure, in a store as if they had been computed here.
    std::unique_ptr<PairStore> plinkValues(const std::string& measure, const std::string& ending,
                                           const std::string& missing, ValueType type) const {
        const std::vector<double> square =
            valuesIn<double>(plink(fmt::format("square bin {} {}", measure, missing), ending + ".bin").first);
        auto store = inMemory(6, type, StoreLayout::Triangle, measure == "ibs" ? 1 : 0);
        store->store({{0, 6}, {0, 6}}, {square.data(), 6, 6});
        return store;
    }
};

struct PlinkCase {
    const char* measure;
    const char* ending;
    Measure value;
};
constexpr PlinkCase kPlinkCases[] = {{"allele-ct", ".dist", Measure::Allele},
                                     {"ibs", ".mibs", Measure::Ibs},
                                     {"1-ibs", ".mdist", Measure::OneMinusIbs}};

TEST_F(PlinkFilesTest, EveryShapeByteForByte) {
    for (const PlinkCase& each : kPlinkCases)
        for (const std::string missing : {"", "flat-missing"}) {
            labels.measure = each.value;
            const auto doubles = plinkValues(each.measure, each.ending, missing, ValueType::Float64);
            const auto floats = plinkValues(each.measure, each.ending, missing, ValueType::Float32);
            EXPECT_TRUE(std::isnan(doubles->value(1, 0)));
            for (const std::string shape : {"triangle", "square", "square0"}) {
                options.shape = fromString<Shape>(shape);
                const std::string modifiers = fmt::format("{} {} {}", each.measure, missing, shape);
                SCOPED_TRACE(modifiers);
                const auto [text, ids] = plink(modifiers, each.ending);
                const std::string name = std::string("own") + each.ending;
                EXPECT_EQ(written(name, *doubles), text);
                EXPECT_EQ(readFile(folder / (name + ".id")), ids);
                const std::string binary = std::string(each.ending) + ".bin";
                EXPECT_EQ(written("own" + binary, *doubles), plink(modifiers + " bin", binary).first);
                EXPECT_EQ(readFile(folder / (name + ".id")), ids);
                std::vector<float> expected = valuesIn<float>(plink(modifiers + " bin4", binary).first);
                // On the diagonal of this file alone, PLINK 1.9 repeats the value to its left instead of 0.
                if (shape == "square" && each.value == Measure::Allele)
                    for (std::size_t i = 0; i < 6; ++i) expected[i * 7] = 0;
                const std::vector<float> found = valuesIn<float>(written("own" + binary, *floats));
                ASSERT_EQ(found.size(), expected.size());
                EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)), 0);
            }
        }
}

TEST_F(PlinkFilesTest, UsualShapes) {
    labels.measure = Measure::Allele;
    const auto store = plinkValues("allele-ct", ".dist", "", ValueType::Float64);
    EXPECT_EQ(written("own.dist", *store), plink("", ".dist").first);
    EXPECT_EQ(written("own.dist.bin", *store), plink("bin", ".dist.bin").first);
}

TEST_F(ResultFilesTest, PlinkIdentifiersHaveNoWhiteSpace) {
    labels.familyIds = {{"f 1", "a\tb"}, {"f 1", "c"}, {"f", "1"}};
    written("x.dist", *resultOf({1, 2, 3}));
    EXPECT_EQ(readFile(folder / "x.dist.id"), "f_1\ta_b\nf_1\tc\nf\t1\n");
    labels.familyIds[1] = {"f_1", "a b"};
    EXPECT_THAT(messageOf<InputError>([&] {
                    written("y.dist", *resultOf({1, 2, 3}));
                }),
                HasSubstr("instances 1 and 2"));
    EXPECT_FALSE(fs::exists(folder / "y.dist"));
}

/// Three groups of instances, near each other within a group and far apart otherwise, in the order of
/// `groups`.
std::unique_ptr<PairStore> threeGroups(const std::vector<int>& groups) {
    std::vector<double> pairs;
    for (std::size_t i = 0; i < groups.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            pairs.push_back(groups[i] == groups[j] ? 1 + groups[i] : 10 + 5 * (groups[i] + groups[j]));
    return resultOf(pairs);
}

TEST_F(ResultFilesTest, AClusteredPictureDoesNotDependOnTheOrder) {
    const auto sorted = threeGroups({0, 0, 0, 1, 1, 1, 2, 2, 2});
    const auto mixed = threeGroups({0, 1, 2, 0, 1, 2, 0, 1, 2});
    // All instances have the same name.
    setNames(std::vector<std::string>(9, "x"));
    drawResult(folder / "sorted.png", *sorted, labels,
               {.isClustered = false, .title = "title", .footer = "footer"}, silentProgress());
    drawResult(folder / "mixed.png", *mixed, labels,
               {.isClustered = false, .title = "title", .footer = "footer"}, silentProgress());
    drawResult(folder / "sorted_clustered.png", *sorted, labels,
               {.isClustered = true, .title = "title", .footer = "footer"}, silentProgress());
    drawResult(folder / "mixed_clustered.png", *mixed, labels,
               {.isClustered = true, .title = "title", .footer = "footer"}, silentProgress());
    EXPECT_EQ(readFile(folder / "mixed_clustered.png"), readFile(folder / "sorted_clustered.png"));
    EXPECT_NE(readFile(folder / "mixed.png"), readFile(folder / "sorted.png"));
}

TEST_F(ResultFilesTest, PicturesOfOneInstanceAndOfUndefinedPairs) {
    const auto one = inMemory(1, ValueType::Int32, StoreLayout::Square, 0);
    one->store({{0, 1}, {0, 1}}, Matrix<double>(1, 1, 0.0).view());
    setNames({"a"});
    drawResult(folder / "one.png", *one, labels, {.isClustered = true}, silentProgress());
    setNames({"a", "b", "c"});
    drawResult(folder / "none.png", *resultOf({kNaN, kNaN, kNaN}), labels, {.isClustered = true},
               silentProgress());
    labels.measure = Measure::Ibs;
    drawResult(folder / "ibs.png", *resultOf({0.7, 0.8, 0.9}, ValueType::Float32, StoreLayout::Triangle, 1),
               labels, {.isClustered = true}, silentProgress());
    EXPECT_EQ(folder.fileCount(), 9U);
}

std::string plinkNumber(double value) {
    char buffer[io::kNumberChars];
    return {buffer, writePlinkNumber(buffer, value)};
}

TEST(PlinkNumber, RoundsTheMiddleToEven) {
    EXPECT_EQ(plinkNumber(0.1234565), "0.123456");
    EXPECT_EQ(plinkNumber(0.1234575), "0.123458");
    EXPECT_EQ(plinkNumber(0.5624015), "0.562402");
    EXPECT_EQ(plinkNumber(123456.5), "123456");
    EXPECT_EQ(plinkNumber(123457.5), "123458");
    EXPECT_EQ(plinkNumber(1234565), "1.23456e+06");
    EXPECT_EQ(plinkNumber(1234575), "1.23458e+06");
    EXPECT_EQ(plinkNumber(1.00000499), "1");
    EXPECT_EQ(plinkNumber(1.00000501), "1.00001");
}

TEST(PlinkNumber, Forms) {
    EXPECT_EQ(plinkNumber(0), "0");
    EXPECT_EQ(plinkNumber(-0.0), "0");
    EXPECT_EQ(plinkNumber(1), "1");
    EXPECT_EQ(plinkNumber(-2.5), "-2.5");
    EXPECT_EQ(plinkNumber(999999), "999999");
    EXPECT_EQ(plinkNumber(999999.6), "1e+06");
    EXPECT_EQ(plinkNumber(1.4e6), "1.4e+06");
    EXPECT_EQ(plinkNumber(0.9999996), "1");
    EXPECT_EQ(plinkNumber(0.0001), "0.0001");
    EXPECT_EQ(plinkNumber(0.00001234567), "1.23457e-05");
    EXPECT_EQ(plinkNumber(5e-324), "4.94066e-324");
    EXPECT_EQ(plinkNumber(1.7976931348623157e308), "1.79769e+308");
    EXPECT_EQ(plinkNumber(kNaN), "nan");
    EXPECT_EQ(plinkNumber(-kNaN), "nan");
    EXPECT_EQ(plinkNumber(std::numeric_limits<double>::infinity()), "inf");
}

TEST(PlinkNumber, IsLikePrintfElsewhere) {
    std::mt19937_64 random(8);
    for (int k = 0; k < 100000; ++k) {
        const double value = k % 2 == 0 ? std::uniform_real_distribution<>(0, 1)(random)
                                        : std::exp(std::uniform_real_distribution<>(-40, 40)(random));
        char expected[io::kNumberChars];
        std::snprintf(expected, sizeof(expected), "%g", value);
        ASSERT_EQ(plinkNumber(value), expected);
    }
}

}  // namespace
}  // namespace glycine::distance
