#pragma once

#include <cstddef>
#include <vector>

#include "engine/alignment/clustal/profile_alignment.hpp"
#include "engine/alignment/clustal/profile_paths.hpp"
#include "engine/core/progress.hpp"
#include "engine/trees/tree.hpp"

namespace glycine::align::clustalw {

/// ClustalW's defaults.
struct ProgressiveOptions {
    double gapOpen = 10;     ///< for proteins; 15 for nucleotides
    double gapExtend = 0.2;  ///< for proteins; 6.66 for nucleotides
    double divergentBelow =
        30;  ///< whole percent; sequences to which no other is more similar wait until the end
};
ProgressiveOptions defaultOptions(Alphabet alphabet);

/// The result of joining two groups.
struct GroupScore {
    std::size_t sequences = 0;  ///< in both groups; 0: one of them is still empty, ClustalW prints "Delayed"
    int score = 0;              ///< of the best path; ClustalW prints it in hundreds
};

struct ProgressiveAlignment {
    Rows rows;                       ///< one per sequence, in input order
    std::vector<std::size_t> order;  ///< sequences in the order of joining
    std::vector<GroupScore>
        groups;  ///< an inner node of the tree each, in postorder; then a delayed sequence each
};

/// The weight of each leaf: 100 times the sum of branches between the leaf and the root, each divided by the
/// number of leaves that share it, rounded down. Then scaled to thousandths of the sum of all weights, at
/// least 1. All weights are 1 if all branches are 0.
std::vector<int> sequenceWeights(const trees::Tree& rooted);

/// Aligns at least two sequences along a rooted tree of which they are the leaves; multifurcations are
/// resolved first. Branch lengths decide weights, matrices and which sequences are delayed; ClustalW rounds
/// them to five decimals.
///
/// Groups are joined in postorder. The similarity of two leaves is 100 (1 − path length), with the path
/// length clamped to 0.01 … 1. Proteins use Gonnet matrices: PAM 80 if the groups' mean similarity is above
/// 35 %, PAM 120 above 25 %, else PAM 160. If the shorter group's mean length is below 100, PAM 250 and 350
/// replace PAM 120 and 160. Nucleotides use the IUB matrix. Delayed sequences are then added one by one,
/// beginning with the one most similar to an aligned sequence; the weights of the others are multiplied by
/// their similarity to it. If all sequences are delayed, the most similar pair comes first.
///
/// `paths` aligns profiles, those of independent subtrees at once. If it is null, the processor does, with
/// all OpenMP threads. Both give the same result.
ProgressiveAlignment alignProgressively(const Sequences& sequences, const trees::Tree& rooted,
                                        const ProgressiveOptions& options, ProfilePaths* paths,
                                        Progress& progress);

/// Adds sequences to rows that are already aligned, which keep their columns and only receive gaps. `rows`
/// holds all rows in the order of the leaves of `rooted`, with gaps as kGapCode; the first `aligned` ≥ 1 have
/// equal lengths. The others are added one by one as delayed sequences. With `asGroup`, they have equal
/// lengths as well and are joined at once. Weights and similarities come from the tree.
ProgressiveAlignment addToAligned(Alphabet alphabet, Rows rows, std::size_t aligned, bool asGroup,
                                  const trees::Tree& rooted, const ProgressiveOptions& options,
                                  ProfilePaths* paths, Progress& progress);

}  // namespace glycine::align::clustalw
