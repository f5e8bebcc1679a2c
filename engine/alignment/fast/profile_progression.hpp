#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/alignment/fast/column_profile.hpp"
#include "engine/core/progress.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::align {

/// Where residues stand, and in which order sequences were joined.
struct JoinedSequences {
    std::vector<std::vector<std::uint32_t>> columns;  ///< of each residue of each sequence
    std::size_t width = 0;
    std::vector<std::size_t> order;
    std::size_t repeated = 0;  ///< joins in double precision
};

/// Joins groups along a rooted tree whose nodes have two children; subtrees side by side on all threads. What
/// joins came to is kept, one byte a column: the places of residues follow from the root downwards.
/// `weights`: one a sequence, above 0.
JoinedSequences joinAlong(const trees::Tree& tree, const Sequences& sequences,
                          std::span<const double> weights, const ProfileJoiner& joiner, Progress& progress);

}  // namespace glycine::align
