#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/pairwise/pairwise.hpp"

/// How pairs are scored, as users ask for it.
namespace glycine::pairwise {

struct ScoringRequest {
    std::string matrix{};               ///< a name or a file; empty: the usual one for the alphabet
    std::optional<int> open, extend{};  ///< absent: the usual ones for the matrix
    bool isLocal = false, isThesis = false, isClustal = false;
};

/// Throws UsageError for what excludes each other.
void checkScoring(const ScoringRequest& asked);

/// Throws UsageError for an unknown matrix, or one that no penalties are usual for, and InputError as
/// matrixNamed.
PairScoring scoringOf(const ScoringRequest& asked, Alphabet alphabet);

/// Of each sequence beside itself, letter by letter.
std::vector<double> diagonalOf(const Sequences& sequences, const PairwiseOptions& options);

}  // namespace glycine::pairwise
