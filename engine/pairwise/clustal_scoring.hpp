#pragma once

#include <cstddef>

#include "engine/sequences/substitution.hpp"

namespace glycine::pairwise {

/// Scores with which ClustalW 2.1 aligns pairs. Proteins: ten times Gonnet's 250 in tenths. Nucleotides: a
/// hundred times IUB (10 and −9), but C beside M and C beside N score 500: a transition weight that reaches
/// other letters than C and T.
const SubstitutionMatrix& clustalMatrix(Alphabet alphabet);

/// Gap penalties for sequences of so many letters. Proteins: opening ⌊2 · 82 · (10 + ln min)⌋, where 82 is
/// the negated mean of what unequal letters score, extension 1. Nucleotides: 3000 and 666.
GapPenalties clustalPenalties(Alphabet alphabet, std::size_t letters, std::size_t others);

}  // namespace glycine::pairwise
