#pragma once

#include "engine/alignment/clustal/profile_paths.hpp"
#include "engine/alignment/clustal/progressive.hpp"
#include "engine/core/matrix.hpp"
#include "engine/sequences/random_sequences.hpp"
#include "engine/trees/tree.hpp"
#include "tests/test.hpp"

namespace glycine::align::clustalw {

/// A profile of small numbers, so that many paths are equally good. Gaps at its ends are free.
inline Profile randomProfile(std::size_t size, int mostValue, RandomSequence& random) {
    Profile profile;
    profile.size = size;
    profile.values.assign(size * kMaxCodes, 0);
    const auto upTo = [&](int most) {
        return static_cast<int>(random.below(static_cast<std::uint64_t>(most) + 1));
    };
    for (std::size_t column = 0; column < size; ++column)
        for (const std::size_t code : {0U, 1U, 19U, 29U})
            if (upTo(1) == 0) profile.values[column * kMaxCodes + code] = upTo(mostValue);
    profile.open.assign(size + 1, 0);
    profile.extend.assign(size + 1, 0);
    for (std::size_t column = 1; column < size; ++column) {
        profile.open[column] = 1 + upTo(8);
        profile.extend[column] = 1 + upTo(2);
    }
    return profile;
}

/// Pairs of profiles of these sizes.
struct PairsOfProfiles {
    PairsOfProfiles(const std::vector<std::pair<std::size_t, std::size_t>>& sizes, std::uint64_t seed) {
        RandomSequence random(seed);
        profiles.reserve(2 * sizes.size());
        for (const auto& [first, second] : sizes) {
            profiles.push_back(randomProfile(first, 40, random));
            profiles.push_back(randomProfile(second, 10, random));
            pairs.push_back({&profiles[profiles.size() - 2], &profiles.back()});
        }
    }
    std::vector<Profile> profiles;
    std::vector<ProfilePair> pairs;
};

/// Sizes of one or two columns against many, equal sizes, and sizes that cannot be halved evenly.
inline std::vector<std::pair<std::size_t, std::size_t>> oddSizes() {
    return {{1, 1},  {1, 9}, {9, 1},   {2, 1},   {1, 2},   {2, 2},   {2, 40},  {40, 2},  {3, 17},
            {17, 3}, {5, 5}, {16, 16}, {31, 33}, {33, 31}, {64, 63}, {100, 7}, {7, 100}, {90, 90}};
}

/// Expects the scores and steps that the processor alone finds.
inline void expectPathsOfHost(ProfilePaths& paths, const std::vector<ProfilePair>& pairs) {
    const std::vector<ProfileAlignment> found = paths.align(pairs, silentProgress());
    ASSERT_EQ(found.size(), pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const ProfileAlignment expected = alignProfiles(*pairs[k].first, *pairs[k].second);
        EXPECT_EQ(found[k].score, expected.score) << pairs[k].first->size << " x " << pairs[k].second->size;
        EXPECT_EQ(found[k].steps, expected.steps) << pairs[k].first->size << " x " << pairs[k].second->size;
    }
}

/// The linear scheme by the whole matrix.
inline std::vector<Step> plainLinearSteps(const Profile& first, const Profile& second) {
    Matrix<int> best(first.size + 1, second.size + 1, 0);
    const auto score = [&](std::size_t i, std::size_t j) {
        int sum = 0;
        for (std::size_t code = 0; code < kMaxCodes; ++code)
            sum += first.column(i)[code] * second.column(j)[code];
        return sum;
    };
    for (std::size_t i = 1; i <= first.size; ++i) best(i, 0) = best(i - 1, 0) - first.extend[i];
    for (std::size_t j = 1; j <= second.size; ++j) best(0, j) = best(0, j - 1) - second.extend[j];
    for (std::size_t i = 1; i <= first.size; ++i)
        for (std::size_t j = 1; j <= second.size; ++j)
            best(i, j) = std::max({best(i - 1, j - 1) + score(i, j), best(i - 1, j) - first.extend[i],
                                   best(i, j - 1) - second.extend[j]});
    return stepsBack(first.size, second.size, [&](std::size_t i, std::size_t j) {
        if (best(i, j) == best(i - 1, j - 1) + score(i, j)) return Step::Both;
        return best(i, j) == best(i - 1, j) - first.extend[i] ? Step::First : Step::Second;
    });
}

inline void expectLinearPaths(ProfilePaths& paths, const std::vector<ProfilePair>& pairs) {
    const auto found = paths.alignLinearly(pairs, silentProgress());
    ASSERT_EQ(found.size(), pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        ASSERT_TRUE(found[k].has_value());
        EXPECT_EQ(*found[k], plainLinearSteps(*pairs[k].first, *pairs[k].second))
            << pairs[k].first->size << " x " << pairs[k].second->size;
    }
}

/// Small numbers for which both kinds of gaps pay off; the last column of each profile has a cost, too.
inline PairsOfProfiles linearPairs(std::uint64_t seed) {
    PairsOfProfiles all(oddSizes(), seed);
    for (Profile& profile : all.profiles) {
        for (int& value : profile.values) value = value % 5 - 2;
        profile.extend.back() = 2;
    }
    return all;
}

/// Two ladder-shaped subtrees; every fifth leaf has a branch of length `far`.
inline trees::Tree twoLadders(std::size_t leaves, double far) {
    trees::Tree tree;
    tree.leaves = leaves;
    tree.nodes.resize(tree.leaves);
    std::vector<std::size_t> ends;
    for (const std::size_t first : {std::size_t{0}, tree.leaves / 2}) {
        std::size_t below = first;
        for (std::size_t leaf = first + 1; leaf < first + tree.leaves / 2; ++leaf) {
            const std::size_t parent = tree.nodes.size();
            tree.nodes.emplace_back();
            attach(tree, parent, below, 0.05);
            attach(tree, parent, leaf, leaf % 5 == 2 ? far : 0.1);
            below = parent;
        }
        ends.push_back(below);
    }
    tree.root = tree.nodes.size();
    tree.nodes.emplace_back();
    for (const std::size_t end : ends) attach(tree, tree.root, end, 0.05);
    return tree;
}

inline void expectSameAlignment(const ProgressiveAlignment& found, const ProgressiveAlignment& expected) {
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.order, expected.order);
    ASSERT_EQ(found.groups.size(), expected.groups.size());
    for (std::size_t k = 0; k < found.groups.size(); ++k) {
        EXPECT_EQ(found.groups[k].sequences, expected.groups[k].sequences);
        EXPECT_EQ(found.groups[k].score, expected.groups[k].score);
    }
}

/// Expects the host's rows, orders and scores of whole alignments with and without delayed sequences, and of
/// sequences and a group added to an alignment.
inline void expectAlignmentsOfHost(ProfilePaths& paths) {
    for (const Alphabet alphabet : {Alphabet::Protein, Alphabet::Dna})
        for (const double divergence : {0.3, 0.8}) {
            const Sequences sequences = randomSequences({.count = 14,
                                                         .length = 60,
                                                         .alphabet = alphabet,
                                                         .divergence = divergence,
                                                         .shortest = 0.6,
                                                         .seed = 5});
            const trees::Tree tree = twoLadders(sequences.size(), divergence);
            const ProgressiveOptions options = defaultOptions(alphabet);
            const ProgressiveAlignment expected =
                alignProgressively(sequences, tree, options, nullptr, silentProgress());
            expectSameAlignment(alignProgressively(sequences, tree, options, &paths, silentProgress()),
                                expected);
            const bool hasWaited = expected.groups.size() > sequences.size() - 1;
            EXPECT_EQ(hasWaited, divergence > 0.7);
            for (const bool asGroup : {false, true}) {
                Rows rows = expected.rows;
                if (!asGroup)
                    for (std::size_t row = 9; row < rows.size(); ++row) rows[row] = sequences.codes[row];
                expectSameAlignment(
                    addToAligned(alphabet, rows, 9, asGroup, tree, options, &paths, silentProgress()),
                    addToAligned(alphabet, rows, 9, asGroup, tree, options, nullptr, silentProgress()));
            }
        }
}

}  // namespace glycine::align::clustalw
