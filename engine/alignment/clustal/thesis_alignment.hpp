#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/alignment/clustal/profile_paths.hpp"
#include "engine/core/progress.hpp"
#include "engine/sequences/sequences.hpp"
#include "engine/trees/tree.hpp"

/// The progressive stage of Khaladkar's thesis: the scheme of its pairs, 1 for equal letters, −1 for others,
/// −2 for each letter of a gap, for groups of sequences.
///
/// Source: C. S. Khaladkar, "An Efficient Implementation of Needleman Wunsch Algorithm on Graphical
/// Processing Units", University of Western Australia (2009), 3.1 and 5.2. How a column of a group scores,
/// the thesis does not say; here it is the sum of pairs.
namespace glycine::align::thesis {

struct ThesisAlignment {
    std::vector<std::vector<std::uint8_t>> rows;  ///< in the order of the input, gaps as kGapCode
    std::vector<std::size_t> order;               ///< sequences as they were joined
    /// Of the alignments of groups, an inner node of the tree each, in postorder.
    std::vector<std::int64_t> scores;
};

/// Bytes of the steps of two groups of so many columns: two bits a cell.
double bytesOfSteps(std::size_t up, std::size_t left);

/// Aligns at least two sequences by a rooted tree whose leaves they are; where a node has more than two
/// children, they are joined from left to right.
///
/// Two columns, one of each group, score the sum over all pairs of rows of different groups: equal letters 1,
/// others −1, a letter beside a gap −2, two gaps 0; a column of one group beside a new gap in the other −2
/// for each of its letters and each row of the other. The best path through the whole matrix is taken,
/// followed back from its end: of equally good steps both columns, then the left group's ("up"), then the
/// right group's ("left").
///
/// Groups that have nothing to do with each other are joined side by side, on `device`, or where it is null
/// or does not take them on the processor; both find the same.
///
/// Throws MemoryError where the steps of two groups, two bits a cell, do not fit.
ThesisAlignment alignByThesis(const Sequences& sequences, const trees::Tree& rooted,
                              clustalw::ProfilePaths* device, Progress& progress);

}  // namespace glycine::align::thesis
