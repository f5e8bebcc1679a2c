// What threads of `cuda` do with entries once they are found, here in plain C++: into rows of both
// directions, and through third sequences. No device is needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/alignment/posterior/recount_stages.hpp"
#include "engine/core/host_backends.hpp"
#include "engine/core/random.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "kernels_cuda/alignment/consistency_kernels.hpp"
#include "kernels_cuda/alignment/posterior_kernels.hpp"

namespace glycine::align {
namespace {

using glycine::cuda::ConsistencyPair;
using glycine::cuda::kOrderThreads;
using glycine::cuda::PosteriorFound;
using glycine::cuda::PosteriorOrder;
using glycine::cuda::PosteriorRows;

constexpr std::uint32_t kUntouched = 0xabcdabcd;

struct Rows {
    std::vector<std::uint32_t> places;
    std::vector<PosteriorEntry> entries;
};

/// All steps, threads in an order of their own in each.
Rows inRows(const std::vector<PosteriorFound>& found, std::uint32_t rows, bool isTransposed,
            RandomSequence& random) {
    Rows result{std::vector<std::uint32_t>(rows + 2, kUntouched),
                std::vector<PosteriorEntry>(found.size() + 1, {kUntouched, 0})};
    std::vector<std::uint32_t> sums(glycine::cuda::kOrderSums + 1, kUntouched);
    const PosteriorOrder order{found.data(),         static_cast<std::uint32_t>(found.size()),
                               isTransposed,         rows,
                               result.places.data(), result.entries.data(),
                               sums.data()};
    using Step = void (PosteriorOrder::*)(std::uint32_t) const;
    std::vector<std::uint32_t> threads(kOrderThreads);
    std::iota(threads.begin(), threads.end(), 0U);
    for (const Step step : {&PosteriorOrder::clear, &PosteriorOrder::countRows, &PosteriorOrder::sumRows,
                            &PosteriorOrder::sumGroups, &PosteriorOrder::addUp, &PosteriorOrder::put,
                            &PosteriorOrder::sortRows}) {
        for (std::size_t k = threads.size(); k-- > 1;) std::swap(threads[k], threads[random.below(k + 1)]);
        for (const std::uint32_t thread : threads) (order.*step)(thread);
    }
    EXPECT_EQ(result.places.back(), kUntouched);
    EXPECT_EQ(result.entries.back().column, kUntouched);
    EXPECT_EQ(sums.back(), kUntouched);
    result.places.pop_back();
    result.entries.pop_back();
    return result;
}

void expectRows(const PosteriorView& expected, const Rows& found) {
    ASSERT_EQ(found.places.size(), expected.rows() + 1);
    EXPECT_TRUE(std::ranges::equal(found.places, expected.begins()));
    EXPECT_TRUE(std::ranges::equal(found.entries, expected.entries(), [](const auto& a, const auto& b) {
        return a.column == b.column && a.value == b.value;
    }));
}

TEST(PosteriorRowsOfTheDevice, BothDirections) {
    RandomSequence random(11);
    for (const auto& [rows, columns, each] :
         std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>{{1, 1, 0},
                                                                              {1, 1, 1},
                                                                              {1, 300, 200},
                                                                              {300, 1, 1},
                                                                              {127, 40, 3},
                                                                              {128, 128, 5},
                                                                              {129, 90, 90},
                                                                              {2000, 2500, 4},
                                                                              {65535, 60000, 1}}) {
        SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", " << each);
        std::vector<std::uint32_t> begins{0};
        std::vector<PosteriorEntry> entries;
        std::vector<PosteriorFound> found;
        for (std::uint32_t row = 0; row < rows; ++row) {
            std::vector<std::uint32_t> some;
            for (std::uint32_t k = 0; k < each; ++k)
                some.push_back(static_cast<std::uint32_t>(random.below(columns)));
            std::ranges::sort(some);
            some.erase(std::unique(some.begin(), some.end()), some.end());
            for (const std::uint32_t column : some) {
                const auto value = static_cast<float>(entries.size() % 97) / 97;
                entries.push_back({column, value});
                found.push_back({row << 16 | column, value});
            }
            begins.push_back(static_cast<std::uint32_t>(entries.size()));
        }
        // As strips leave them.
        std::ranges::sort(found, std::ranges::greater{}, [](const PosteriorFound& one) {
            return std::tuple(one.place >> 16 >> 3, one.place & 0xffff, one.place >> 16);
        });
        const SparsePosterior expected(begins, entries);
        expectRows(expected, inRows(found, rows, false, random));
        expectRows(expected.transposed(columns), inRows(found, columns, true, random));
    }
}

/// The posteriors of a set as the device has them.
struct There {
    explicit There(const PosteriorSet& set)
        : entries(set.sequences() * set.sequences()), rows(entries.size()) {
        for (std::size_t x = 0; x < set.sequences(); ++x)
            for (std::size_t y = 0; y < set.sequences(); ++y) {
                const PosteriorView pair = set.pair(x, y);
                const std::size_t k = x * set.sequences() + y;
                for (const PosteriorEntry& entry : pair.entries())
                    entries[k].push_back({entry.column, entry.value});
                rows[k] = {pair.begins().data(), entries[k].data()};
            }
    }
    std::vector<std::vector<PosteriorEntry>> entries;
    std::vector<PosteriorRows> rows;
};

TEST(PosteriorRowsOfTheDevice, ConsistencyIsTheReferences) {
    const Sequences sequences = randomSequences({.count = 9, .length = 40, .shortest = 0.4, .seed = 5});
    const std::size_t n = sequences.size();
    HostBackend host("reference", 1);
    Progress progress;
    const auto run = createPosteriorEngine(host)->start(sequences);
    const PosteriorSet before = run->posteriors(progress);
    std::vector<double> weights;
    std::vector<float> distances;
    for (std::size_t k = 0; k < n; ++k) weights.push_back(0.25 + static_cast<double>(k % 3));
    for (std::size_t k = 0; k < n * (n - 1) / 2; ++k) distances.push_back(static_cast<float>(k % 5));
    const ThirdSequences thirds(n, distances, 4);
    const ConsistencyRound round{weights, 3, thirds};
    const PosteriorSet expected = run->madeConsistent(before, round, progress);

    const There there(before);
    std::vector<std::vector<PosteriorEntry>> after(n * n);
    std::vector<PosteriorEntry*> to;
    for (std::size_t k = 0; k < n * n; ++k) {
        after[k].resize(there.entries[k].size(), {kUntouched, -1});
        to.push_back(after[k].data());
    }
    const std::vector<float> floats(weights.begin(), weights.end());
    std::vector<std::size_t> found;
    for (std::size_t x = 0; x < n; ++x)
        for (std::size_t y = 0; y < x; ++y) {
            thirds.find(x, y, found);
            const std::vector<std::uint32_t> list(found.begin(), found.end());
            const double self = 3 * (weights[x] + weights[y]),
                         all = self + ThirdSequences::weightOf(found, weights);
            const ConsistencyPair pair{static_cast<std::uint32_t>(x),
                                       static_cast<std::uint32_t>(y),
                                       static_cast<std::uint32_t>(sequences.codes[x].size()),
                                       0,
                                       static_cast<std::uint32_t>(list.size()),
                                       static_cast<float>(self / all),
                                       static_cast<float>(1 / all)};
            const glycine::cuda::PairConsistencyWork work{
                there.rows.data(), to.data(),    static_cast<std::uint32_t>(n), &pair, 0, 1,
                list.data(),       floats.data()};
            ASSERT_EQ(entriesOf(work, pair), before.pair(x, y).size());
            for (std::uint32_t k = entriesOf(work, pair); k-- > 0;) transformEntry(work, pair, k);
        }
    for (std::size_t x = 0; x < n; ++x)
        for (std::size_t y = 0; y < n; ++y) {
            const PosteriorView pair = expected.pair(x, y);
            ASSERT_EQ(after[x * n + y].size(), pair.size());
            for (std::size_t k = 0; k < pair.size(); ++k) {
                ASSERT_EQ(after[x * n + y][k].column, pair.entries()[k].column);
                ASSERT_NEAR(after[x * n + y][k].value, pair.entries()[k].value, 1e-6);
            }
        }
}

}  // namespace
}  // namespace glycine::align
