// Files of all pairs, of close pairs, and of matrices.
#include "engine/pairs/files/pair_output.hpp"

#include <fmt/format.h>

#include <cstring>
#include <mutex>

#include "engine/core/parallel.hpp"
#include "engine/pairs/close_pairs.hpp"
#include "engine/pairs/files/matrix_reader.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "engine/pairs/files/pair_rows.hpp"
#include "engine/pairs/nearest_pairs.hpp"
#include "engine/pairs/stored_value.hpp"
#include "tests/test.hpp"

namespace glycine::pairs {
namespace {

// ---- The loop over tiles, and where values are kept until their files are written.

constexpr TileLoop kLoop{.instances = 5, .side = 2, .stage = "counting", .workPerPair = 10};

/// Writes 10·row + column for each pair; cancels the run before tile `stopAt`.
struct Filler {
    std::size_t stopAt = 100;
    std::vector<PairTile> tiles{};
    TileCount count{};
    double fraction = 0;

    void operator()(PairSink& sink) {
        Progress progress([this](const ProgressUpdate& update) { fraction = update.fraction; });
        const auto compute = [&](const TileWork& work) {
            const PairTile& tile = work.tile;
            if (tiles.size() == stopAt) throw CancelledError("stopped");
            tiles.push_back(tile);
            for (std::size_t r = 0; r < tile.rows.size(); ++r)
                for (std::size_t c = 0; c < tile.columns.size(); ++c)
                    work.values(r, c) =
                        static_cast<double>(10 * (tile.rows.begin + r) + tile.columns.begin + c);
            progress.advance(static_cast<double>(tile.pairs()) * kLoop.workPerPair);
        };
        count = computeTiles(kLoop, sink, progress, {compute});
    }
};

PairOutput outputAt(const fs::path& file, std::size_t tile) {
    return {file, {{5, StoreLayout::Square}, ValueType::Int32, 0}, tile, [] { return "a: 1\n"; }, false};
}

TEST(PairOutput, IsInMemoryWhereOneTileHoldsAll) {
    const TemporaryFolder folder;
    PairOutput output(
        folder / "out.npy", {{5, StoreLayout::Square}, ValueType::Int32, 0}, 5,
        []() -> std::string { throw Error("nobody asks"); }, false);
    Filler filler;
    output.fill(std::ref(filler));
    EXPECT_EQ(filler.tiles.size(), 6U);
    EXPECT_EQ(filler.fraction, 1);
    EXPECT_EQ(output.store().value(1, 4), 41);
    EXPECT_FALSE(output.becomes(folder / "out.npy"));
    output.finish();
    EXPECT_TRUE(fs::is_empty(folder.path()));
    Filler stopped{.stopAt = 2};
    PairOutput again(
        folder / "out.npy", {{5, StoreLayout::Square}, ValueType::Int32, 0}, 5, [] { return ""; }, false);
    EXPECT_EQ(messageOf<CancelledError>([&] { again.fill(std::ref(stopped)); }), "stopped");
}

TEST(PairOutput, SaysNothingOfTilesThatAreNotThere) {
    const TemporaryFolder folder;
    {
        PairOutput output = outputAt(folder / "out.npy", 2);
        Filler filler{.stopAt = 0};
        EXPECT_EQ(messageOf<CancelledError>([&] { output.fill(std::ref(filler)); }), "stopped");
    }
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

/// Fills tiles, then throws.
template <class Failure>
void failAfterTwoTiles(PairOutput& output) {
    output.fill([](PairSink& sink) {
        Filler filler{.stopAt = 2};
        try {
            filler(sink);
        } catch (const CancelledError&) {
            throw Failure("a reason");
        }
    });
}

TEST(PairOutput, KeepsNothingForARunThatCanNeverGoOn) {
    const TemporaryFolder folder;
    {
        PairOutput output = outputAt(folder / "out.npy", 2);
        EXPECT_THROW(failAfterTwoTiles<InputError>(output), InputError);
        EXPECT_TRUE(fs::is_empty(folder.path()));
    }
    {
        PairOutput output = outputAt(folder / "out.npy", 2);
        EXPECT_THROW(failAfterTwoTiles<UsageError>(output), UsageError);
    }
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(PairOutput, KeepsNothingWhenAnOutputIsImpossible) {
    const TemporaryFolder folder;
    PairOutput output = outputAt(folder / "out.npy", 2);
    Filler filler;
    output.fill(std::ref(filler));
    EXPECT_FALSE(fs::is_empty(folder.path()));
    EXPECT_THROW(output.runKeepingValues([] { throw InputError("two names become one"); }), InputError);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(PairOutput, KeepsTilesWhereTheSameRunMayGoOn) {
    const TemporaryFolder folder;
    {
        PairOutput output = outputAt(folder / "out.npy", 2);
        EXPECT_THROW(failAfterTwoTiles<UnreadableInputError>(output), UnreadableInputError);
    }
    {
        PairOutput output = outputAt(folder / "out.npy", 2);
        EXPECT_THROW(failAfterTwoTiles<DeviceError>(output), DeviceError);
    }
    PairOutput output = outputAt(folder / "out.npy", 2);
    Filler filler;
    output.fill(std::ref(filler));
    EXPECT_EQ(filler.count.tilesResumed, 4U);
}

TEST(PairOutput, GoesOnAfterAStopAndBecomesTheFile) {
    const TemporaryFolder folder;
    const fs::path file = folder / "out.npy";
    {
        PairOutput output = outputAt(file, 2);
        Filler filler{.stopAt = 4};
        EXPECT_THAT(
            messageOf<CancelledError>([&] { output.fill(std::ref(filler)); }),
            HasSubstr("finished tiles are kept in " + file.string() + ".unfinished: the same command"));
    }
    PairOutput output = outputAt(file, 2);
    Filler filler;
    output.fill(std::ref(filler));
    EXPECT_EQ(filler.count.tiles, 6U);
    EXPECT_EQ(filler.count.tilesResumed, 4U);
    EXPECT_THAT(filler.tiles, ElementsAre(PairTile{{4, 5}, {2, 4}}, PairTile{{4, 5}, {4, 5}}));
    EXPECT_TRUE(output.becomes(file));
    EXPECT_FALSE(output.becomes(folder / "other.npy"));
    output.finish();
    EXPECT_TRUE(fs::exists(file));
    EXPECT_FALSE(fs::exists(file.string() + ".unfinished"));
}

TEST(PairOutput, GoesWhereOthersAreWritten) {
    const TemporaryFolder folder;
    PairOutput output = outputAt(folder / "out.tsv", 2);
    Filler filler;
    output.fill(std::ref(filler));
    EXPECT_FALSE(output.becomes(folder / "out.tsv"));
    EXPECT_EQ(output.store().value(4, 3), 43);
    output.finish();
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

// ---- Pairs up to a largest value, kept without the others: the same file as from a store of all pairs.

/// Integers 0 … 19, or multiples of `unit`, and some pairs without a value.
Matrix<double> randomValues(std::size_t instances, double unit) {
    std::mt19937 random(7);
    Matrix<double> values(instances, instances, std::nan(""));
    for (std::size_t i = 0; i < instances; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (random() % 10 != 0) values(i, j) = unit * static_cast<double>(random() % 20);
    return values;
}

void store(PairSink& sink, const Matrix<double>& values, std::size_t side) {
    for (const PairTile& tile : tilesBelowDiagonal(values.rows(), side))
        sink.store(tile,
                   MatrixView<const double>(values.view())
                       .block(tile.rows.begin, tile.columns.begin, tile.rows.size(), tile.columns.size()));
}

std::vector<std::string> namesOf(std::size_t instances) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < instances; ++i) names.push_back("s\t" + std::to_string(i));
    return names;
}

TEST(ClosePairs, WriteTheFileOfAStoreOfAllPairs) {
    const TemporaryFolder folder;
    Progress progress;
    for (const ValueType type : {ValueType::Int32, ValueType::Float32, ValueType::Float64})
        for (const std::size_t n : {1, 131})
            for (const std::size_t side : {7, 1000})
                for (const double largest : {-1.0, 3.0})
                    for (const double diagonal : {0.0, 1.0}) {
                        if (diagonal == 1 && type != ValueType::Float64) continue;
                        SCOPED_TRACE(testing::Message() << toString(type) << ' ' << n << ' ' << side << ' '
                                                        << largest << ' ' << diagonal);
                        const Matrix<double> values = randomValues(n, type == ValueType::Int32 ? 1 : 0.35);
                        const std::vector<std::string> names = namesOf(n);
                        for (const StoreLayout part : {StoreLayout::Square, StoreLayout::Triangle}) {
                            PairStore all({{n, part}, type, diagonal});
                            store(all, values, side);
                            writeMolten(folder / "all.tsv", {all, names, progress}, part,
                                        {.largest = largest});
                            ClosePairs close(n, type, largest, diagonal);
                            store(close, values, side);
                            writeMolten(folder / "close.tsv", close, names, diagonal, part, {}, progress);
                            ASSERT_EQ(readFile(folder / "close.tsv"), readFile(folder / "all.tsv"));
                        }
                    }
}

/// Passes the tiles of a rectangle to each sink.
void storeRectangle(std::initializer_list<PairSink*> sinks, const Matrix<double>& values,
                    std::size_t references, std::size_t side) {
    for (const PairTile& tile : cutTile({{references, values.rows()}, {0, references}}, side))
        for (PairSink* const sink : sinks)
            sink->store(tile, values.view().block(tile.rows.begin, tile.columns.begin, tile.rows.size(),
                                                  tile.columns.size()));
}

TEST(ClosePairs, OfARectangleWriteTheFileOfAStoreOfAllPairs) {
    const TemporaryFolder folder;
    Progress progress;
    const std::size_t n = 131;
    std::vector<std::string> names = namesOf(n);
    names.back() = names.front();  // a reference and a query of one name
    for (const std::size_t references : {1, 60, 130})
        for (const ValueType type : {ValueType::Int32, ValueType::Float64})
            for (const double largest : {-1.0, 3.0})
                for (const bool isSorted : {false, true}) {
                    SCOPED_TRACE(testing::Message()
                                 << references << ' ' << toString(type) << ' ' << largest << ' ' << isSorted);
                    const Matrix<double> values = randomValues(n, type == ValueType::Int32 ? 1 : 0.35);
                    PairStore all({{n, StoreLayout::Rectangle, references}, type, 0});
                    ClosePairs close(n, type, largest, 0, references);
                    storeRectangle({&all, &close}, values, references, 17);
                    const MoltenOptions molten{
                        .largest = largest, .hasHeader = isSorted, .isSorted = isSorted};
                    writeMolten(folder / "all.tsv", {all, names, progress}, StoreLayout::Rectangle, molten);
                    writeMolten(folder / "close.tsv", close, names, 0, StoreLayout::Rectangle, molten,
                                progress);
                    const std::string lines = readFile(folder / "close.tsv");
                    ASSERT_EQ(lines, readFile(folder / "all.tsv"));
                    std::size_t count = isSorted ? 1 : 0;
                    for (std::size_t i = references; i < n; ++i)
                        for (std::size_t j = 0; j < references; ++j) count += values(i, j) <= largest ? 1 : 0;
                    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(lines, '\n')), count);
                }
}

/// As many lines as threads format in several pieces.
TEST(SortedPairs, AreOrderedWhoeverFormatsThem) {
    const TemporaryFolder folder;
    Progress progress;
    const std::size_t n = 500;
    const Matrix<double> values = randomValues(n, 1);
    const std::vector<std::string> names = namesOf(n);
    PairStore all({{n, StoreLayout::Condensed}, ValueType::Int32, 0});
    store(all, values, 128);
    std::vector<std::tuple<double, std::size_t, std::size_t>> expected;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!std::isnan(values(i, j))) expected.emplace_back(values(i, j), i, j);
    std::ranges::sort(expected);
    ASSERT_GT(expected.size(), std::size_t{1} << 16);
    std::string lines = "id1\tid2\tdistance\n";
    for (const auto& [value, i, j] : expected) lines += fmt::format("s_{}\ts_{}\t{}\n", i, j, value);
    for (const int threads : {1, 3}) {
        const DefaultThreads limited(threads);
        writeMolten(folder / "sorted.tsv", {all, names, progress}, StoreLayout::Square,
                    {.hasHeader = true, .isSorted = true});
        EXPECT_TRUE(readFile(folder / "sorted.tsv") == lines) << threads;
    }
}

TEST(Rectangles, AreWrittenInBlocksInOrder) {
    const TemporaryFolder folder;
    Progress progress;
    // Several blocks of rows.
    const std::size_t n = 3000, references = 400;
    const Matrix<double> values = randomValues(n, 1);
    const std::vector<std::string> names = namesOf(n);
    PairStore all({{n, StoreLayout::Rectangle, references}, ValueType::Int32, 0});
    storeRectangle({&all}, values, references, 512);
    ASSERT_GT(RowBlocks(n, references).count(), 3U);
    std::string table;
    for (std::size_t j = 0; j < references; ++j) table += fmt::format("\ts_{}", j);
    table += '\n';
    for (std::size_t i = references; i < n; ++i) {
        table += fmt::format("s_{}", i);
        for (std::size_t j = 0; j < references; ++j)
            table += std::isnan(values(i, j)) ? "\tnan" : fmt::format("\t{}", values(i, j));
        table += '\n';
    }
    for (const int threads : {1, 3}) {
        const DefaultThreads limited(threads);
        writeRectangle(folder / "r.tsv", {all, names, progress}, '\t');
        EXPECT_TRUE(readFile(folder / "r.tsv") == table) << threads;
        writeRectangleNpy(folder / "r.npy", {all, names, progress});
        const std::string array = readFile(folder / "r.npy");
        const std::size_t bytes = (n - references) * references * sizeof(std::int32_t);
        ASSERT_GT(array.size(), bytes);
        std::vector<std::int32_t> stored(bytes / sizeof(std::int32_t));
        std::memcpy(stored.data(), array.data() + array.size() - bytes, bytes);
        std::size_t differing = 0;
        for (std::size_t k = 0; k < stored.size(); ++k) {
            const double value = values(references + k / references, k % references);
            differing += stored[k] == (std::isnan(value) ? kNoInt32 : static_cast<int>(value)) ? 0 : 1;
        }
        EXPECT_EQ(differing, 0U);
    }
}

TEST(ClosePairs, HoldWhatQualifiesAndShowTheRest) {
    const std::size_t n = 400;
    const Matrix<double> values = randomValues(n, 1);
    std::size_t observed = 0;
    std::vector<ClosePair> expected;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (values(i, j) <= 1)
                expected.push_back(
                    {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), values(i, j)});
    std::mutex mutex;
    ClosePairs close(
        n, ValueType::Int32, 1, 0, 0,
        {{}, [&](std::size_t row, std::size_t first, std::span<const double> shown) {
             const std::lock_guard lock(mutex);
             for (std::size_t k = 0; k < shown.size(); ++k, ++observed) {
                 ASSERT_LT(first + k, row);
                 ASSERT_TRUE(shown[k] == values(row, first + k) || std::isnan(values(row, first + k)));
             }
         }});
    store(close, values, 64);
    EXPECT_EQ(observed, n * (n - 1) / 2);
    const ValueSummary summary = close.summary();
    EXPECT_EQ(summary.pairs + summary.undefined, observed);
    EXPECT_GT(summary.undefined, 0U);
    EXPECT_EQ(close.sorted(), expected);
    EXPECT_LT(expected.size(), observed / 8);
}

TEST(ClosePairs, RefuseWhatTheirTypeCannotHold) {
    ClosePairs close(3, ValueType::Int32, 1, 0);
    Matrix<double> values(3, 3, 2.0);
    values(2, 1) = 0.5;
    EXPECT_THAT(messageOf<UsageError>([&] { store(close, values, 3); }),
                HasSubstr("instances 3 and 2: the value 0.5 does not fit int32"));
    EXPECT_THROW(ClosePairs((std::size_t{1} << 30) + 1, ValueType::Int32, 1, 0), UsageError);
}

TEST(ClosePairs, CanBeCancelledWhileTheyAreWritten) {
    const TemporaryFolder folder;
    ClosePairs close(20, ValueType::Float64, 1e9, 0);
    store(close, randomValues(20, 1), 20);
    Progress cancelled({}, [] { return true; });
    EXPECT_THROW(writeMolten(folder / "close.tsv", close, namesOf(20), 0, StoreLayout::Square, {}, cancelled),
                 CancelledError);
    EXPECT_EQ(folder.fileCount(), 0U);
}

/// Sink that passes tiles on in another order, as several devices do.
std::vector<PairTile> shuffled(std::vector<PairTile> tiles) {
    std::ranges::sort(tiles, {}, [](const PairTile& tile) {
        return (tile.rows.begin * 31 + tile.columns.begin * 17) % 101;
    });
    return tiles;
}

TEST(NearestPairs, WriteTheFileOfAStoreOfAllPairs) {
    const TemporaryFolder folder;
    Progress progress;
    for (const int threads : {1, 2}) {
        const DefaultThreads limited(threads);
        for (const ValueType type : {ValueType::Int32, ValueType::Float32, ValueType::Float64})
            for (const std::size_t n : {1, 2, 131})
                for (const std::size_t side : {7, 64, 1000})
                    for (const std::size_t count : {1, 3, 200})
                        for (const bool isSimilarity : {false, true}) {
                            SCOPED_TRACE(testing::Message() << toString(type) << ' ' << n << ' ' << side
                                                            << ' ' << count << ' ' << isSimilarity);
                            const Matrix<double> values =
                                randomValues(n, type == ValueType::Int32 ? 1 : 0.35);
                            const std::vector<std::string> names = namesOf(n);
                            const MoltenOptions molten{.hasHeader = count == 3, .isSimilarity = isSimilarity};
                            PairStore all({{n, StoreLayout::Square}, type, 0});
                            store(all, values, side);
                            writeNearest(folder / "all.tsv", {all, names, progress}, count, molten);
                            NearestPairs nearest(n, type, {count, isSimilarity}, 0);
                            for (const PairTile& tile : shuffled(tilesBelowDiagonal(n, side)))
                                nearest.store(tile,
                                              values.view().block(tile.rows.begin, tile.columns.begin,
                                                                  tile.rows.size(), tile.columns.size()));
                            writeNearest(folder / "nearest.tsv", nearest, names, molten, progress);
                            ASSERT_EQ(readFile(folder / "nearest.tsv"), readFile(folder / "all.tsv"));
                            ClosePairs close(n, type, 3, 0);
                            store(close, values, side);
                            const ValueSummary expected = close.summary(), found = nearest.summary();
                            EXPECT_EQ(found.pairs, expected.pairs);
                            EXPECT_EQ(found.undefined, expected.undefined);
                        }
    }
}

TEST(NearestPairs, OfARectangleAreReferences) {
    const TemporaryFolder folder;
    Progress progress;
    const std::size_t n = 90, references = 60;
    const Matrix<double> values = randomValues(n, 1);
    const std::vector<std::string> names = namesOf(n);
    const PairFormat format{{n, StoreLayout::Rectangle, references}, ValueType::Int32, 0};
    for (const std::size_t count : {1, 4, 100}) {
        PairStore all(format);
        NearestPairs nearest(n, ValueType::Int32, {count, false}, 0, references);
        for (const PairTile& tile : shuffled(cutTile({{references, n}, {0, references}}, 13))) {
            const MatrixView<const double> part = values.view().block(tile.rows.begin, tile.columns.begin,
                                                                      tile.rows.size(), tile.columns.size());
            all.store(tile, part);
            nearest.store(tile, part);
        }
        for (const char* name : {"a.tsv", "a.tsv.gz"}) {
            writeNearest(folder / name, {all, names, progress}, count, {});
            const std::string expected = readFile(folder / name);
            writeNearest(folder / name, nearest, names, {}, progress);
            EXPECT_EQ(readFile(folder / name), expected);
        }
    }
}

TEST(NearestPairs, RefuseWhatTheirTypeCannotHold) {
    NearestPairs nearest(3, ValueType::Int32, {2, false}, 0);
    Matrix<double> values(3, 3, 2.0);
    values(2, 1) = 0.5;
    EXPECT_THAT(messageOf<UsageError>([&] { store(nearest, values, 3); }),
                HasSubstr("instances 3 and 2: the value 0.5 does not fit int32"));
    EXPECT_THROW(NearestPairs((std::size_t{1} << 30) + 1, ValueType::Int32, {1, false}, 0), UsageError);
}

/// Names that a table reader could misinterpret.
const std::vector<std::string> kNames{"a;b", "a\"b", "\"c\"", " d", "e ", "f,g", "\"", "h'i", "5\" end;"};

void fillWithNumbers(PairStore& store) {
    const std::size_t n = store.instances();
    Matrix<double> values(n, n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) values(i, j) = values(j, i) = static_cast<double>(10 * i + j);
    store.store({{0, n}, {0, n}}, std::as_const(values).view());
}

TEST(MatrixFiles, TablesAreReadBackWhateverTheNamesAre) {
    const TemporaryFolder folder;
    for (const StoreLayout part : {StoreLayout::Square, StoreLayout::Triangle}) {
        PairStore store({.layout = {kNames.size(), part}});
        fillWithNumbers(store);
        const PairFile file{store, kNames, silentProgress()};
        writeCsv(folder / "m.csv", file, part);
        writeTsv(folder / "m.tsv", file, part);
        for (const char* name : {"m.csv", "m.tsv"}) {
            MatrixReader reader(folder / name);
            EXPECT_EQ(reader.head().names, kNames) << name;
            PairStore read({.layout = {kNames.size(), StoreLayout::Triangle}});
            reader.read(kNames.size(), read, silentProgress());
            for (std::size_t i = 0; i < kNames.size(); ++i)
                for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(read.value(i, j), store.value(i, j));
        }
    }
}

}  // namespace
}  // namespace glycine::pairs
