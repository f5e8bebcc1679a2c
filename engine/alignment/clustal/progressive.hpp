#pragma once

#include <cstddef>
#include <vector>

#include "engine/alignment/clustal/profile_alignment.hpp"
#include "engine/alignment/clustal/profile_paths.hpp"
#include "engine/core/progress.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::align::clustalw {

/// What ClustalW takes where nothing else is said.
struct ProgressiveOptions {
    double gapOpen = 10;     ///< of proteins; 15 for nucleotides
    double gapExtend = 0.2;  ///< 6.66
    double divergentBelow =
        30;  ///< whole percent; sequences to which no other is more similar wait until the end
};
ProgressiveOptions usualOptions(Alphabet alphabet);

/// What joining two groups has come to.
struct GroupScore {
    std::size_t sequences = 0;  ///< in both groups; 0: one of them has none yet, ClustalW prints "Delayed"
    int score = 0;              ///< of the best path; ClustalW prints it in hundreds
};

struct ProgressiveAlignment {
    Rows rows;                       ///< a sequence each, in the order of the input
    std::vector<std::size_t> order;  ///< sequences as they were joined
    std::vector<GroupScore>
        groups;  ///< an inner node of the tree each, in postorder; then a delayed sequence each
};

/// Of a leaf: 100 times the sum of branches between it and the root, each divided by the leaves that share
/// it, rounded down, then as thousandths of the sum of all of these, at least 1. All equal to 1 where all
/// branches are 0.
std::vector<int> sequenceWeights(const trees::Tree& rooted);

/// Aligns at least two sequences by a rooted tree whose leaves they are; it is resolved first. Its lengths
/// decide weights, matrices and which sequences wait; ClustalW has them with five decimals.
///
/// Groups are joined in postorder. Similarities are 100 (1 − length of the way between two leaves), that
/// length kept within 0.01 and 1. Proteins are scored by Gonnet's matrices: 80 above a mean similarity of 35
/// % of the groups, 120 above 25 % (250 where the shorter group's mean length is less than 100), else 160
/// (350); nucleotides by IUB's. The sequences that have waited are added one by one, that which is most
/// similar to an aligned one first, weights of the others multiplied by their similarity to it; if all have
/// waited, the most similar pair is first.
///
/// `paths` aligns profiles, those of all subtrees that have nothing to do with each other at once; null: the
/// processor does, with as many threads as OpenMP has. Both find the same.
ProgressiveAlignment alignProgressively(const Sequences& sequences, const trees::Tree& rooted,
                                        const ProgressiveOptions& options, ProfilePaths* paths,
                                        Progress& progress);

/// Adds to rows that are aligned already, which keep their columns and get gaps alone. `rows`: all of them in
/// the order of the leaves of `rooted`, gaps as kGapCode; the first `aligned` ≥ 1 have equal lengths. The
/// others are added one by one as sequences that have waited, or, `asGroup`, are of equal lengths as well and
/// joined at once. Weights and similarities come from the tree.
ProgressiveAlignment addToAligned(Alphabet alphabet, Rows rows, std::size_t aligned, bool asGroup,
                                  const trees::Tree& rooted, const ProgressiveOptions& options,
                                  ProfilePaths* paths, Progress& progress);

}  // namespace glycine::align::clustalw
