#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "engine/algorithms/align/posterior/group_joins.hpp"
#include "engine/core/random.hpp"

namespace glycine::align {

/// Sequences in groups of some, and where their residues stand: each group as wide as its longest sequence,
/// or `wider` times as wide, with residues at random columns.
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
                // As many columns as there are residues, drawn one after another.
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

}  // namespace glycine::align
