#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/command/options.hpp"
#include "engine/core/names.hpp"
#include "engine/pairwise/pairwise.hpp"

/// Scoring of pairs, as users specify it.
namespace glycine::pairwise {

enum class ScoringMethod { Global, Local, ClustalW, Thesis };
constexpr auto namesOf(ScoringMethod) {
    using enum ScoringMethod;
    return namesAre<ScoringMethod>(
        "method", {{Global, "global"}, {Local, "local"}, {ClustalW, "clustalw"}, {Thesis, "thesis"}});
}

struct ScoringRequest {
    std::string matrix{};               ///< a name or a file; empty: the default for the alphabet
    std::optional<int> open, extend{};  ///< absent: the defaults for the matrix
    ScoringMethod method = ScoringMethod::Global;

    /// Whether the method uses a matrix and penalties instead of scores of its own.
    bool takesMatrix() const { return method == ScoringMethod::Global || method == ScoringMethod::Local; }
};

/// Declares --matrix, --gap-open, --gap-extend and --method.
void declareScoringOptions(Options& options, ScoringRequest& request);
/// Throws UsageError for options that the method does not read, and a measure that it does not give.
void checkScoringOptions(const Options& declared, const ScoringRequest& request, PairMeasure measure);

/// Throws UsageError for an unknown matrix, or one without default penalties, and InputError as matrixNamed
/// does.
PairScoring scoringOf(const ScoringRequest& request, Alphabet alphabet);

/// Score of each sequence aligned with itself, letter by letter.
std::vector<double> diagonalOf(const Sequences& sequences, const PairwiseOptions& options);

}  // namespace glycine::pairwise
