#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/fast/column_profile.hpp"
#include "engine/core/instruction_set.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/sequences.hpp"
#include "engine/trees/tree.hpp"

/// Alignments of many sequences in time and memory that grow with their number.
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

/// Splits the alignment in two by whether a sequence has a residue in some column, and joins both parts again
/// by their profiles, `times` times; columns are chosen at random. A time takes as many steps as there are
/// residues, besides the join.
void refineByProfiles(JoinedSequences& alignment, const Sequences& sequences, std::span<const double> weights,
                      const ProfileJoiner& joiner, std::size_t times, std::uint64_t seed, Progress& progress);

struct FastOptions {
    InstructionSet instructions = InstructionSet::Generic;  ///< which this processor must have
    bool isDouble = false;                   ///< in double precision throughout, as the reference computes
    std::size_t refinements = 0;             ///< times that the alignment is split and joined again
    std::uint64_t seed = 1;                  ///< of the refinement
    std::optional<trees::Tree> guideTree{};  ///< with a root, two children a node; absent: made
};

/// 4 up to 2,000 sequences, above it none.
std::size_t usualRefinements(std::size_t sequences);

struct FastAlignment {
    std::vector<std::vector<std::uint32_t>> columns;  ///< of each residue of each sequence
    std::size_t width = 0;
    std::vector<std::size_t> order;  ///< as sequences were joined
    trees::Tree guideTree;
    StageSeconds stages;       ///< "guide tree", "progressive", "refinement"
    std::string variant;       ///< "profiles, AVX2"; "profiles, double precision"
    std::size_t repeated = 0;  ///< joins whose sums float32 did not hold
};

/// Guide tree from longest common subsequences (subsequence_tree.hpp), sequence weights from the tree, groups
/// joined along it by the posteriors of their profiles' columns (column_profile.hpp). At least two sequences.
/// The same for any number of threads. Throws MemoryError, CancelledError.
FastAlignment alignFast(const Sequences& sequences, const FastOptions& options, Progress& progress);

}  // namespace glycine::align
