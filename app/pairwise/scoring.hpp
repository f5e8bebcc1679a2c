#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/names.hpp"
#include "engine/pairwise/pairwise.hpp"

/// How pairs are scored, as users ask for it.
namespace glycine::pairwise {

enum class ScoringMethod { Global, Local, ClustalW, Thesis };
constexpr auto namesOf(ScoringMethod) {
    using enum ScoringMethod;
    return namesAre<ScoringMethod>(
        "method", {{Global, "global"}, {Local, "local"}, {ClustalW, "clustalw"}, {Thesis, "thesis"}});
}

struct ScoringRequest {
    std::string matrix{};               ///< a name or a file; empty: the usual one for the alphabet
    std::optional<int> open, extend{};  ///< absent: the usual ones for the matrix
    ScoringMethod method = ScoringMethod::Global;

    /// Whether it takes a matrix and penalties, and has no scores of its own.
    bool takesMatrix() const { return method == ScoringMethod::Global || method == ScoringMethod::Local; }
};

/// Throws UsageError for an unknown matrix, or one that no penalties are usual for, and InputError as
/// matrixNamed.
PairScoring scoringOf(const ScoringRequest& asked, Alphabet alphabet);

/// Of each sequence beside itself, letter by letter.
std::vector<double> diagonalOf(const Sequences& sequences, const PairwiseOptions& options);

}  // namespace glycine::pairwise
