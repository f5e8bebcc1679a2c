#pragma once

#include <cstddef>
#include <vector>

#include "engine/sequences/alignment.hpp"

namespace glycine::align {

/// An alignment in numbers.
struct AlignmentSummary {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t conserved = 0;  ///< columns with one letter in all rows
    double identical = 0;  ///< of the pairs of letters in a column, over all columns, those that are equal
    double pairs = 0;      ///< of letters in a column
    std::size_t gaps = 0;  ///< '-' in all rows
};
AlignmentSummary summarize(const MultipleAlignment& alignment);

/// How much each column conserves, 0 … 1: (1 − H / log₂ K) · (share of rows with a letter), with H the
/// entropy in bits of the letters that stand for one residue, and K the number of these in the alphabet (20
/// or 4). Columns without such letters: 0.
///
/// Source: T. D. Schneider, R. M. Stephens, "Sequence logos", Nucleic Acids Research 18 (1990), 6097–6100,
/// without their correction for few sequences; the share of gaps is ours.
std::vector<double> conservation(const MultipleAlignment& alignment);

}  // namespace glycine::align
