#pragma once

#include <vector>

#include "engine/core/progress.hpp"
#include "engine/sequences/sequences.hpp"

namespace glycine::align::clustalw {

/// The defaults of ClustalW's quick pairs (`--quicktree`).
struct QuickRules {
    int tuple = 1;       ///< letters matched together; 2 for nucleotides
    int diagonals = 5;   ///< best diagonals, by matches; 4
    int window = 5;      ///< diagonals on either side of these; 4
    int gapPenalty = 3;  ///< for each change of diagonal; 5
};
QuickRules quickRules(Alphabet alphabet);

/// Distances of all pairs, (1,0), (2,0), (2,1), …, equal to the bit to those of ClustalW 2.1 with
/// `--quicktree`: 1 − score / letters of the shorter sequence. The score counts the letters in the best chain
/// of equal k-tuples near the diagonals with most matches, less the penalties (W. J. Wilbur & D. J. Lipman,
/// PNAS 80, 1983). As in ClustalW, tuples after the first 4 N are ignored, where N is the number of letters
/// of the longest sequence.
std::vector<double> quickDistances(const Sequences& sequences, const QuickRules& rules, Progress& progress);

}  // namespace glycine::align::clustalw
