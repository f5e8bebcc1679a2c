#pragma once

#include <vector>

#include "engine/core/progress.hpp"
#include "engine/sequences/sequences.hpp"

namespace glycine::align::clustalw {

/// What ClustalW's quick pairs (`--quicktree`) take where nothing else is said.
struct QuickRules {
    int tuple = 1;       ///< letters that are matched together; 2 of nucleotides
    int diagonals = 5;   ///< those with most matches; 4
    int window = 5;      ///< diagonals on both sides of these; 4
    int gapPenalty = 3;  ///< for each change of the diagonal; 5
};
QuickRules quickRules(Alphabet alphabet);

/// Distances of all pairs, (1,0), (2,0), (2,1), …, as ClustalW 2.1 finds them with `--quicktree`: 1 − score /
/// letters of the shorter one, to the bit. The score counts the letters in the best chain of equal k-tuples
/// near the diagonals that have most of them (W. J. Wilbur & D. J. Lipman, PNAS 80, 1983), less the
/// penalties. As there, what comes after 4 N of them is left out, N being the letters of the longest
/// sequence.
std::vector<double> quickDistances(const Sequences& sequences, const QuickRules& rules, Progress& progress);

}  // namespace glycine::align::clustalw
