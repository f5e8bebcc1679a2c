#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "engine/sequences/sequences.hpp"

/// Published parameters of pair models; where they are from: pair_model.hpp. Residues stand in the order of
/// their codes.
namespace glycine::align {

/// Transitions of a pair hidden Markov model, one a kind of gaps: from a pair to a gap in one sequence, and
/// from a gap to itself; a path begins and ends with a pair or a gap.
struct TransitionTable {
    double firstMatch;
    std::span<const double> firstGap, open, extend;
};
struct EmissionTable {
    std::span<const double> single;  ///< probability of each residue
    std::span<const double> pairs;   ///< of (0,0), (1,0), (1,1), (2,0), …
    TransitionTable transitions;

    double pair(std::size_t a, std::size_t b) const {
        const std::size_t high = std::max(a, b);
        return pairs[high * (high + 1) / 2 + std::min(a, b)];
    }
};
const EmissionTable& emissionTable(Alphabet alphabet);

/// Scores, gap penalties (below 0) and the temperature, in one unit.
struct BoltzmannTable {
    std::span<const double> scores;  ///< of (0,0), (1,0), (1,1), (2,0), …
    double gapOpen, gapExtend, temperature;

    double score(std::size_t a, std::size_t b) const {
        const std::size_t high = std::max(a, b);
        return scores[high * (high + 1) / 2 + std::min(a, b)];
    }
};
const BoltzmannTable& boltzmannTable(Alphabet alphabet);

}  // namespace glycine::align
