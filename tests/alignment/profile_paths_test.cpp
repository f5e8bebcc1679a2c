// Paths through profiles level by level: the per-thread computations of cuda's passes, without a device, and
// the cuts derived from them.
#include "engine/alignment/clustal/profile_paths.hpp"

#include "engine/alignment/clustal/thesis_alignment.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "kernels_cuda/alignment/profile_cells.hpp"
#include "tests/alignment/profile_fixtures.hpp"
#include "tests/core/named_backend.hpp"
#include "tests/test.hpp"

namespace glycine::align::clustalw {
namespace {

using glycine::cuda::PassScores;
using glycine::cuda::ProfilePairTable;
using glycine::cuda::ProfilePass;

/// Emulates the device's passes, one thread after another.
class EmulatedPasses : public ProfilePasses {
  public:
    /// Takes at most `most` pairs at once, and none with more than `mostCells` cells.
    explicit EmulatedPasses(std::size_t most = 1000, double mostCells = 1e9)
        : most_(most), mostCells_(mostCells) {}

    std::size_t load(std::span<const ProfilePair> pairs, PathScheme scheme) override {
        const int unit = scheme == PathScheme::ClustalW ? kScoreUnit : 1;
        tables_.clear();
        scores_.clear();
        sums_.clear();
        for (const ProfilePair& pair : pairs.first(std::min(most_, pairs.size()))) {
            if (pair.cells() > mostCells_) break;
            const Profile &first = *pair.first, &second = *pair.second;
            std::vector<int>& scores = scores_.emplace_back();
            for (std::size_t i = 1; i <= first.size; ++i)
                for (std::size_t j = 1; j <= second.size; ++j)
                    scores.push_back(glycine::cuda::profileScore(first.column(i), second.column(j), unit));
            const auto tableOf = [&](const Profile& profile) {
                std::vector<int>& sums = sums_.emplace_back(profile.size + 1, 0);
                std::partial_sum(profile.extend.begin() + 1, profile.extend.end(), sums.begin() + 1);
                return glycine::cuda::ProfileTable{profile.values.data(), profile.open.data(),
                                                   profile.extend.data(), sums.data(),
                                                   static_cast<int>(profile.size)};
            };
            tables_.push_back({tableOf(first), tableOf(second), scores.data(), unit});
        }
        return tables_.size();
    }

    void findMiddleRows(std::span<const ProfilePart> parts, MiddleRows& rows, Progress& progress) override {
        progress.throwIfCancelled();
        ++levels;
        for (std::size_t k = 0; k < parts.size(); ++k)
            for (const bool isBackward : {false, true}) {
                const MatrixPart& part = parts[k].part;
                std::vector<int> lines(glycine::cuda::kProfileLines * (part.columns + 1), 1 << 20);
                const auto at = [&](MiddleRows::Kind kind) {
                    return rows.numbers().data() + rows.placeOf(k, kind);
                };
                ProfilePass pass{.pair = static_cast<std::uint32_t>(parts[k].pair),
                                 .row = static_cast<int>(part.row),
                                 .column = static_cast<int>(part.column),
                                 .rows = static_cast<int>(part.middle() - part.row),
                                 .columns = static_cast<int>(part.columns),
                                 .isBackward = isBackward,
                                 .opens = part.opensBefore,
                                 .lines = lines.data(),
                                 .best = at(MiddleRows::Best),
                                 .inRowGap = at(MiddleRows::InRowGap)};
                if (isBackward) {
                    pass.row += static_cast<int>(part.rows);
                    pass.column += pass.columns;
                    pass.rows = static_cast<int>(part.rows) - pass.rows;
                    pass.opens = part.opensAfter;
                    pass.best = at(MiddleRows::ReverseBest);
                    pass.inRowGap = at(MiddleRows::ReverseInRowGap);
                }
                throughDiagonals(pass, [&](const PassScores& scores, int diagonal, int thread) {
                    computeDiagonal(pass, tables_[pass.pair], scores, diagonal, thread, kThreads);
                });
            }
    }

    std::vector<std::vector<Step>> findSteps(Progress&) override {
        std::vector<std::vector<Step>> steps;
        for (std::uint32_t k = 0; k < tables_.size(); ++k) {
            const auto rows = static_cast<std::size_t>(tables_[k].first.size);
            const auto columns = static_cast<std::size_t>(tables_[k].second.size);
            std::vector<int> lines(glycine::cuda::kLinearLines * (columns + 1), 1 << 20);
            std::vector<std::uint32_t> moves(glycine::cuda::linearMoves(rows, columns), 0xffffffffU);
            const glycine::cuda::LinearPass pass{k, lines.data(), moves.data()};
            throughDiagonals(wholePass(pass, tables_[k]),
                             [&](const PassScores& scores, int diagonal, int thread) {
                                 computeLinearDiagonal(pass, tables_[k], scores, diagonal, thread, kThreads);
                             });
            steps.push_back(stepsBack(rows, columns, [&](std::size_t i, std::size_t j) {
                return glycine::cuda::linearMove(moves.data(), columns, i, j);
            }));
        }
        return steps;
    }

    std::size_t levels = 0;

  private:
    static constexpr int kThreads = 5;
    /// Runs the threads of each anti-diagonal one after another in varying order; every other pass copies
    /// scores ahead.
    template <class Compute>
    void throughDiagonals(const ProfilePass& pass, const Compute& compute) {
        std::vector<int> copies(
            passes_++ % 2 == 0 ? glycine::cuda::kScoreLines * (static_cast<std::size_t>(pass.columns) + 1)
                               : 0,
            1 << 20);
        const PassScores scores(tables_[pass.pair], pass, copies.data(), !copies.empty());
        for (int diagonal = -glycine::cuda::kDiagonalsAhead; diagonal <= pass.rows + pass.columns; ++diagonal)
            for (int k = 0; k < kThreads; ++k) {
                const int thread = (3 * k + std::abs(diagonal)) % kThreads;
                scores.copy(diagonal + glycine::cuda::kDiagonalsAhead, thread, kThreads);
                if (diagonal >= 0) compute(scores, diagonal, thread);
            }
    }

    std::size_t most_;
    double mostCells_;
    std::size_t passes_ = 0;
    std::vector<ProfilePairTable> tables_;
    std::vector<std::vector<int>> scores_, sums_;
};

TEST(ProfilePaths, OfAllLevelsAreThoseOfTheHost) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const PairsOfProfiles all(oddSizes(), seed);
        ProfilePaths paths(std::make_unique<EmulatedPasses>(), 0);
        expectPathsOfHost(paths, all.pairs);
        EXPECT_TRUE(paths.note().empty());
    }
}

TEST(ProfilePaths, OfTheLinearSchemeAreThoseOfTheWholeMatrix) {
    for (std::uint64_t seed = 50; seed < 60; ++seed) {
        ProfilePaths paths(std::make_unique<EmulatedPasses>(), 0);
        expectLinearPaths(paths, linearPairs(seed).pairs);
    }
    // Pairs with more cells are left to the caller.
    const PairsOfProfiles all = linearPairs(60);
    ProfilePaths small(std::make_unique<EmulatedPasses>(4, 4096), 0);
    const auto found = small.alignLinearly(all.pairs, silentProgress());
    for (std::size_t k = 0; k < all.pairs.size(); ++k)
        EXPECT_EQ(found[k].has_value(), all.pairs[k].cells() <= 4096) << k;
    EXPECT_FALSE(small.note().empty());
}

TEST(ProfilePaths, TheHostFinishesWhatIsSmall) {
    const PairsOfProfiles all(oddSizes(), 40);
    std::size_t before = 1000;
    for (const double leastCells : {0.0, 300.0, 3000.0, 100'000.0}) {
        auto passes = std::make_unique<EmulatedPasses>();
        const EmulatedPasses& counted = *passes;
        ProfilePaths paths(std::move(passes), leastCells);
        expectPathsOfHost(paths, all.pairs);
        EXPECT_LT(counted.levels, before) << leastCells;
        before = counted.levels;
        EXPECT_TRUE(paths.note().empty());
    }
    EXPECT_EQ(before, 0U);
}

TEST(ProfilePaths, WhatTheDeviceDoesNotTakeIsTheHosts) {
    const PairsOfProfiles all(oddSizes(), 41);
    ProfilePaths some(std::make_unique<EmulatedPasses>(3), 0);
    expectPathsOfHost(some, all.pairs);
    EXPECT_TRUE(some.note().empty());
    ProfilePaths small(std::make_unique<EmulatedPasses>(4, 4096), 0);
    expectPathsOfHost(small, all.pairs);
    EXPECT_EQ(small.note(), "1 alignment of profiles on the host, for which the device has no room");
}

TEST(ProfilePaths, StopOnRequest) {
    const PairsOfProfiles all(oddSizes(), 42);
    for (const double leastCells : {0.0, 1e9}) {
        ProfilePaths paths(std::make_unique<EmulatedPasses>(), leastCells);
        Progress cancelled({}, [] { return true; });
        EXPECT_THROW(paths.align(all.pairs, cancelled), CancelledError);
    }
}

TEST(ProfilePaths, OfRoundsMakeTheAlignmentOfTheHost) {
    ProfilePaths paths(std::make_unique<EmulatedPasses>(), 0);
    expectAlignmentsOfHost(paths);
    EXPECT_TRUE(paths.note().empty());
}

TEST(ProfilePaths, OfRoundsMakeTheThesisAlignmentOfTheHost) {
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna}) {
        const Sequences sequences = randomSequences(
            {.count = 14, .length = 60, .alphabet = alphabet, .shortest = 0.6, .ambiguous = 0.05, .seed = 6});
        const trees::Tree tree = twoLadders(sequences.size(), 0.2);
        const thesis::ThesisAlignment expected =
            thesis::alignByThesis(sequences, tree, nullptr, silentProgress());
        for (const double mostCells : {1e9, 4500.0}) {
            ProfilePaths paths(std::make_unique<EmulatedPasses>(3, mostCells), 0);
            const thesis::ThesisAlignment found =
                thesis::alignByThesis(sequences, tree, &paths, silentProgress());
            EXPECT_EQ(found.rows, expected.rows);
            EXPECT_EQ(found.order, expected.order);
            EXPECT_EQ(found.scores, expected.scores);
            EXPECT_EQ(paths.note().empty(), mostCells > 1e6);
        }
    }
}

/// Passes whose results are corrupted.
class FaultyPasses final : public EmulatedPasses {
  public:
    std::function<void(std::span<const ProfilePart> parts, MiddleRows& rows)> onRows = [](auto, auto&) {};
    std::function<void(std::vector<std::vector<Step>>& steps)> onSteps = [](auto&) {};

    void findMiddleRows(std::span<const ProfilePart> parts, MiddleRows& rows, Progress& progress) override {
        EmulatedPasses::findMiddleRows(parts, rows, progress);
        onRows(parts, rows);
    }
    std::vector<std::vector<Step>> findSteps(Progress& progress) override {
        auto steps = EmulatedPasses::findSteps(progress);
        onSteps(steps);
        return steps;
    }
};

/// The message of the refusal; empty if there is none.
template <class Align>
std::string refusalOf(std::unique_ptr<FaultyPasses> passes, std::size_t& counted, const Align& align) {
    StageRecount recount(test::NamedBackend("cuda"), false, "pair");
    ProfilePaths paths(std::move(passes), 0);
    paths.recountWith(&recount);
    try {
        align(paths);
    } catch (const WrongResultError& error) {
        return error.what();
    }
    counted = recount.counted().elements;
    return "";
}

TEST(ProfilePaths, ThatAreWrongAreRefused) {
    const PairsOfProfiles all(oddSizes(), 43);
    std::size_t counted = 0;
    const auto refusal = [&](auto&& onRows) {
        auto passes = std::make_unique<FaultyPasses>();
        passes->onRows = onRows;
        return refusalOf(std::move(passes), counted,
                         [&](ProfilePaths& paths) { paths.align(all.pairs, silentProgress()); });
    };
    EXPECT_EQ(refusal([](auto, auto&) {}), "");
    EXPECT_EQ(counted, all.pairs.size());
    const auto isRefused =
        AllOf(HasSubstr("path through profiles of "), HasSubstr("by cuda profile passes (on a device)"));
    // Shifted, scaled, zero, a few numbers of one pair, swapped.
    EXPECT_THAT(refusal([](auto, MiddleRows& rows) {
                    for (int& number : rows.numbers()) number += 60'000;
                }),
                isRefused);
    EXPECT_THAT(refusal([](auto, MiddleRows& rows) {
                    for (int& number : rows.numbers()) number *= 2;
                }),
                isRefused);
    EXPECT_THAT(refusal([](auto, MiddleRows& rows) { std::ranges::fill(rows.numbers(), 0); }), isRefused);
    EXPECT_THAT(refusal([](std::span<const ProfilePart> parts, MiddleRows& rows) {
                    for (std::size_t k = 0; k < parts.size(); ++k)
                        if (parts[k].pair == 17)
                            std::fill_n(rows.numbers().data() + rows.placeOf(k, MiddleRows::Best), 4, 500);
                }),
                isRefused);
    EXPECT_THAT(refusal([](std::span<const ProfilePart> parts, MiddleRows& rows) {
                    for (std::size_t k = 0; k < parts.size(); ++k)
                        std::swap_ranges(rows.numbers().data() + rows.placeOf(k, MiddleRows::Best),
                                         rows.numbers().data() + rows.placeOf(k, MiddleRows::InRowGap),
                                         rows.numbers().data() + rows.placeOf(k, MiddleRows::InRowGap));
                }),
                isRefused);
}

TEST(ProfilePaths, ScoresAreWhatStepsComeTo) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const PairsOfProfiles all(oddSizes(), seed);
        for (const ProfilePair& pair : all.pairs) {
            const ProfileAlignment found = alignProfiles(*pair.first, *pair.second);
            const StepsSum sum = sumOfSteps(*pair.first, *pair.second, found.steps);
            // Divisions may have cut gaps; without gaps, both are equal.
            EXPECT_LE(std::abs(sum.score - found.score), sum.openings);
        }
    }
}

TEST(ProfilePaths, StepsOfTheLinearSchemeThatAreWrongAreRefused) {
    const Sequences sequences = randomSequences({.count = 14, .length = 60, .shortest = 0.6, .seed = 6});
    const trees::Tree tree = twoLadders(sequences.size(), 0.2);
    std::size_t counted = 0;
    const auto refusal = [&](auto&& onSteps) {
        auto passes = std::make_unique<FaultyPasses>();
        passes->onSteps = onSteps;
        return refusalOf(std::move(passes), counted, [&](ProfilePaths& paths) {
            thesis::alignByThesis(sequences, tree, &paths, silentProgress());
        });
    };
    EXPECT_EQ(refusal([](auto&) {}), "");
    EXPECT_EQ(counted, 13U);
    EXPECT_THAT(refusal([](std::vector<std::vector<Step>>& steps) {
                    // Replaces pairs by two gaps at the end, so that no columns are paired.
                    for (std::vector<Step>& path : steps) {
                        const std::size_t pairs =
                            static_cast<std::size_t>(std::ranges::count(path, Step::Both));
                        std::erase(path, Step::Both);
                        path.insert(path.end(), pairs, Step::First);
                        path.insert(path.end(), pairs, Step::Second);
                    }
                }),
                HasSubstr("path through groups of "));
    EXPECT_THROW(stepsBack(2, 2, [](std::size_t, std::size_t) { return 3; }), ImpossibleResultError);
}

}  // namespace
}  // namespace glycine::align::clustalw
