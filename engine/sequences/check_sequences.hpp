#pragma once

#include "engine/sequences/alignment.hpp"
#include "engine/sequences/sequences.hpp"

/// What the typed calls about sequences throw for them, before any backend is involved.
namespace glycine {

/// Throws UsageError for an unknown alphabet, and for names, letters and codes of different numbers;
/// InputError, naming the sequence, for a name that is empty or there twice, and for a sequence without
/// letters, with a letter that the alphabet lacks (gaps are none of its letters), or with codes that are not
/// those of its letters.
void checkSequences(const Sequences& sequences);

/// Throws InputError unless the tree is one (trees::checkTree) whose leaves are so many sequences.
void checkGuideTree(const trees::Tree& tree, std::size_t sequences);

/// Throws UsageError for an unknown alphabet, and for names, rows, order and confidence of different numbers;
/// InputError, naming the row, for no rows, rows of different lengths or with characters that are
/// neither letters of the alphabet nor '-', and names that are empty or there twice.
/// Not aligned: their lengths may differ.
void checkRows(const MultipleAlignment& alignment, bool areAligned = true);

}  // namespace glycine
