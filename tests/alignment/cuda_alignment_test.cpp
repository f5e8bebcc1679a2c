// Kernels of `cuda`: posteriors, joins, paths through profiles.
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/alignment/posterior/recount_stages.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "kernels_cuda/alignment/device_consistency.hpp"
#include "kernels_cuda/alignment/device_joins.hpp"
#include "kernels_cuda/alignment/device_posteriors.hpp"
#include "kernels_cuda/alignment/device_profiles.hpp"
#include "tests/alignment/join_fixtures.hpp"
#include "tests/alignment/posterior_fixtures.hpp"
#include "tests/alignment/profile_fixtures.hpp"
#include "tests/kernels_cuda/cuda_test_backend.hpp"
#include "tests/test.hpp"

namespace glycine::align::cuda {
namespace {

// ---- Paths of `cuda` that the suite for all backends does not reach: too little room for entries, stretches
// of one strip, batches of one task, hardly any memory; and the plans, which need no device.

void expectEqual(const PosteriorSet& expected, const PosteriorSet& found) {
    Comparison comparison = equalSoFar(kPosteriorTolerance);
    comparison.isAbsolute = true;
    for (std::size_t x = 0; x < expected.sequences(); ++x)
        for (std::size_t y = 0; y < expected.sequences(); ++y)
            if (x != y)
                comparePair(expected.pair(x, y), found.pair(x, y),
                            std::to_string(x) + " and " + std::to_string(y), comparison);
    EXPECT_TRUE(comparison.agrees()) << comparison.place;
}

/// More sequences than a task takes, of unequal lengths.
Sequences family(Alphabet alphabet = Alphabet::Protein) {
    return randomSequences({.count = 40, .length = 70, .alphabet = alphabet, .shortest = 0.3, .seed = 6});
}

TEST(CudaPosteriors, TooLittleRoomForEntries) {
    REQUIRE_BACKEND(backend);
    const Sequences sequences = family();
    const PosteriorSet expected = posteriorsByReference(sequences);
    for (const PosteriorSettings& settings :
         {PosteriorSettings{.stagedPerRow = 2}, PosteriorSettings{.foundPerRow = 1},
          PosteriorSettings{.stagedPerRow = 2, .foundPerRow = 1, .mostFound = 100, .cellsAtOnce = 1000}}) {
        PosteriorsOnDevice run(*backend, sequences, settings);
        expectEqual(expected, run.compute(silentProgress()));
        EXPECT_GT(run.repeated(), 0U);
        EXPECT_EQ(run.onHost(), 0U);
    }
}

TEST(CudaPosteriors, StretchesOfFewStrips) {
    REQUIRE_BACKEND(backend);
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Rna}) {
        const Sequences sequences = family(alphabet);
        const PosteriorSet expected = posteriorsByReference(sequences);
        for (const std::size_t strips : {1U, 2U, 5U}) {
            PosteriorsOnDevice run(*backend, sequences, {.mostStretchStrips = strips});
            expectEqual(expected, run.compute(silentProgress()));
            EXPECT_GT(run.recomputedBatches(), 0U);
        }
    }
}

TEST(CudaPosteriors, JustEnoughMemory) {
    const Sequences sequences = family();
    const PosteriorRequest request{.sequences = sequences.size(), .longest = sequences.longest()};
    const std::size_t least = leastPosteriorBytes(request);
    REQUIRE_BACKEND(backend, least);
    ASSERT_TRUE(posteriorEngine().create(*backend)->supports(request));
    {
        PosteriorsOnDevice run(*backend, sequences);
        expectEqual(posteriorsByReference(sequences), run.compute(silentProgress()));
        EXPECT_EQ(run.onHost(), 0U);
    }
    REQUIRE_BACKEND(smaller, least - 1);
    EXPECT_FALSE(posteriorEngine().create(*smaller)->supports(request));
}

TEST(CudaPosteriors, SequencesThatEntriesHaveNoNumbersFor) {
    REQUIRE_BACKEND(backend);
    const auto engine = posteriorEngine().create(*backend);
    EXPECT_FALSE(engine->supports({.sequences = 2, .longest = glycine::cuda::kMaxPosteriorLetters + 1}));
}

TEST(CudaPosteriors, ConsistencyInPortions) {
    REQUIRE_BACKEND(backend);
    const Sequences sequences = family();
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    std::vector<double> weights(sequences.size());
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = 0.25 + static_cast<double>(k % 3);
    HostBackend host("reference", 1);
    const ThirdSequences thirds(sequences.size());
    const ConsistencyRound round{weights, 3, thirds};
    const PosteriorSet expected =
        createImplementation<PosteriorEngine>(host)->start(sequences)->applyConsistency(posteriors, round,
                                                                                        silentProgress());
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{100000}, std::size_t{1} << 30})
        expectEqual(expected, applyConsistency(*backend, posteriors, round, silentProgress(), bytes));
    REQUIRE_BACKEND(small, 100000);
    EXPECT_ANY_THROW(applyConsistency(*small, posteriors, round, silentProgress()));
}

TEST(CudaPosteriors, ConsistencyOfWhatStayedThere) {
    REQUIRE_BACKEND(backend);
    Progress progress;
    const Sequences sequences = family();
    const std::vector<double> weights(sequences.size(), 0.5);
    HostBackend host("reference", 1);
    const ThirdSequences thirds(sequences.size());
    const ConsistencyRound round{weights, 3, thirds};
    const auto reference = createImplementation<PosteriorEngine>(host)->start(sequences);
    const PosteriorSet first = reference->applyConsistency(posteriorsByReference(sequences), round, progress);
    const PosteriorSet second = reference->applyConsistency(first, round, progress);
    for (const PosteriorSettings& settings :
         {PosteriorSettings{}, PosteriorSettings{.cellsAtOnce = 50000}, PosteriorSettings{.stagedPerRow = 2},
          PosteriorSettings{.mostKeptBytes = 0}}) {
        PosteriorsOnDevice run(*backend, sequences, settings);
        const PosteriorSet posteriors = run.compute(progress);
        EXPECT_EQ(posteriors.resident() != nullptr, settings.mostKeptBytes > 0);
        const PosteriorSet once = applyConsistency(*backend, posteriors, round, progress);
        expectEqual(first, once);
        EXPECT_NE(once.resident(), nullptr);
        expectEqual(second, applyConsistency(*backend, once, round, progress));
    }
}

TEST(CudaPosteriors, RowsThatSharedMemoryDoesNotHold) {
    REQUIRE_BACKEND(backend);
    const Sequences sequences =
        randomSequences({.count = 3, .length = 2600, .divergence = 0.3, .shortest = 0.95, .seed = 2});
    PosteriorsOnDevice run(*backend, sequences);
    expectEqual(posteriorsByReference(sequences), run.compute(silentProgress()));
    EXPECT_EQ(run.onHost(), 0U);
}

TEST(CudaPosteriorPlan, BatchesHaveRoomAndWholeWaves) {
    std::vector<std::size_t> lengths(300, 50);
    const PosteriorSettings settings;
    TaskGroup group;
    group.tasks = planTasks(lengths, settings);
    group.warps = 100;
    const std::size_t entries = group.tasks.front().entries, places = group.tasks.front().places;
    EXPECT_EQ(places, 32 * (50 + 50 + 2));
    for (const BatchRoom& room : {BatchRoom{entries, places}, BatchRoom{250 * entries, 1000 * places},
                                  BatchRoom{1000 * entries, 330 * places}, BatchRoom{1U << 30, 1U << 30}}) {
        std::size_t next = 0;
        for (const Range& batch : batchesOf(group, room, settings)) {
            ASSERT_EQ(batch.begin, next);
            ASSERT_GT(batch.end, batch.begin);
            next = batch.end;
            BatchRoom taken;
            for (std::size_t k = batch.begin; k < batch.end; ++k) {
                taken.entries += group.tasks[k].entries;
                taken.places += group.tasks[k].places;
            }
            EXPECT_LE(taken.entries, room.entries);
            EXPECT_LE(taken.places, room.places);
            if (batch.end < group.tasks.size() && batch.size() > group.warps) {
                EXPECT_EQ(batch.size() % group.warps, 0U);
            }
        }
        EXPECT_EQ(next, group.tasks.size());
    }
    EXPECT_EQ(batchesOf(group, {1U << 30, 1U << 30}, settings).size(), settings.batches);
}

TEST(CudaPosteriorPlan, EveryPairOnceAndWithinTheMemory) {
    std::vector<std::size_t> lengths(70, 30);
    std::iota(lengths.begin(), lengths.end(), std::size_t{30});
    lengths.back() = 3000;
    const PosteriorSettings settings;
    const PosteriorFormat format = PosteriorFormat::of<float>({2, 1}, lengths.back() * settings.stagedPerRow);
    for (const std::size_t mebibytes : {1U, 80U, 250U, 2000U, 20000U}) {
        const std::size_t bytes = mebibytes << 20;
        std::vector<PlannedTask> left = planTasks(lengths, settings);
        const std::vector<TaskGroup> groups = groupTasks(left, bytes, 12, format, settings);
        std::vector<int> timesPlanned(lengths.size() * lengths.size(), 0);
        const auto count = [&](const PlannedTask& planned) {
            for (std::size_t lane = 0; lane < planned.task.count; ++lane)
                if ((planned.task.wanted >> lane & 1) != 0)
                    ++timesPlanned[planned.task.query * lengths.size() + planned.task.first + lane];
        };
        std::ranges::for_each(left, count);
        for (const TaskGroup& group : groups) {
            ASSERT_GE(group.warps, 1U);
            EXPECT_LE(group.warps, 12U);
            EXPECT_LE(group.warps * group.bytesEach, bytes);
            for (const PlannedTask& planned : group.tasks) {
                count(planned);
                ASSERT_GE(planned.task.stretchStrips, 1U);
                glycine::cuda::PosteriorShape shape = format.shapeOf(planned.rows, planned.width);
                shape.stretch = planned.task.stretchStrips;
                EXPECT_LE(shape.bytes(), group.bytesEach);
            }
        }
        EXPECT_EQ(left.empty(), mebibytes >= 80) << mebibytes;
        for (std::size_t query = 0; query < lengths.size(); ++query)
            for (std::size_t other = 0; other < lengths.size(); ++other)
                ASSERT_EQ(timesPlanned[query * lengths.size() + other], other < query ? 1 : 0);
    }
}

// ---- Joins of groups on the device, compared with the host's.

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
    const Sequences sequences = fortySequences();
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    for (const std::size_t each : {1U, 4U, 20U})
        // Groups with up to 100 columns per residue need more columns per thread.
        for (const std::size_t wider : {1U, 2U, 40U, 100U}) {
            const GroupsOfSequences all(sequences, each, 4, wider);
            const auto expected = joinsOnHost(posteriors, all.weights)
                                      ->heaviestChains(all.joins, all.residues, silentProgress());
            for (const JoinSettings& settings :
                 {JoinSettings{.leastSteps = 0}, JoinSettings{.leastSteps = 0, .mostBytes = 30'000'000}}) {
                const auto joins = createDeviceJoins(*backend, posteriors, all.weights, settings);
                ASSERT_NE(joins, nullptr);
                const auto found = joins->heaviestChains(all.joins, all.residues, silentProgress());
                ASSERT_EQ(found.size(), expected.size());
                for (std::size_t k = 0; k < found.size(); ++k) {
                    expectAscending(found[k]);
                    const double most = sumOf(all, all.joins[k], expected[k], posteriors);
                    EXPECT_NEAR(sumOf(all, all.joins[k], found[k], posteriors), most, 1e-5 * (1 + most));
                }
                // Again, in the same memory.
                EXPECT_EQ(joins->heaviestChains(all.joins, all.residues, silentProgress()), found);
            }
        }
}

TEST(CudaJoins, ThatTheDeviceDoesNotTakeAreTheHosts) {
    REQUIRE_BACKEND(backend);
    const Sequences sequences = fortySequences();
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    const GroupsOfSequences all(sequences, 20, 4, 1 + glycine::cuda::kMaxJoinColumns / 50);
    ASSERT_GT(all.joins.front().secondWidth, glycine::cuda::kMaxJoinColumns);
    const auto joins = createDeviceJoins(*backend, posteriors, all.weights, {.leastSteps = 0});
    EXPECT_EQ(
        joins->heaviestChains(all.joins, all.residues, silentProgress()),
        joinsOnHost(posteriors, all.weights)->heaviestChains(all.joins, all.residues, silentProgress()));
    EXPECT_FALSE(joins->note().empty());

    const GroupsOfSequences narrow(sequences, 20, 4);
    const auto none =
        createDeviceJoins(*backend, posteriors, narrow.weights, {.leastSteps = 0, .mostBytes = 1});
    EXPECT_EQ(none->heaviestChains(narrow.joins, narrow.residues, silentProgress()),
              joinsOnHost(posteriors, narrow.weights)
                  ->heaviestChains(narrow.joins, narrow.residues, silentProgress()));
    EXPECT_FALSE(none->note().empty());
    REQUIRE_BACKEND(small, 100000);
    EXPECT_EQ(createDeviceJoins(*small, posteriors, narrow.weights), nullptr);
}

TEST(CudaJoins, SumsWithinColumns) {
    REQUIRE_BACKEND(backend);
    const Sequences sequences = fortySequences();
    const PosteriorSet posteriors = posteriorsByReference(sequences);
    const GroupsOfSequences all(sequences, sequences.size(), 4);
    const ResidueValues found =
        createDeviceJoins(*backend, posteriors, all.weights)->sumsWithin(all.residues, silentProgress());
    const ResidueValues expected =
        joinsOnHost(posteriors, all.weights)->sumsWithin(all.residues, silentProgress());
    ASSERT_EQ(found.size(), expected.size());
    double sum = 0;
    for (std::size_t x = 0; x < found.size(); ++x) {
        ASSERT_EQ(found[x].size(), expected[x].size());
        for (std::size_t k = 0; k < found[x].size(); ++k) {
            EXPECT_NEAR(found[x][k], expected[x][k], 1e-5 * (1 + expected[x][k]));
            sum += found[x][k];
        }
    }
    EXPECT_GT(sum, 1);
}

TEST(CudaJoins, ExpectedAccuraciesAreTheHostsToTheBit) {
    REQUIRE_BACKEND(backend);
    for (const double shortest : {1.0, 0.1}) {
        const Sequences sequences =
            randomSequences({.count = 40, .length = 130, .shortest = shortest, .seed = 6});
        const auto run = createImplementation<PosteriorEngine>(*backend)->start(sequences);
        const PosteriorSet posteriors = run->posteriors(silentProgress());
        const auto found = expectedAccuraciesOnDevice(*backend, posteriors);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(*found, run->PosteriorRun::expectedAccuracies(posteriors, silentProgress()));
    }
    EXPECT_FALSE(expectedAccuraciesOnDevice(*backend, posteriorsByReference(fortySequences())).has_value());
}

// ---- Paths through profiles on the device, compared with the host's.

using clustalw::expectLinearPaths;
using clustalw::expectPathsOfHost;
using clustalw::linearPairs;
using clustalw::PairsOfProfiles;
using clustalw::ProfilePaths;

TEST(CudaProfilePaths, AreTheHosts) {
    REQUIRE_BACKEND(backend);
    ProfilePaths paths(profilePassesOn(*backend), 0);
    for (std::uint64_t seed = 0; seed < 10; ++seed)
        expectPathsOfHost(paths, PairsOfProfiles(clustalw::oddSizes(), seed).pairs);
    for (std::uint64_t seed = 10; seed < 15; ++seed) expectLinearPaths(paths, linearPairs(seed).pairs);
    // Lines that do not fit shared memory.
    expectPathsOfHost(paths, PairsOfProfiles({{20, 9000}, {6, 5000}}, 19).pairs);
    // More cells on an anti-diagonal than threads in a block; then many pairs, in memory reused from the
    // previous ones.
    expectPathsOfHost(paths, PairsOfProfiles({{1500, 1400}, {40, 3000}, {3000, 40}}, 20).pairs);
    expectPathsOfHost(
        paths, PairsOfProfiles(std::vector(500, std::pair<std::size_t, std::size_t>(60, 50)), 21).pairs);
    EXPECT_TRUE(paths.note().empty());
}

TEST(CudaProfilePaths, MakeTheAlignmentOfTheHost) {
    REQUIRE_BACKEND(backend);
    ProfilePaths paths(profilePassesOn(*backend), 0);
    clustalw::expectAlignmentsOfHost(paths);
    EXPECT_TRUE(paths.note().empty());
}

TEST(CudaProfilePaths, TheHostFinishesWhatIsSmall) {
    REQUIRE_BACKEND(backend);
    for (const double leastCells : {1000.0, 10'000.0, 1e9}) {
        ProfilePaths paths(profilePassesOn(*backend), leastCells);
        expectPathsOfHost(paths, PairsOfProfiles(clustalw::oddSizes(), 22).pairs);
        EXPECT_TRUE(paths.note().empty());
    }
}

TEST(CudaProfilePaths, GoInPortionsOrToTheHostWhereMemoryIsShort) {
    REQUIRE_BACKEND(backend);
    ProfilePaths portions(profilePassesOn(*backend, 300'000), 0);
    expectPathsOfHost(portions, PairsOfProfiles(clustalw::oddSizes(), 23).pairs);
    expectLinearPaths(portions, linearPairs(25).pairs);
    EXPECT_TRUE(portions.note().empty());
    ProfilePaths small(profilePassesOn(*backend, 100'000), 0);
    expectPathsOfHost(small, PairsOfProfiles({{300, 300}, {10, 10}}, 24).pairs);
    EXPECT_EQ(small.note(), "1 alignment of profiles on the host, for which the device has no room");
}

}  // namespace
}  // namespace glycine::align::cuda
