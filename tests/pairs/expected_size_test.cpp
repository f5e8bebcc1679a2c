// Sizes of files before there are values: bounds of what is written then, and disks without room for them.
#include "engine/pairs/files/expected_size.hpp"

#include <cmath>
#include <memory>

#include "engine/distance/results/distance_files.hpp"
#include "engine/pairs/pair_store.hpp"
#include "tests/test.hpp"

namespace glycine::pairs {
namespace {

class ExpectedSize : public testing::Test {
  protected:
    static constexpr std::size_t kInstances = 37;
    static constexpr double kLargest = 4096;

    ExpectedSize() {
        for (std::size_t i = 0; i < kInstances; ++i)
            names_.push_back(std::string(1 + i % 23, 'n') + "\"," + std::to_string(i));
    }
    /// From one digit to many; some pairs have no value.
    static double valueOf(std::size_t row, std::size_t column, ValueType type) {
        const std::size_t number = row * 31 + column * 17;
        if (number % 19 == 0) return std::nan("");
        if (type == ValueType::Int32) return static_cast<double>(number * number % 4097);
        return number % 5 == 0 ? 0
                               : -std::sqrt(static_cast<double>(number)) * std::pow(10.0, 30.0 - number % 60);
    }
    static std::unique_ptr<PairStore> filled(ValueType type, std::size_t references) {
        PairLayout layout{kInstances, StoreLayout::Square};
        if (references > 0) layout = {kInstances, StoreLayout::Rectangle, references};
        auto store = std::make_unique<PairStore>(PairFormat{layout, type});
        std::vector<PairTile> tiles = tilesBelowDiagonal(kInstances, 10);
        if (references > 0) tiles = cutTile({{references, kInstances}, {0, references}}, 10);
        for (const PairTile& tile : tiles) {
            Matrix<double> values(tile.rows.size(), tile.columns.size(), 0);
            for (std::size_t r = 0; r < values.rows(); ++r)
                for (std::size_t c = 0; c < tile.columnsOf(r); ++c)
                    values(r, c) = valueOf(tile.rows.begin + r, tile.columns.begin + c, type);
            store->store(tile, std::as_const(values).view());
        }
        return store;
    }
    /// `isArray`: only names and heads are not known exactly.
    static void expectWithin(const storage::ExpectedFile& expected, bool isArray) {
        const auto size = static_cast<double>(std::filesystem::file_size(expected.path));
        EXPECT_LE(expected.least, size) << expected.path;
        EXPECT_GE(expected.most, size) << expected.path;
        if (isArray) {
            EXPECT_GT(expected.least + 8192, expected.most) << expected.path;
        }
        EXPECT_LT(expected.most, 30 * (expected.least + 4096)) << expected.path;
    }

    TemporaryFolder folder_;
    std::vector<std::string> names_;
};

TEST_F(ExpectedSize, BoundsThoseOfMatrices) {
    for (const ValueType type : {ValueType::Int32, ValueType::Float32, ValueType::Float64}) {
        const std::unique_ptr<PairStore> store = filled(type, 0);
        for (const MatrixShape shape : {MatrixShape::Square, MatrixShape::Triangle})
            for (const std::string ending : {"npy", "npz", "csv", "tsv", "phy", "molten.tsv"}) {
                MatrixFileOptions options{.shape = shape, .areDistances = true};
                options.molten = ending.starts_with("molten");
                const std::string path = (folder_ / ("m." + ending)).string();
                writeMatrixFile(path, options, {*store, names_, silentProgress()}, {});
                const auto expected = expectedFiles(
                    {path}, options, {names_, type, 0, type == ValueType::Int32 ? kLargest : INFINITY});
                ASSERT_EQ(expected.size(), 1U);
                expectWithin(expected.front(), ending == "npy" || ending == "npz");
            }
    }
}

TEST_F(ExpectedSize, BoundsThoseOfRectangles) {
    constexpr std::size_t kReferences = 9;
    for (const ValueType type : {ValueType::Int32, ValueType::Float64}) {
        const std::unique_ptr<PairStore> store = filled(type, kReferences);
        const PairFile file{*store, names_, silentProgress()};
        const ExpectedValues values{names_, type, kReferences};
        const auto bounds = [&](const std::string& name, MatrixFormat format) {
            return expectedFile(folder_ / name, format, MatrixShape::Square, values);
        };
        writeRectangleNpy(folder_ / "r.npy", file);
        expectWithin(bounds("r.npy", MatrixFormat::Npy), true);
        writeRectangle(folder_ / "r.csv", file, ',');
        expectWithin(bounds("r.csv", MatrixFormat::Csv), false);
        writeMolten(folder_ / "r.tsv", file, StoreLayout::Rectangle, {});
        expectWithin(bounds("r.tsv", MatrixFormat::Molten), false);
    }
}

TEST_F(ExpectedSize, BoundsThoseOfPlink) {
    using namespace distance;
    const std::unique_ptr<PairStore> store = filled(ValueType::Int32, 0);
    ResultLabels labels{{}, {}, Measure::Mismatch};
    for (std::size_t i = 0; i < kInstances; ++i) {
        labels.names.push_back("p" + std::to_string(i));
        labels.familyIds.emplace_back("0", labels.names.back());
    }
    for (const auto& [name, format] :
         {std::pair("d.dist", ResultFormat::PlinkText), std::pair("d.dist.gz", ResultFormat::PlinkText),
          std::pair("d.dist.bin", ResultFormat::PlinkBinary), std::pair("d.tsv", ResultFormat::Tsv)})
        for (const Shape shape : {Shape::Square, Shape::SquareZero, Shape::Triangle}) {
            if (shape == Shape::SquareZero && format == ResultFormat::Tsv) continue;
            ResultFileOptions options;
            options.shape = shape;
            writeResult(folder_ / name, format, *store, labels, options, silentProgress());
            const auto expected =
                expectedFile(folder_ / name, format, options, {labels.names, ValueType::Int32, 0, kLargest});
            ASSERT_TRUE(expected);
            expectWithin(*expected, false);
        }
    ResultFileOptions some;
    some.molten = true;
    some.maxDistance = 3;
    EXPECT_FALSE(expectedFile("x.tsv", ResultFormat::Molten, some, {labels.names, ValueType::Int32}));
}

TEST_F(ExpectedSize, BeyondTheDiskIsRefusedOrReported) {
    constexpr double kTooMuch = 1e21;
    const std::filesystem::path one = folder_ / "one.tsv", other = folder_ / "other.npy";
    const auto message = [&](const std::vector<storage::ExpectedFile>& files) {
        return messageOf<Error>([&] { storage::requireDiskSpace(files); });
    };
    EXPECT_THAT(message({{one, kTooMuch, kTooMuch}}),
                AllOf(StartsWith(one.string() +
                                 ": the disk has no room for the result: at least 1e+12 GB are needed"),
                      EndsWith(" GB are free")));
    const double free = static_cast<double>(std::filesystem::space(folder_.path()).available);
    EXPECT_THAT(message({{one, 0.9 * free, kTooMuch}, {other, 0.9 * free, kTooMuch}}),
                StartsWith(one.string() + ", " + other.string()))
        << "the same disk";
    EXPECT_EQ(storage::requireDiskSpace(
                  std::vector<storage::ExpectedFile>{{one, 10, 20}, {"-", kTooMuch, kTooMuch}}),
              "");
    EXPECT_EQ(
        storage::requireDiskSpace(std::vector<storage::ExpectedFile>{{"/dev/null", kTooMuch, kTooMuch}}), "");
    EXPECT_THAT(storage::requireDiskSpace(std::vector<storage::ExpectedFile>{{one, 10, kTooMuch}}),
                StartsWith(one.string() + ": up to 1e+12 GB will be written, "));
}

}  // namespace
}  // namespace glycine::pairs
