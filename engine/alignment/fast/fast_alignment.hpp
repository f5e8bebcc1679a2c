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

/// Alignments of many sequences, in time and memory that grow linearly with their number.
namespace glycine::align {

/// The column of each residue, and the order in which the sequences were joined.
struct JoinedSequences {
    std::vector<std::vector<std::uint32_t>> columns;  ///< [sequence][residue]
    std::size_t width = 0;
    std::vector<std::size_t> order;
    std::size_t repeated = 0;  ///< joins in double precision
};

/// Joins groups along a rooted binary tree, independent subtrees in parallel on all threads. The steps of
/// each join are kept, one byte per column; the columns of residues follow from the root downwards.
/// `weights`: one per sequence, above 0.
JoinedSequences joinAlong(const trees::Tree& tree, const Sequences& sequences,
                          std::span<const double> weights, const ProfileJoiner& joiner, Progress& progress);

/// Refines the alignment `times` times. Each time picks a column at random, splits the alignment into the
/// sequences with and without a residue there, and joins the two parts again by their profiles. Besides the
/// join, this takes as many steps as there are residues.
void refineByProfiles(JoinedSequences& alignment, const Sequences& sequences, std::span<const double> weights,
                      const ProfileJoiner& joiner, std::size_t times, std::uint64_t seed, Progress& progress);

struct FastOptions {
    InstructionSet instructions = InstructionSet::Generic;  ///< must be available on this processor
    bool isDouble = false;                   ///< double precision throughout, as on the reference backend
    std::size_t refinements = 0;             ///< how often to split and join again
    std::uint64_t seed = 1;                  ///< for the refinement
    std::optional<trees::Tree> guideTree{};  ///< rooted and binary; absent: computed
};

/// 12 for up to 2,000 sequences, else 0.
std::size_t defaultRefinements(std::size_t sequences);

struct FastAlignment {
    std::vector<std::vector<std::uint32_t>> columns;  ///< [sequence][residue]
    std::size_t width = 0;
    std::vector<std::size_t> order;  ///< sequences in the order of joining
    trees::Tree guideTree;
    StageSeconds stages;       ///< "guide tree", "progressive", "refinement"
    std::string variant;       ///< "profiles, AVX2"; "profiles, double precision"
    std::size_t repeated = 0;  ///< joins whose sums exceed the range of float32
};

/// Aligns at least two sequences. The guide tree comes from longest common subsequences
/// (subsequence_tree.hpp), and sequence weights come from the tree. Groups are joined along the tree by the
/// posteriors of their profiles' columns (column_profile.hpp). The result is the same for any number of
/// threads. Throws MemoryError, CancelledError.
FastAlignment alignFast(const Sequences& sequences, const FastOptions& options, Progress& progress);

}  // namespace glycine::align
