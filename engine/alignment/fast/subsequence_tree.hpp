#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/instruction_set.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/sequences.hpp"
#include "engine/trees/tree.hpp"

/// Guide trees from longest common subsequences, without an alignment.
namespace glycine::align {

/// 0 for equal sequences: (letters of both − 2 common) / common², for `common` letters of their longest
/// common subsequence; where there is none, as of one.
///
/// Source: S. Deorowicz, A. Debudaj-Grabysz, A. Gudyś, "FAMSA: Fast and accurate multiple sequence alignment
/// of huge protein families", Scientific Reports 6 (2016), 33964.
float subsequenceDistance(std::size_t letters, std::size_t otherLetters, std::size_t common);

/// Up to so many sequences all are compared with all, and above it with seeds.
inline constexpr std::size_t kMostForAllPairs = 2000;
/// Sequences of a group that are compared with each other where not all are.
inline constexpr std::size_t kMostOfAGroup = 200;

/// A tree with a root and two children a node, whose leaves are the sequences, at least two. Average linkage
/// of the distances of all pairs; of more sequences than `mostForAllPairs`, each is described by its
/// distances from log₂² N seeds, which lie at equal steps among the sequences by length. By these, groups are
/// split in two (2-means) until they have at most `mostOfAGroup` members; inside a group the tree is that of
/// all its pairs, and above the groups that of their centres. N log² N distances; no random numbers.
///
/// Source: G. Blackshields, F. Sievers, W. Shi, A. Wilm, D. G. Higgins, "Sequence embedding for fast
/// construction of guide trees for multiple sequence alignment", Algorithms for Molecular Biology 5
/// (2010), 21. `instructions`: which this processor must have; all find the same.
trees::Tree subsequenceTree(const Sequences& sequences, InstructionSet instructions, Progress& progress,
                            std::size_t mostForAllPairs = kMostForAllPairs,
                            std::size_t mostOfAGroup = kMostOfAGroup);

}  // namespace glycine::align
