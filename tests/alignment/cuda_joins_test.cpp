// Joins of groups on the device against those of the host.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "kernels_cuda/alignment/device_joins.hpp"
#include "tests/alignment/join_fixtures.hpp"
#include "tests/alignment/posterior_fixtures.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"

namespace glycine::align::cuda {
namespace {

Sequences fortySequences() {
    return randomSequences({.count = 40, .length = 70, .shortest = 0.3, .seed = 6});
}

void expectAscending(const ColumnChain& chain) {
    for (std::size_t k = 1; k < chain.size(); ++k) {
        EXPECT_LT(chain[k - 1].first, chain[k].first);
        EXPECT_LT(chain[k - 1].second, chain[k].second);
    }
}

TEST(CudaJoins, AreAsHeavyAsTheHosts) {
    REQUIRE_BACKEND(backend);
    Progress progress;
    const Sequences sequences = fortySequences();
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    for (const std::size_t each : {1U, 4U, 20U})
        // Groups of up to 100 columns for each residue need more columns for each thread.
        for (const std::size_t wider : {1U, 2U, 40U, 100U}) {
            const GroupsOfSequences all(sequences, each, 4, wider);
            const auto expected =
                joinsOnHost(posteriors, all.weights)->heaviestChains(all.joins, all.residues, progress);
            for (const JoinSettings& settings :
                 {JoinSettings{.leastSteps = 0}, JoinSettings{.leastSteps = 0, .mostBytes = 30'000'000}}) {
                const auto joins = joinsThere(*backend, posteriors, all.weights, settings);
                ASSERT_NE(joins, nullptr);
                const auto found = joins->heaviestChains(all.joins, all.residues, progress);
                ASSERT_EQ(found.size(), expected.size());
                for (std::size_t k = 0; k < found.size(); ++k) {
                    expectAscending(found[k]);
                    const double most = sumOf(all, all.joins[k], expected[k], posteriors);
                    EXPECT_NEAR(sumOf(all, all.joins[k], found[k], posteriors), most, 1e-5 * (1 + most));
                }
                // A second time in the same memory.
                EXPECT_EQ(joins->heaviestChains(all.joins, all.residues, progress), found);
            }
        }
}

TEST(CudaJoins, ThatTheDeviceDoesNotTakeAreTheHosts) {
    REQUIRE_BACKEND(backend);
    Progress progress;
    const Sequences sequences = fortySequences();
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    const GroupsOfSequences all(sequences, 20, 4, 1 + glycine::cuda::kMostJoinColumns / 50);
    ASSERT_GT(all.joins.front().secondWidth, glycine::cuda::kMostJoinColumns);
    const auto joins = joinsThere(*backend, posteriors, all.weights, {.leastSteps = 0});
    EXPECT_EQ(joins->heaviestChains(all.joins, all.residues, progress),
              joinsOnHost(posteriors, all.weights)->heaviestChains(all.joins, all.residues, progress));
    EXPECT_FALSE(joins->note().empty());

    const GroupsOfSequences narrow(sequences, 20, 4);
    const auto none = joinsThere(*backend, posteriors, narrow.weights, {.leastSteps = 0, .mostBytes = 1});
    EXPECT_EQ(
        none->heaviestChains(narrow.joins, narrow.residues, progress),
        joinsOnHost(posteriors, narrow.weights)->heaviestChains(narrow.joins, narrow.residues, progress));
    EXPECT_FALSE(none->note().empty());
    REQUIRE_BACKEND(small, 100000);
    EXPECT_EQ(joinsThere(*small, posteriors, narrow.weights), nullptr);
}

TEST(CudaJoins, SumsWithinColumns) {
    REQUIRE_BACKEND(backend);
    Progress progress;
    const Sequences sequences = fortySequences();
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    const GroupsOfSequences all(sequences, sequences.size(), 4);
    const auto found =
        joinsThere(*backend, posteriors, all.weights)->sumsWithin(all.residues, all.widths.front(), progress);
    const auto expected =
        joinsOnHost(posteriors, all.weights)->sumsWithin(all.residues, all.widths.front(), progress);
    ASSERT_EQ(found.size(), expected.size());
    double sum = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_NEAR(found[k], expected[k], 1e-5 * (1 + expected[k]));
        sum += found[k];
    }
    EXPECT_GT(sum, 1);
}

TEST(CudaJoins, ExpectedAccuraciesAreTheHostsToTheBit) {
    REQUIRE_BACKEND(backend);
    Progress progress;
    for (const double shortest : {1.0, 0.1}) {
        const Sequences sequences =
            randomSequences({.count = 40, .length = 130, .shortest = shortest, .seed = 6});
        const auto run = createPosteriorEngine(*backend)->start(sequences);
        const PosteriorSet posteriors = run->posteriors(progress);
        const auto found = expectedAccuraciesThere(*backend, posteriors);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(*found, run->PosteriorRun::expectedAccuracies(posteriors, progress));
    }
    EXPECT_FALSE(expectedAccuraciesThere(*backend, posteriorsByReference(fortySequences())).has_value());
}

}  // namespace
}  // namespace glycine::align::cuda
