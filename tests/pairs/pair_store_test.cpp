#include "engine/pairs/pair_store.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "engine/core/tiling.hpp"
#include "engine/io/arrays/npy.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "tests/test.hpp"

namespace glycine::pairs {
namespace {

constexpr StoreLayout kLayouts[] = {StoreLayout::Square, StoreLayout::Triangle, StoreLayout::Condensed};
constexpr ValueType kTypes[] = {ValueType::Int32, ValueType::Float32, ValueType::Float64};
constexpr double kDiagonal = 1;

/// An integer that differs for each pair and that float32 holds exactly.
double pairValue(std::size_t i, std::size_t j) {
    return static_cast<double>(std::max(i, j) * 4096 + std::min(i, j) + 2);
}

double expectedValue(std::size_t i, std::size_t j) {
    return i == j ? kDiagonal : pairValue(i, j);
}

std::vector<PairTile> tilesOf(std::size_t instances, std::size_t side) {
    std::vector<PairTile> tiles;
    for (const Range rows : splitRange(instances, side))
        for (const Range columns : splitRange(rows.end, side)) tiles.push_back({rows, columns});
    return tiles;
}

/// Values as an algorithm leaves them: NaN in meaningless elements of a tile.
Matrix<double> tileValues(const PairTile& tile) {
    Matrix<double> values(tile.rows.size(), tile.columns.size(), std::nan(""));
    for (std::size_t i = tile.rows.begin; i < tile.rows.end; ++i)
        for (std::size_t j = tile.columns.begin; j < std::min(i, tile.columns.end); ++j)
            values(i - tile.rows.begin, j - tile.columns.begin) = pairValue(i, j);
    return values;
}

void storeTile(PairSink& sink, const PairTile& tile) {
    sink.store(tile, tileValues(tile).view());
}

/// Stores the tiles that the sink lacks; returns their number.
std::size_t storeMissing(PairSink& sink, std::size_t instances, std::size_t side) {
    std::size_t stored = 0;
    for (const PairTile& tile : tilesOf(instances, side)) {
        if (sink.has(tile)) continue;
        storeTile(sink, tile);
        ++stored;
    }
    return stored;
}

void expectAllValues(const PairStore& store) {
    const std::size_t n = store.instances();
    Matrix<double> all(n, n, -1.0);
    store.readBlock({0, n}, {0, n}, all.view());
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            ASSERT_EQ(all(i, j), expectedValue(i, j)) << i << ", " << j;
            ASSERT_EQ(store.value(i, j), expectedValue(i, j)) << i << ", " << j;
        }
}

std::unique_ptr<PairStore> inMemory(std::size_t instances, ValueType type, StoreLayout layout,
                                    double diagonal) {
    return std::make_unique<PairStore>(PairFormat{{instances, layout}, type, diagonal});
}

TEST(PairStoreInMemory, HoldsAllPairsInEveryLayoutAndType) {
    for (const StoreLayout layout : kLayouts)
        for (const ValueType type : kTypes)
            for (const auto& [instances, side] : {std::pair<std::size_t, std::size_t>{1, 1},
                                                  {2, 1},
                                                  {2, 5},
                                                  {67, 16},
                                                  {130, 64},
                                                  {701, 500}}) {
                const auto store = inMemory(instances, type, layout, kDiagonal);
                EXPECT_EQ(store->layout(), layout);
                EXPECT_EQ(store->valueType(), type);
                storeMissing(*store, instances, side);
                expectAllValues(*store);
            }
}

TEST(PairStoreInMemory, TakesTheMemoryOfTheCaller) {
    constexpr std::size_t kInstances = 67;
    for (const StoreLayout layout : kLayouts) {
        const PairFormat format{{kInstances, layout}, ValueType::Float32, kDiagonal};
        std::vector<float> memory(format.layout.elements() + 1, -1);
        PairStore store(format, reinterpret_cast<std::byte*>(memory.data()));
        storeMissing(store, kInstances, 16);
        expectAllValues(store);
        EXPECT_FALSE(store.outlivesStop());
        for (std::size_t k = 0; k < format.layout.elements(); ++k) ASSERT_GE(memory[k], 1) << k;
        EXPECT_EQ(memory.back(), -1);
    }
}

TEST(PairStoreInMemory, HasADiagonalOfItsOwnForEachInstance) {
    const std::size_t n = 5;
    for (const StoreLayout layout : kLayouts) {
        PairStore store({.layout = {n, layout}, .diagonals = {10, 11, 12, 13, 14}});
        storeMissing(store, n, 2);
        Matrix<double> all(n, n);
        store.readBlock({0, n}, {0, n}, all.view());
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                const double expected = i == j ? 10 + static_cast<double>(i) : expectedValue(i, j);
                EXPECT_EQ(all(i, j), expected) << i << ", " << j;
                EXPECT_EQ(store.value(i, j), expected) << i << ", " << j;
            }
    }
}

TEST(PairStoreInMemory, ReadsBlocksAnywhere) {
    const std::size_t n = 90;
    for (const StoreLayout layout : kLayouts) {
        const auto store = inMemory(n, ValueType::Float32, layout, kDiagonal);
        storeMissing(*store, n, 32);
        for (const Range rows : {Range{0, 1}, Range{0, 7}, Range{40, 60}, Range{89, 90}})
            for (const Range columns :
                 {Range{0, 90}, Range{0, 30}, Range{45, 52}, Range{70, 90}, Range{89, 90}}) {
                // Wider than needed: the elements on both sides must not change.
                Matrix<double> values(rows.size(), columns.size() + 3, -1.0);
                store->readBlock(rows, columns, values.view().block(0, 1, rows.size(), columns.size()));
                for (std::size_t i = 0; i < rows.size(); ++i) {
                    EXPECT_EQ(values(i, 0), -1);
                    EXPECT_EQ(values(i, columns.size() + 1), -1);
                    for (std::size_t j = 0; j < columns.size(); ++j)
                        ASSERT_EQ(values(i, j + 1), expectedValue(rows.begin + i, columns.begin + j));
                }
            }
        std::array<double, 4> row{};
        store->readRow(50, 48, 4, row.data());
        EXPECT_THAT(row, ElementsAre(pairValue(50, 48), pairValue(50, 49), kDiagonal, pairValue(51, 50)));
    }
}

TEST(PairStoreInMemory, RefusesWhatItsTypeCannotHold) {
    const PairTile tile{{4, 6}, {0, 3}};
    const auto refusal = [&](ValueType type, double value) {
        const auto store = inMemory(6, type, StoreLayout::Square, 0);
        Matrix<double> values(2, 3, 1.0);
        values(1, 2) = value;
        return messageOf<UsageError>([&] { store->store(tile, values.view()); });
    };
    EXPECT_THAT(refusal(ValueType::Int32, 2147483648.0),
                AllOf(HasSubstr("instances 6 and 3"), HasSubstr("2147483648"), HasSubstr("int32"),
                      HasSubstr("--dtype float64")));
    EXPECT_THAT(refusal(ValueType::Int32, 0.5), HasSubstr("whole numbers up to 2147483647"));
    EXPECT_THAT(refusal(ValueType::Int32, -2147483648.0), HasSubstr("does not fit int32"));
    EXPECT_THAT(refusal(ValueType::Float32, 1e39), HasSubstr("float32"));

    Matrix<double> values(2, 3, 2147483647.0);
    const auto whole = inMemory(6, ValueType::Int32, StoreLayout::Condensed, 0);
    whole->store(tile, values.view());
    EXPECT_EQ(whole->value(5, 2), 2147483647.0);
    values(0, 0) = std::nan("");
    values(0, 1) = std::numeric_limits<double>::infinity();
    const auto real = inMemory(6, ValueType::Float32, StoreLayout::Triangle, 0);
    real->store(tile, values.view());
    EXPECT_TRUE(std::isnan(real->value(4, 0)));
    EXPECT_TRUE(std::isinf(real->value(4, 1)));
}

TEST(StoredBytes, LargeResults) {
    EXPECT_EQ(storedBytes({100000, StoreLayout::Triangle}, ValueType::Float32), 19999800000U);
    EXPECT_EQ(storedBytes({100000, StoreLayout::Square}, ValueType::Float64), 80000000000U);
    EXPECT_EQ(storedBytes({1, StoreLayout::Condensed}, ValueType::Int32), 0U);
    EXPECT_THAT(messageOf<UsageError>([] {
                    storedBytes({(std::size_t{1} << 30) + 1, StoreLayout::Square}, ValueType::Int32);
                }),
                HasSubstr("1073741825 instances"));
}

TEST(ValueTypes, Names) {
    for (const ValueType type : kTypes) EXPECT_EQ(fromString<ValueType>(toString(type)), type);
    EXPECT_THAT(messageOf<UsageError>([] { fromString<ValueType>("int16"); }),
                HasSubstr("int32, float32, float64"));
}

class PairStoreInFile : public ::testing::Test {
  protected:
    static constexpr std::size_t kInstances = 70;
    static constexpr std::size_t kSide = 16;

    std::unique_ptr<PairStore> open(bool restart = false, const std::string& measure = "mismatch",
                                    std::size_t instances = kInstances) const {
        const PairFormat format{{instances, layout}, type, kDiagonal};
        return std::make_unique<PairStore>(target, "measure: " + measure + "\n", format,
                                           isNpy ? npyHeader(format.layout, type) : "", restart);
    }
    fs::path values() const { return fs::path(target) += ".unfinished"; }
    fs::path journal() const { return fs::path(target) += ".unfinished.tiles"; }
    std::vector<PairTile> tiles() const { return tilesOf(kInstances, kSide); }
    /// Leaves the first `count` tiles to the next run.
    void leaveTiles(std::size_t count) const {
        const auto store = open();
        for (std::size_t k = 0; k < count; ++k) storeTile(*store, tiles()[k]);
    }
    /// Changes one byte of the kept values.
    void damage(std::size_t offset) const {
        std::string bytes = readFile(values());
        bytes.at(offset) = static_cast<char>(bytes.at(offset) ^ 0x10);
        writeFile(values(), bytes);
    }

    TemporaryFolder folder;
    fs::path target = folder / "out.npy";
    ValueType type = ValueType::Float32;
    StoreLayout layout = StoreLayout::Triangle;
    bool isNpy = false;
};

TEST_F(PairStoreInFile, HoldsAllPairsInEveryLayoutAndType) {
    for (const StoreLayout each : kLayouts)
        for (const ValueType eachType : kTypes) {
            layout = each;
            type = eachType;
            const auto store = open();
            EXPECT_EQ(storeMissing(*store, kInstances, kSide), tiles().size());
            EXPECT_EQ(store->tilesKept(), 0U);
            expectAllValues(*store);
            store->discard();
            EXPECT_EQ(folder.fileCount(), 0U);
        }
}

// Such rows bypass the mapping.
TEST_F(PairStoreInFile, HoldsRowsOfMoreThanAPage) {
    constexpr std::size_t kMany = 1200;
    constexpr std::size_t kLongSide = 1100;
    for (const StoreLayout each : kLayouts)
        for (const ValueType eachType : {ValueType::Int32, ValueType::Float64}) {
            layout = each;
            type = eachType;
            isNpy = each == StoreLayout::Square;
            auto store = open(false, "mismatch", kMany);
            for (const PairTile& tile : {tilesOf(kMany, kLongSide)[0], tilesOf(kMany, kLongSide)[2]})
                storeTile(*store, tile);
            store.reset();
            store = open(false, "mismatch", kMany);
            EXPECT_EQ(store->tilesKept(), 2U);
            EXPECT_EQ(storeMissing(*store, kMany, kLongSide), 1U);
            expectAllValues(*store);
            store->discard();
        }
}

// The page cache is filled for these, where the file system caches in large pages.
TEST_F(PairStoreInFile, HoldsLargeFiles) {
    constexpr std::size_t kMany = 3000;
    constexpr std::size_t kLongSide = 1700;
    type = ValueType::Int32;
    for (const StoreLayout each : kLayouts) {
        layout = each;
        isNpy = each == StoreLayout::Square;
        auto store = open(false, "mismatch", kMany);
        storeTile(*store, tilesOf(kMany, kLongSide)[2]);
        store.reset();
        store = open(false, "mismatch", kMany);
        EXPECT_EQ(store->tilesKept(), 1U);
        store.reset();
        store = open(true, "mismatch", kMany);
        EXPECT_EQ(storeMissing(*store, kMany, kLongSide), 3U);
        expectAllValues(*store);
        store->discard();
        EXPECT_EQ(folder.fileCount(), 0U);
    }
}

TEST_F(PairStoreInFile, TheSquareBecomesTheNpyFile) {
    layout = StoreLayout::Square;
    isNpy = true;
    writeFile(target, "an older result");
    fs::permissions(target, fs::perms(0640));
    const auto store = open();
    storeMissing(*store, kInstances, kSide);
    EXPECT_EQ(readFile(target), "an older result");
    store->becomeOutput();
    EXPECT_EQ(folder.fileCount(), 1U);
    EXPECT_EQ(fs::status(target).permissions(), fs::perms(0640));
    const Matrix<float> matrix = io::readNpyMatrix<float>(target);
    ASSERT_EQ(matrix.rows(), kInstances);
    for (std::size_t i = 0; i < kInstances; ++i)
        for (std::size_t j = 0; j < kInstances; ++j) ASSERT_EQ(matrix(i, j), expectedValue(i, j));
}

TEST_F(PairStoreInFile, TheCondensedFormBecomesTheNpyFile) {
    layout = StoreLayout::Condensed;
    type = ValueType::Int32;
    isNpy = true;
    const auto store = open();
    storeMissing(*store, kInstances, kSide);
    store->becomeOutput();
    const std::string bytes = readFile(target);
    const std::size_t shape[] = {kInstances * (kInstances - 1) / 2};
    const std::string header = io::npyHeaderText("<i4", shape);
    ASSERT_EQ(bytes.size(), header.size() + shape[0] * 4);
    EXPECT_EQ(bytes.substr(0, header.size()), header);
    std::size_t offset = header.size();
    for (std::size_t i = 0; i < kInstances; ++i)
        for (std::size_t j = i + 1; j < kInstances; ++j, offset += 4) {
            std::int32_t value = 0;
            std::memcpy(&value, bytes.data() + offset, 4);
            ASSERT_EQ(value, pairValue(i, j));
        }
}

TEST_F(PairStoreInFile, OneInstance) {
    for (const StoreLayout each : kLayouts) {
        layout = each;
        isNpy = each != StoreLayout::Triangle;
        type = ValueType::Float64;
        const auto store = open(false, "mismatch", 1);
        storeTile(*store, {{0, 1}, {0, 1}});
        EXPECT_EQ(store->value(0, 0), kDiagonal);
        if (each == StoreLayout::Square) {
            store->becomeOutput();
            EXPECT_EQ(io::readNpyMatrix<double>(target)(0, 0), kDiagonal);
        } else {
            store->discard();
        }
    }
}

TEST_F(PairStoreInFile, GoesOnWhereAStoppedRunEnded) {
    for (const StoreLayout each : kLayouts) {
        layout = each;
        leaveTiles(6);
        const auto store = open();
        EXPECT_EQ(store->tilesKept(), 6U);
        for (std::size_t k = 0; k < tiles().size(); ++k) EXPECT_EQ(store->has(tiles()[k]), k < 6);
        EXPECT_FALSE(store->has({{0, 8}, {0, 8}}));
        EXPECT_EQ(storeMissing(*store, kInstances, kSide), tiles().size() - 6);
        expectAllValues(*store);
        store->discard();
    }
}

TEST_F(PairStoreInFile, LeavesNothingWithoutAFinishedTile) {
    open().reset();
    EXPECT_EQ(folder.fileCount(), 0U);
    leaveTiles(1);
    EXPECT_EQ(folder.fileCount(), 2U);
    open(true).reset();
    EXPECT_EQ(folder.fileCount(), 0U);
}

// After a process is killed, its journal entries are used, and the result is the same.
TEST_F(PairStoreInFile, GoesOnAfterAKill) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto store = open();
        for (std::size_t k = 0; k < 5; ++k) storeTile(*store, tiles()[k]);
        ::usleep(1100000);  // entries are made about once per second, by a separate thread
        const std::uintmax_t before = fs::file_size(journal());
        storeTile(*store, tiles()[5]);
        for (int look = 0; look < 2000 && fs::file_size(journal()) == before; ++look) ::usleep(10000);
        storeTile(*store, tiles()[6]);  // not entered yet
        if (::write(ready[1], "x", 1) != 1) ::_exit(1);
        ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ready[0]);
    ::close(ready[1]);

    const auto store = open();
    EXPECT_GE(store->tilesKept(), 6U);
    EXPECT_LT(store->tilesKept(), tiles().size());
    storeMissing(*store, kInstances, kSide);
    expectAllValues(*store);
}

/// Computes the missing tiles with two sets of memory: one is stored while the next is computed. `onCompute`
/// and `onFinish` receive the number of the step in this run.
TileCount computeInTwoSets(
    PairSink& sink, std::size_t instances, std::size_t side,
    const std::function<void(std::size_t)>& onCompute = [](std::size_t) {},
    const std::function<void(std::size_t)>& onFinish = [](std::size_t) {}) {
    std::size_t computed = 0, finished = 0;
    const auto compute = [&](const TileWork&) { onCompute(++computed); };
    const auto finish = [&](const TileWork& work) {
        onFinish(++finished);
        const Matrix<double> values = tileValues(work.tile);
        for (std::size_t r = 0; r < values.rows(); ++r)
            std::copy_n(values.row(r), values.columns(), work.values.row(r));
    };
    const TileLoop loop{
        .instances = instances, .side = side, .stage = "working", .workPerPair = 1, .sets = 2};
    return computeTiles(loop, sink, silentProgress(), {.compute = compute, .finish = finish});
}

// Killed while one tile is being computed and the one before is being finished: both are computed again.
TEST_F(PairStoreInFile, APipelineOfTwoSetsGoesOnAfterAKill) {
    constexpr std::size_t kLast = 9;
    for (const StoreLayout each : {StoreLayout::Square, StoreLayout::Condensed}) {
        layout = each;
        int ready[2];
        ASSERT_EQ(::pipe(ready), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            const auto store = open();
            const auto entered = [&] { return fs::exists(journal()) ? fs::file_size(journal()) : 0; };
            const std::uintmax_t before = entered();
            const auto waitForTheEnd = [&] {
                if (::write(ready[1], "x", 1) != 1) ::_exit(1);
                for (;;) ::pause();
            };
            const auto onCompute = [&](std::size_t step) {
                if (step < kLast) return;
                // Entries are made by a separate thread.
                for (int look = 0; look < 2000 && entered() == before; ++look) ::usleep(10000);
                waitForTheEnd();
            };
            const auto onFinish = [&](std::size_t step) {
                if (step == 4) ::usleep(1100000);  // entries are made about once per second
                if (step + 1 == kLast) waitForTheEnd();
            };
            computeInTwoSets(*store, kInstances, kSide, onCompute, onFinish);
            ::_exit(1);
        }
        ::close(ready[1]);
        char bytes[2] = {};
        for (char& byte : bytes) ASSERT_EQ(::read(ready[0], &byte, 1), 1) << "the run has ended";
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        ::close(ready[0]);

        const auto store = open();
        const std::size_t kept = store->tilesKept();
        EXPECT_GT(kept, 0U);
        EXPECT_LE(kept, kLast - 2) << "the last two were not stored";
        const TileCount count = computeInTwoSets(*store, kInstances, kSide);
        EXPECT_EQ(count.tilesResumed, kept);
        EXPECT_EQ(count.tiles, tiles().size());
        expectAllValues(*store);
        store->discard();
    }
}

TEST_F(PairStoreInFile, ATornJournalCostsItsLastTileOnly) {
    leaveTiles(4);
    fs::resize_file(journal(), fs::file_size(journal()) - 5);
    EXPECT_EQ(open()->tilesKept(), 3U);
}

TEST_F(PairStoreInFile, DamagedValuesAreComputedAgain) {
    leaveTiles(tiles().size());
    damage(0);  // the pair (1, 0) of the first tile
    const auto store = open();
    EXPECT_EQ(store->tilesKept(), tiles().size() - 1);
    EXPECT_FALSE(store->has(tiles()[0]));
    EXPECT_EQ(storeMissing(*store, kInstances, kSide), 1U);
    expectAllValues(*store);
}

TEST_F(PairStoreInFile, DamageAboveTheDiagonalAndOnItIsSeen) {
    layout = StoreLayout::Square;
    leaveTiles(tiles().size());
    const std::size_t rowBytes = kInstances * sizeof(float);
    damage(40 * sizeof(float));                  // (0, 40), the mirror image of tile ({32…47}, {0…15})
    damage(69 * rowBytes + 69 * sizeof(float));  // the last element of the diagonal
    const auto store = open();
    EXPECT_EQ(store->tilesKept(), tiles().size() - 2);
    EXPECT_FALSE(store->has({{32, 48}, {0, 16}}));
    EXPECT_FALSE(store->has({{64, 70}, {64, 70}}));
    storeMissing(*store, kInstances, kSide);
    expectAllValues(*store);
}

TEST_F(PairStoreInFile, TilesThatTheRunCannotHaveMadeAreIgnored) {
    leaveTiles(2);
    writeFile(journal(), readFile(journal()) +
                             "tile 64 80 0 16 0123456789abcdef\ntile 0 16 16 32 0123456789abcdef\n" +
                             "tile 0 9999999999999 0 16 0123456789abcdef\n");
    EXPECT_EQ(open()->tilesKept(), 2U);
}

TEST_F(PairStoreInFile, LostOrCutValuesBeginAnew) {
    leaveTiles(4);
    fs::resize_file(values(), fs::file_size(values()) - 1);
    EXPECT_EQ(open()->tilesKept(), 0U);
    leaveTiles(4);
    fs::remove(values());
    EXPECT_EQ(open()->tilesKept(), 0U);
}

TEST_F(PairStoreInFile, RefusesAnotherRunsFilesUntilRestarted) {
    leaveTiles(3);
    EXPECT_THAT(messageOf<UsageError>([&] { open(false, "allele"); }),
                AllOf(HasSubstr(journal().string()), HasSubstr("measure was mismatch, is allele now"),
                      HasSubstr("--restart")));
    type = ValueType::Float64;
    EXPECT_THAT(messageOf<UsageError>([&] { open(); }),
                HasSubstr("kept as was triangle of 70 float32 values, is triangle of 70 float64 values now"));
    type = ValueType::Float32;
    EXPECT_EQ(open()->tilesKept(), 3U);
    EXPECT_EQ(open(true, "allele")->tilesKept(), 0U);
}

TEST_F(PairStoreInFile, ASecondProcessIsRefused) {
    const auto store = open();
    storeTile(*store, tiles()[0]);
    const pid_t child = ::fork();
    if (child == 0) {
        try {
            open(true);
            ::_exit(0);
        } catch (const Error& error) {
            ::_exit(std::strstr(error.what(), "another process") != nullptr ? 1 : 2);
        }
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 1);
    storeMissing(*store, kInstances, kSide);
    expectAllValues(*store);
}

TEST_F(PairStoreInFile, ReportsAFullDiskBeforeAnyWork) {
    constexpr std::size_t kTooMany = 10000000;  // 200 TB
    EXPECT_THAT(
        messageOf<Error>([&] { open(false, "mismatch", kTooMany); }),
        AllOf(HasSubstr("out.npy.unfinished"), HasSubstr("no room"), HasSubstr("2e+05 GB are needed")));
    EXPECT_EQ(folder.fileCount(), 0U);
}

TEST_F(PairStoreInFile, NamesTheCauseWhenRoomCannotBeReserved) {
    struct rlimit before {};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit limited = before;
    limited.rlim_cur = 5000;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limited), 0);
    const std::string message = messageOf<Error>([&] { open(); });
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_THAT(message, AllOf(HasSubstr("out.npy.unfinished: cannot reserve"), HasSubstr("File too large")));
    EXPECT_EQ(folder.fileCount(), 0U);
}

TEST_F(PairStoreInFile, FollowsASymbolicLinkAndRefusesAFolder) {
    fs::create_directory(folder / "real");
    fs::create_symlink("real/data.npy", folder / "link.npy");
    target = folder / "link.npy";
    layout = StoreLayout::Square;
    isNpy = true;
    writeFile(folder / "real/data.npy", "old");
    const auto store = open();
    storeMissing(*store, kInstances, kSide);
    store->becomeOutput();
    EXPECT_TRUE(fs::is_symlink(target));
    EXPECT_EQ(io::readNpyMatrix<float>(folder / "real/data.npy").rows(), kInstances);
    target = folder / "real";
    EXPECT_THAT(messageOf<Error>([&] { open(); }), HasSubstr("it is a folder"));
}

}  // namespace
}  // namespace glycine::pairs
