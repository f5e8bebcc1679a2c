// Posteriors in storage: rows, strips, and what a stopped run keeps.
#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/alignment/posterior/posterior_alignment.hpp"
#include "engine/alignment/posterior/posterior_checkpoint.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/alignment/posterior/recount_stages.hpp"
#include "engine/alignment/reference/serial_alignment.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "kernels_cuda/alignment/consistency_kernels.hpp"
#include "kernels_cuda/alignment/posterior_kernels.hpp"
#include "kernels_cuda/alignment/posterior_strips.hpp"
#include "tests/test.hpp"

namespace glycine::align {
namespace {

// ---- Sorting of entries by threads of `cuda`, here in plain C++ without a device: they sort them
// into rows of both directions and transform them through third sequences.

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

/// Runs all steps; in each step, threads run in another random order.
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
        // In the order in which strips store them.
        std::ranges::sort(found, std::ranges::greater{}, [](const PosteriorFound& one) {
            return std::tuple(one.place >> 16 >> 3, one.place & 0xffff, one.place >> 16);
        });
        const SparsePosterior expected(begins, entries);
        expectRows(expected, inRows(found, rows, false, random));
        expectRows(expected.transposed(columns), inRows(found, columns, true, random));
    }
}

/// The posteriors of a set in the device's form.
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
    const auto run = createImplementation<PosteriorEngine>(host)->start(sequences);
    const PosteriorSet before = run->posteriors(silentProgress());
    std::vector<double> weights;
    std::vector<float> distances;
    for (std::size_t k = 0; k < n; ++k) weights.push_back(0.25 + static_cast<double>(k % 3));
    for (std::size_t k = 0; k < n * (n - 1) / 2; ++k) distances.push_back(static_cast<float>(k % 5));
    const ThirdSequences thirds(n, distances, 4);
    const ConsistencyRound round{weights, 3, thirds};
    const PosteriorSet expected = run->applyConsistency(before, round, silentProgress());

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

// ---- Work of a thread of `cuda` for its pair, here in plain C++ without a device: all lanes of a
// warp, one after another, in memory filled with NaN.

using glycine::cuda::kPosteriorCodes;
using glycine::cuda::kPosteriorLanes;
using glycine::cuda::PosteriorFound;
using glycine::cuda::PosteriorPair;
using glycine::cuda::PosteriorShape;

/// Leads and trails of a model, and its steps.
template <class Number>
struct Steps {
    Steps(const PairModel& model, std::size_t most) {
        for (const ScaledNumber& weight : model.leads(most))
            leads.push_back({static_cast<float>(weight.mantissa), weight.exponent});
        for (const ScaledNumber& weight : model.trails(most))
            trails.push_back({static_cast<float>(weight.mantissa), weight.exponent});
    }
    glycine::cuda::PosteriorModel<Number> of(const PairModel& model) const {
        glycine::cuda::PosteriorModel<Number> steps{};
        steps.match = static_cast<Number>(model.match);
        for (std::size_t kind = 0; kind < model.gapKinds; ++kind) {
            steps.open[kind] = static_cast<Number>(model.open[kind]);
            steps.extend[kind] = static_cast<Number>(model.extend[kind]);
            steps.close[kind] = static_cast<Number>(model.close[kind]);
        }
        steps.leads = leads.data();
        steps.trails = trails.data();
        return steps;
    }
    std::vector<glycine::cuda::PosteriorEnd> leads, trails;
};

struct Outcome {
    Comparison comparison = equalSoFar(kPosteriorTolerance);
    std::size_t unsound = 0;
    std::size_t overflowing = 0;
};

/// Computes the first sequence with all others, `stretch` strips at once (0: all).
template <class Number, std::uint32_t kFirstKinds = 2, std::uint32_t kSecondKinds = 1>
Outcome computeLanes(const Sequences& sequences, std::size_t stretch, std::size_t stagedPerRow = 200) {
    using Lane = glycine::cuda::PosteriorLane<Number, kFirstKinds, kSecondKinds>;
    const PairModel& one = hiddenMarkovModel(sequences.alphabet);
    const PairModel& other = partitionModel(sequences.alphabet);
    const Steps<Number> stepsOne(one, sequences.longest() + 2), stepsOther(other, sequences.longest() + 2);
    const glycine::cuda::PosteriorModel<Number> models[] = {stepsOne.of(one), stepsOther.of(other)};
    std::vector<PosteriorPair<Number>> odds(kPosteriorCodes * kPosteriorCodes);
    for (std::size_t a = 0; a < one.codes; ++a)
        for (std::size_t b = 0; b < one.codes; ++b)
            odds[a * kPosteriorCodes + b] = {static_cast<Number>(one.odds[a][b]),
                                             static_cast<Number>(other.odds[a][b])};
    const auto& query = sequences.codes[0];
    std::size_t width = 0, shortest = std::numeric_limits<std::size_t>::max();
    for (std::size_t k = 1; k < sequences.size(); ++k) {
        width = std::max(width, sequences.codes[k].size());
        shortest = std::min(shortest, sequences.codes[k].size());
    }
    PosteriorShape shape{glycine::cuda::kPosteriorRows<Number>,
                         sizeof(Number),
                         query.size(),
                         width,
                         1,
                         Lane::kStateNumbers,
                         stagedPerRow * query.size()};
    shape.stretch = stretch == 0 ? shape.strips() : std::min(stretch, shape.strips());
    constexpr std::size_t kGuard = 64;
    std::vector<double> memory(shape.bytes() / sizeof(double) + kGuard);
    std::memset(memory.data(), 0xff, memory.size() * sizeof(double));
    std::vector<PosteriorPair<Number>> ahead(glycine::cuda::kPosteriorAhead<Number>);
    std::memset(static_cast<void*>(ahead.data()), 0xff, ahead.size() * sizeof(ahead[0]));
    Outcome outcome;
    outcome.comparison.isAbsolute = true;
    constexpr auto kCutoff = static_cast<Number>(kSmallestPosterior);
    for (std::size_t k = 1; k < sequences.size(); ++k) {
        const auto& codes = sequences.codes[k];
        const auto lane = static_cast<std::uint32_t>((k - 1) % kPosteriorLanes);
        Lane pair(models, odds.data(), 2 * kCutoff * kCutoff, shape, query.data(), codes.data(),
                  static_cast<std::uint32_t>(codes.size()), static_cast<std::uint32_t>(shortest), true,
                  reinterpret_cast<std::byte*>(memory.data()), ahead.data(), lane);
        pair.compute();
        if (!pair.isSound()) {
            ++outcome.unsound;
            continue;
        }
        if (pair.count() > shape.stagedEntries) {
            ++outcome.overflowing;
            continue;
        }
        const auto* found =
            reinterpret_cast<const PosteriorFound*>(memory.data()) + lane * shape.stagedEntries;
        std::vector<std::vector<PosteriorEntry>> rows(query.size());
        for (std::size_t e = pair.count(); e-- > 0;)
            rows.at(found[e].place >> 16).push_back({found[e].place & 0xffff, found[e].value});
        std::vector<std::uint32_t> begins{0};
        std::vector<PosteriorEntry> entries;
        for (const auto& row : rows) {
            entries.insert(entries.end(), row.begin(), row.end());
            begins.push_back(static_cast<std::uint32_t>(entries.size()));
        }
        comparePair(reference::mergedPosterior(one, other, query, codes), SparsePosterior(begins, entries),
                    "with " + std::to_string(k), outcome.comparison);
    }
    for (std::size_t k = shape.bytes() / sizeof(double); k < memory.size(); ++k)
        EXPECT_TRUE(std::isnan(memory[k])) << "behind the memory of a warp";
    return outcome;
}

template <class Number>
void expectPosteriors(const Sequences& sequences) {
    for (const std::size_t stretch : {0U, 1U, 3U}) {
        SCOPED_TRACE(testing::Message()
                     << sequences.size() << " x " << sequences.longest() << ", stretches of " << stretch);
        const Outcome outcome = computeLanes<Number>(sequences, stretch);
        EXPECT_EQ(outcome.unsound, 0U);
        EXPECT_EQ(outcome.overflowing, 0U);
        EXPECT_TRUE(outcome.comparison.agrees()) << outcome.comparison.place;
    }
}

TEST(PosteriorStrips, EveryLength) {
    for (const std::size_t length : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 16U, 17U, 60U}) {
        const Sequences sequences = randomSequences(
            {.count = 6, .length = length, .shortest = 0.5, .ambiguous = 0.1, .seed = length});
        expectPosteriors<float>(sequences);
        expectPosteriors<double>(sequences);
    }
}

TEST(PosteriorStrips, AllLanesOfAWarp) {
    expectPosteriors<float>(randomSequences({.count = 33, .length = 40, .shortest = 0.1, .seed = 3}));
}

TEST(PosteriorStrips, Nucleotides) {
    const Sequences sequences = randomSequences(
        {.count = 6, .length = 150, .alphabet = Alphabet::Dna, .shortest = 0.5, .ambiguous = 0.1});
    expectPosteriors<double>(sequences);
    const Outcome outcome = computeLanes<double, 2, 2>(sequences, 5);
    EXPECT_EQ(outcome.unsound, 0U);
    EXPECT_TRUE(outcome.comparison.agrees()) << outcome.comparison.place;
}

TEST(PosteriorStrips, OneLetterAgainstVeryMany) {
    expectPosteriors<float>(sequencesOf({std::string(1200, 'W'), "A", "W"}, Alphabet::Protein));
    // The sums of a row of this many columns span more than the range of float32.
    expectPosteriors<double>(sequencesOf({"W", std::string(1200, 'W'), "A"}, Alphabet::Protein));
}

TEST(PosteriorStrips, FarRelativesAndNearOnes) {
    expectPosteriors<float>(
        randomSequences({.count = 3, .length = 400, .divergence = 0, .gaps = 0, .shortest = 1}));
    expectPosteriors<float>(randomSequences({.count = 3, .length = 400, .divergence = 0.9}));
}

TEST(PosteriorStrips, WhatFloat32DoesNotHoldIsFound) {
    // A row's best sum is 2^5 times that of the previous row, and the other sums fall behind as fast.
    const Sequences sequences =
        sequencesOf({std::string(500, 'W'), std::string(450, 'W'), std::string(400, 'A')}, Alphabet::Protein);
    EXPECT_GT(computeLanes<float>(sequences, 0).unsound, 0U);
    const Outcome wide = computeLanes<double>(sequences, 0);
    EXPECT_EQ(wide.unsound, 0U);
    EXPECT_TRUE(wide.comparison.agrees()) << wide.comparison.place;
}

TEST(PosteriorStrips, EntriesBeyondTheRoomAreCounted) {
    const Sequences sequences = randomSequences({.count = 4, .length = 80, .shortest = 1, .seed = 5});
    EXPECT_EQ(computeLanes<float>(sequences, 2, 1).overflowing, 3U);
}

// ---- Posteriors kept across a stop: what is kept, how a later run uses it, and what that run refuses.

constexpr const char* kRun = "input: 00c0ffee\n";

class PosteriorCheckpointTest : public testing::Test {
  protected:
    /// Runs until after `looks` checks for cancellation, keeping results at once. Returns the number of
    /// resumed pairs.
    std::size_t stoppedAfter(int looks) const {
        PosteriorCheckpoint kept(output, kRun, false, 0);
        Progress progress({}, [&] { return --looks < 0; });
        EXPECT_THROW(align(kept, progress), CancelledError);
        EXPECT_TRUE(kept.outlivesStop());
        return kept.resumed();
    }
    PosteriorAlignment align(PosteriorCheckpoint& kept, Progress& progress) const {
        PosteriorAlignmentOptions options = defaultOptions(sequences.size());
        options.kept = &kept;
        return alignByPosteriors(sequences, *createImplementation<PosteriorEngine>(cpu)->start(sequences),
                                 options, progress);
    }
    PosteriorAlignment alignedAtOnce() const {
        return alignByPosteriors(sequences, *createImplementation<PosteriorEngine>(cpu)->start(sequences),
                                 defaultOptions(sequences.size()), silentProgress());
    }
    static void expectEqual(const PosteriorAlignment& found, const PosteriorAlignment& expected) {
        EXPECT_EQ(found.columns, expected.columns);
        EXPECT_EQ(found.distances, expected.distances);
        EXPECT_EQ(found.confidences, expected.confidences);
        EXPECT_EQ(found.order, expected.order);
    }

    Sequences sequences = randomSequences({.count = 24, .length = 60, .shortest = 0.5, .seed = 3});
    mutable HostBackend cpu{"cpu", 1};
    TemporaryFolder folder;
    std::filesystem::path output = folder / "out.aln";
};

TEST_F(PosteriorCheckpointTest, LeadToTheSameAlignment) {
    EXPECT_EQ(stoppedAfter(12), 0U);
    EXPECT_GT(stoppedAfter(3), 0U);
    PosteriorCheckpoint kept(output, kRun, false, 0);
    expectEqual(align(kept, silentProgress()), alignedAtOnce());
    EXPECT_GT(kept.resumed(), 0U);
    EXPECT_LT(kept.resumed(), 24U * 23 / 2);
    kept.discard();
    EXPECT_EQ(folder.fileCount(), 0U);
}

TEST_F(PosteriorCheckpointTest, AreComputedAgainWhereTheyAreDamaged) {
    stoppedAfter(10);
    const auto file = folder / "out.aln.unfinished";
    std::string bytes = readFile(file);
    bytes[bytes.size() / 2] ^= 1;
    writeFile(file, bytes);
    PosteriorCheckpoint kept(output, kRun, false, 0);
    expectEqual(align(kept, silentProgress()), alignedAtOnce());
    EXPECT_EQ(kept.resumed(), 0U);
}

TEST_F(PosteriorCheckpointTest, OfAnotherRunAreRefused) {
    stoppedAfter(10);
    EXPECT_THAT(messageOf<UsageError>([&] { PosteriorCheckpoint kept(output, "input: 1\n", false); }),
                HasSubstr("input was 00c0ffee, is 1 now"));
    PosteriorCheckpoint kept(output, "input: 1\n", true);
    expectEqual(align(kept, silentProgress()), alignedAtOnce());
    EXPECT_EQ(kept.resumed(), 0U);
}

TEST_F(PosteriorCheckpointTest, OfAShortRunNeedNoFile) {
    PosteriorCheckpoint kept(output, kRun, false);
    align(kept, silentProgress());
    EXPECT_EQ(folder.fileCount(), 0U);
    EXPECT_FALSE(kept.outlivesStop());
}

TEST_F(PosteriorCheckpointTest, AreNotWorthTheRun) {
    // The file's folder does not exist: the run continues without keeping anything.
    PosteriorCheckpoint kept(folder / "missing" / "out.aln", kRun, false, 0);
    expectEqual(align(kept, silentProgress()), alignedAtOnce());
    EXPECT_THAT(kept.failure(), HasSubstr("No such file or directory"));
    EXPECT_FALSE(kept.outlivesStop());
}

}  // namespace
}  // namespace glycine::align
