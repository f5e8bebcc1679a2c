#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/alignment/clustal/profile_paths.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/sequences.hpp"
#include "engine/trees/tree.hpp"

/// The progressive stage of Khaladkar's thesis. It applies the scheme for pairs to groups of sequences: 1 for
/// equal letters, −1 for others, −2 for each letter of a gap.
///
/// Source: C. S. Khaladkar, "An Efficient Implementation of Needleman Wunsch Algorithm on Graphical
/// Processing Units", University of Western Australia (2009), 3.1 and 5.2. The thesis does not say how
/// columns of groups are scored; here the score is the sum of pairs.
namespace glycine::align::thesis {

struct ThesisAlignment {
    std::vector<std::vector<std::uint8_t>> rows;  ///< in input order, gaps as kGapCode
    std::vector<std::size_t> order;               ///< sequences in the order of joining
    /// Scores of the group alignments, one per inner node of the tree in postorder.
    std::vector<std::int64_t> scores;
};

/// Bytes needed for the steps of two groups with these numbers of columns, at two bits per cell.
double bytesOfSteps(std::size_t up, std::size_t left);

/// Aligns at least two sequences along a rooted tree of which they are the leaves. Nodes with more than two
/// children are joined from left to right.
///
/// Two columns, one of each group, score the sum over all pairs of rows of different groups: 1 for equal
/// letters, −1 for others, −2 for a letter against a gap, 0 for two gaps. A column of one group against a new
/// gap in the other scores −2 for each of its letters and each row of the other group. The best path goes
/// through the whole matrix and is traced back from its end. Among equally good steps the traceback prefers
/// both columns, then the left group's ("up"), then the right group's ("left").
///
/// Independent groups are joined in parallel on `device`. The processor joins them if `device` is null or
/// cannot take them; both give the same result.
///
/// Throws MemoryError if the steps of two groups, two bits per cell, do not fit in memory.
ThesisAlignment alignByThesis(const Sequences& sequences, const trees::Tree& rooted,
                              clustalw::ProfilePaths* device, Progress& progress);

}  // namespace glycine::align::thesis
