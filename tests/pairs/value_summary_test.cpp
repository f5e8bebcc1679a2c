// The summary of all pairs' values for reports: by hand, in any order, from any store.
#include "engine/pairs/value_summary.hpp"

#include "engine/pairs/close_pairs.hpp"
#include "tests/test.hpp"

namespace glycine::pairs {
namespace {

void expectEqual(const ValueSummary& a, const ValueSummary& b) {
    EXPECT_EQ(a.pairs, b.pairs);
    EXPECT_EQ(a.undefined, b.undefined);
    EXPECT_EQ(a.identical, b.identical);
    EXPECT_EQ(a.smallest, b.smallest);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.largest, b.largest);
    for (const int k : {0, 1}) {
        EXPECT_EQ(a.smallestPair[k], b.smallestPair[k]);
        EXPECT_EQ(a.largestPair[k], b.largestPair[k]);
    }
}

TEST(ValueSummary, ByHand) {
    ValueSummarizer summarizer(0);
    summarizer.add(3, 0, std::vector{2.0, 0.0, kNaN});
    summarizer.add(2, 0, std::vector{7.0, 0.0});
    summarizer.add(1, 0, std::vector{7.0});
    expectEqual(summarizer.summary(), {.pairs = 5,
                                       .undefined = 1,
                                       .identical = 2,
                                       .smallest = 0,
                                       .mean = 3.2,
                                       .largest = 7,
                                       .smallestPair = {1, 2},
                                       .largestPair = {0, 1}});
}

TEST(ValueSummary, NothingIsIdenticalIfValuesWithThemselvesDiffer) {
    ValueSummarizer summarizer(kNaN);
    summarizer.add(2, 0, std::vector{0.0, kNaN});
    EXPECT_EQ(summarizer.summary().identical, 0U);
    EXPECT_EQ(summarizer.summary().undefined, 1U);
}

TEST(ValueSummary, WithoutAnyValue) {
    ValueSummarizer summarizer(0);
    summarizer.add(2, 0, std::vector{kNaN, kNaN});
    summarizer.add(1, 0, {});
    const ValueSummary summary = summarizer.summary();
    EXPECT_EQ(summary.pairs, 0U);
    EXPECT_EQ(summary.undefined, 2U);
    EXPECT_EQ(summary.mean, 0);
}

TEST(ValueSummary, InfiniteValuesHaveAPlaceAndAnInfiniteMean) {
    ValueSummarizer summarizer(0);
    summarizer.add(5, 3, std::vector{kInfinity, kInfinity});
    summarizer.add(4, 0, std::vector{1.0});
    const ValueSummary summary = summarizer.summary();
    EXPECT_EQ(summary.mean, kInfinity);
    EXPECT_EQ(summary.largest, kInfinity);
    EXPECT_EQ(summary.largestPair[0], 3U);
    EXPECT_EQ(summary.largestPair[1], 5U);
    EXPECT_EQ(summary.smallest, 1);
}

/// 1e16 + 1 equals 1e16 in float64.
TEST(ValueSummary, LargeValuesDoNotHideSmallOnes) {
    ValueSummarizer summarizer(0);
    summarizer.add(7, 0, std::vector{1e16, 1.0, 1.0, 1.0, 1.0, -1e16, 0.0});
    EXPECT_EQ(summarizer.summary().mean, 4.0 / 7);
    ValueSummarizer other(0);
    for (std::size_t j = 0; j < 8; ++j) {
        ValueSummarizer part(0);
        part.add(8, j, std::vector{j == 0 ? 1e16 : j == 7 ? -1e16 : 1.0});
        other.add(part);
    }
    EXPECT_EQ(other.summary().mean, 6.0 / 8);
}

/// Values of few digits, so that many are equal, and some pairs without one: the summary equals that of a
/// plain loop, whatever the order, tiles, layout and threads.
TEST(ValueSummary, DoesNotDependOnTheOrder) {
    const std::size_t n = 203;
    std::mt19937 random(11);
    Matrix<double> values(n, n, kNaN);
    ValueSummary expected;
    expected.smallest = kInfinity;
    expected.largest = -kInfinity;
    long double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (random() % 20 == 0) {
                ++expected.undefined;
                continue;
            }
            const double value = values(i, j) = 0.1 * static_cast<double>(random() % 50);
            ++expected.pairs;
            expected.identical += value == 0 ? 1 : 0;
            sum += static_cast<long double>(value);
            if (value < expected.smallest) {
                expected.smallest = value;
                expected.smallestPair[0] = j;
                expected.smallestPair[1] = i;
            }
            if (value > expected.largest) {
                expected.largest = value;
                expected.largestPair[0] = j;
                expected.largestPair[1] = i;
            }
        }
    expected.mean = static_cast<double>(sum) / static_cast<double>(expected.pairs);

    const MatrixView<const double> all = values.view();
    for (const std::size_t side : {std::size_t{7}, std::size_t{64}, n}) {
        SCOPED_TRACE(side);
        std::vector<PairTile> tiles = tilesBelowDiagonal(n, side);
        const auto storeIn = [&](PairSink& sink) {
            for (const PairTile& tile : tiles)
                sink.store(tile, all.block(tile.rows.begin, tile.columns.begin, tile.rows.size(),
                                           tile.columns.size()));
        };
        ClosePairs close(n, ValueType::Float64, 1, 0);
        storeIn(close);
        expectEqual(close.summary(), expected);
        std::shuffle(tiles.begin(), tiles.end(), random);
        ClosePairs shuffled(n, ValueType::Float64, 1, 0);
        storeIn(shuffled);
        expectEqual(shuffled.summary(), expected);
        for (const StoreLayout layout :
             {StoreLayout::Square, StoreLayout::Triangle, StoreLayout::Condensed}) {
            SCOPED_TRACE(toString(layout));
            PairStore store({{n, layout}, ValueType::Float64, 0});
            SummarizedStore summarized(store, 0);
            storeIn(summarized);
            expectEqual(summarized.summary(), expected);

            // Two runs: the second reads what the first has left.
            const TemporaryFolder folder;
            const auto open = [&] {
                return PairStore(folder / "out.tsv", "values\n", {{n, layout}, ValueType::Float64, 0}, "",
                                 false);
            };
            open().store(tiles.front(), all.block(tiles.front().rows.begin, tiles.front().columns.begin,
                                                  tiles.front().rows.size(), tiles.front().columns.size()));
            PairStore kept = open();
            SummarizedStore resumed(kept, 0);
            EXPECT_TRUE(resumed.has(tiles.front()));
            const PairTile begun = std::exchange(tiles.front(), tiles.back());
            tiles.pop_back();
            storeIn(resumed);
            tiles.push_back(begun);
            expectEqual(resumed.summary(), expected);
        }
    }
}

TEST(ValueSummary, IsOfWhatTheTypeHolds) {
    const Matrix<double> values = [] {
        Matrix<double> some(3, 3, kNaN);
        some(1, 0) = 0.1, some(2, 0) = 0.3, some(2, 1) = 0.7;
        return some;
    }();
    PairStore store({{3, StoreLayout::Condensed}, ValueType::Float32, 0});
    SummarizedStore summarized(store, 0);
    summarized.store({{0, 3}, {0, 3}}, values.view());
    EXPECT_EQ(summarized.summary().smallest, 0.1F);
    EXPECT_EQ(summarized.summary().largest, 0.7F);
}

}  // namespace
}  // namespace glycine::pairs
