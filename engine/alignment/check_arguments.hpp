#pragma once

#include "engine/alignment/alignment.hpp"
#include "engine/alignment/compute_alignment.hpp"

/// What the typed calls of alignments throw for their arguments, before any backend is involved.
namespace glycine::align {

/// Throws UsageError for an unknown alphabet, and for names, letters and codes of different numbers;
/// InputError, naming the sequence, for a name that is empty or there twice, and for a sequence without
/// letters, with a letter that the alphabet lacks (gaps are none of its letters), or with codes that are not
/// those of its letters.
void checkSequences(const Sequences& sequences);

/// As computePairwise: UsageError for unknown enumerators, penalties out of range, and a matrix that is for
/// another alphabet, has other codes, is not symmetric or has scores beyond kLargestScore (ClustalW's method
/// reads no matrix); InputError for no sequences, and as checkSequences.
void checkPairwise(const Sequences& sequences, const PairwiseOptions& options);

/// As computeAlignment: UsageError for fewer than two sequences, unknown enumerators, options that the method
/// does not have, a tree and distances at once, and another number of distances than pairs; InputError for
/// distances that are no finite numbers, and as checkSequences and checkGuideTree.
void checkAlignment(const Sequences& sequences, const AlignOptions& options);

/// Throws InputError unless the tree is one (trees::checkTree) whose leaves are so many sequences.
void checkGuideTree(const trees::Tree& tree, std::size_t sequences);

/// Throws UsageError for an unknown alphabet, and for names, rows, order and confidence of different numbers;
/// InputError, naming the row, for no rows, rows of different lengths or with characters that are
/// neither letters of the alphabet nor '-', and names that are empty or there twice.
/// Not aligned: their lengths may differ.
void checkRows(const MultipleAlignment& alignment, bool areAligned = true);

}  // namespace glycine::align
