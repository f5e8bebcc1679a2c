// Pairs up to a largest value, held without the others: the same file as from a store of all pairs.
#include "engine/pairs/close_pairs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/pairs/files/pair_files.hpp"
#include "tests/io/io_test_support.hpp"

namespace glycine::pairs {
namespace {

using test::messageOf;
using test::readFile;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Whole numbers 0 … 19, or quarters of them, and some pairs without a value.
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
                            writeMolten(folder / "all.tsv", {all, names, progress}, part, largest);
                            ClosePairs close(n, type, largest, diagonal);
                            store(close, values, side);
                            writeMolten(folder / "close.tsv", close, names, diagonal, part, progress);
                            ASSERT_EQ(readFile(folder / "close.tsv"), readFile(folder / "all.tsv"));
                        }
                    }
}

TEST(ClosePairs, HoldWhatQualifiesAndShowTheRest) {
    const std::size_t n = 400;
    const Matrix<double> values = randomValues(n, 1);
    std::size_t seen = 0;
    std::vector<ClosePair> expected;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (values(i, j) <= 1)
                expected.push_back(
                    {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), values(i, j)});
    std::mutex mutex;
    ClosePairs close(
        n, ValueType::Int32, 1, 0, [&](std::size_t row, std::size_t first, std::span<const double> shown) {
            const std::lock_guard lock(mutex);
            for (std::size_t k = 0; k < shown.size(); ++k, ++seen) {
                ASSERT_LT(first + k, row);
                ASSERT_TRUE(shown[k] == values(row, first + k) || std::isnan(values(row, first + k)));
            }
        });
    store(close, values, 64);
    EXPECT_EQ(seen, n * (n - 1) / 2);
    const ValueSummary summary = close.summary();
    EXPECT_EQ(summary.pairs + summary.undefined, seen);
    EXPECT_GT(summary.undefined, 0U);
    EXPECT_EQ(close.sorted(), expected);
    EXPECT_LT(expected.size(), seen / 8);
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
    EXPECT_THROW(writeMolten(folder / "close.tsv", close, namesOf(20), 0, StoreLayout::Square, cancelled),
                 CancelledError);
    EXPECT_EQ(folder.fileCount(), 0U);
}

}  // namespace
}  // namespace glycine::pairs
