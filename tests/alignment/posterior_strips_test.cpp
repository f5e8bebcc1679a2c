// What a thread of `cuda` computes of its pair, here in plain C++: no device is needed. All lanes of a warp,
// one after the other, in memory that is full of what is no number.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/alignment/posterior/recount_stages.hpp"
#include "engine/alignment/reference/serial_alignment.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "kernels_cuda/alignment/posterior_strips.hpp"

namespace glycine::align {
namespace {

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

/// The first sequence with all others, `stretch` strips at once (0: all).
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

TEST(PosteriorStrips, OneLetterBesideVeryMany) {
    expectPosteriors<float>(sequencesOf({std::string(1200, 'W'), "A", "W"}, Alphabet::Protein));
    // Float32 does not hold what the sums of a row of so many columns differ by.
    expectPosteriors<double>(sequencesOf({"W", std::string(1200, 'W'), "A"}, Alphabet::Protein));
}

TEST(PosteriorStrips, FarRelativesAndNearOnes) {
    expectPosteriors<float>(
        randomSequences({.count = 3, .length = 400, .divergence = 0, .gaps = 0, .shortest = 1}));
    expectPosteriors<float>(randomSequences({.count = 3, .length = 400, .divergence = 0.9}));
}

TEST(PosteriorStrips, WhatFloat32DoesNotHoldIsFound) {
    // A row's best sum is 2^5 times that of the row before it, and others fall behind as fast.
    const Sequences sequences = sequencesOf(
        {std::string(1500, 'W'), std::string(1400, 'W'), std::string(1300, 'A')}, Alphabet::Protein);
    EXPECT_GT(computeLanes<float>(sequences, 0).unsound, 0U);
    const Outcome wide = computeLanes<double>(sequences, 0);
    EXPECT_EQ(wide.unsound, 0U);
    EXPECT_TRUE(wide.comparison.agrees()) << wide.comparison.place;
}

TEST(PosteriorStrips, EntriesBeyondTheRoomAreCounted) {
    const Sequences sequences = randomSequences({.count = 4, .length = 80, .shortest = 1, .seed = 5});
    EXPECT_EQ(computeLanes<float>(sequences, 2, 1).overflowing, 3U);
}

}  // namespace
}  // namespace glycine::align
