#pragma once

#include "engine/alignment/posterior/group_joins.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "tests/test.hpp"

namespace glycine::align {

/// Posteriors that are powers of two, so that many sums are equal and no number is rounded.
inline PosteriorSet roundPosteriors(const PosteriorSet& from) {
    PosteriorSet set(from.sequences());
    for (std::size_t x = 0; x < from.sequences(); ++x)
        for (std::size_t y = 0; y < x; ++y) {
            SparsePosterior pair(from.pair(x, y));
            for (std::size_t row = 0; row < pair.rows(); ++row)
                for (PosteriorEntry& entry : pair.row(row)) entry.value = entry.value > 0.1F ? 0.5F : 0.25F;
            set.setPair(x, y, pair, from.pair(y, x).rows());
        }
    return set;
}

/// Groups of `each` sequences with the columns of their residues. A group is as wide as its longest sequence,
/// or `wider` times as wide with residues in random columns.
struct GroupsOfSequences {
    std::vector<std::vector<std::size_t>> groups;
    std::vector<std::size_t> widths;
    PlacedResidues residues;
    std::vector<double> weights;
    std::vector<GroupJoin> joins;  ///< the first group with the second, the third with the fourth …

    GroupsOfSequences(const Sequences& sequences, std::size_t each, std::uint64_t seed,
                      std::size_t wider = 1) {
        RandomSequence random(seed);
        residues.resize(sequences.size());
        for (std::size_t begin = 0; begin < sequences.size(); begin += each) {
            std::vector<std::size_t> members(std::min(each, sequences.size() - begin));
            std::iota(members.begin(), members.end(), begin);
            std::size_t longest = 0;
            for (const std::size_t x : members) longest = std::max(longest, sequences.codes[x].size());
            const std::size_t width = longest * wider;
            for (const std::size_t x : members) {
                // Draws as many columns as there are residues, in ascending order.
                std::size_t left = sequences.codes[x].size();
                for (std::size_t column = 0; column < width && left > 0; ++column)
                    if (random.below(width - column) < left) {
                        residues[x].push_back(static_cast<std::uint32_t>(column));
                        --left;
                    }
            }
            groups.push_back(std::move(members));
            widths.push_back(width);
        }
        for (std::size_t x = 0; x < sequences.size(); ++x)
            weights.push_back(0.25 + static_cast<double>(x % 5) / 4);
        for (std::size_t k = 0; k + 1 < groups.size(); k += 2)
            joins.push_back({groups[k], groups[k + 1], widths[k], widths[k + 1]});
    }
};

/// The weighted sum of posteriors of the residues that the chain aligns.
inline double sumOf(const GroupsOfSequences& all, const GroupJoin& join, const ColumnChain& chain,
                    const PosteriorSet& posteriors) {
    std::vector<std::uint32_t> partner(join.firstWidth, static_cast<std::uint32_t>(-1));
    for (const auto& [i, j] : chain) partner[i] = j;
    double sum = 0;
    for (const std::size_t x : join.first)
        for (const std::size_t y : join.second)
            for (std::size_t row = 0; row < all.residues[x].size(); ++row)
                for (const PosteriorEntry& entry : posteriors.pair(x, y).row(row))
                    if (partner[all.residues[x][row]] == all.residues[y][entry.column])
                        sum += all.weights[x] * all.weights[y] * static_cast<double>(entry.value);
    return sum;
}

}  // namespace glycine::align
