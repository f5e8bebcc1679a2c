#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/bounds/bounds.hpp"

/// Finds why bounds contradict each other: the input bounds that together exclude every structure.
///
/// A smoothed pair (i, j) is inconsistent when L_ij > U_ij. By the formula of bounds.hpp there are atoms p, q
/// with L_ij = l_pq − U_ip − U_qj, hence l_pq > U_pi + U_ij + U_jq ≥ U_pq: the shortest path from p to q over
/// *input* upper bounds is shorter than the *input* lower bound between its ends. That path and that one
/// lower bound are the whole proof, and one such proof usually stands behind many inconsistent pairs.
namespace glycine::bounds {

/// A lower bound of the input and the chain of upper bounds of the input that it contradicts.
struct Contradiction {
    Violation pair;     ///< the inconsistent pair to explain, with its exact smoothed bounds
    std::size_t p = 0;  ///< the ends of the lower bound; p ≠ q
    std::size_t q = 0;
    std::vector<std::size_t> upperPath;  ///< p … q: the atoms of the shortest path, each once
    std::vector<double> upperInputs;  ///< Å; the input upper bound of each step, upperPath.size() − 1 values
    double lowerInput = 0;            ///< Å; the input lower bound of (p, q)
    double upperSum = 0;              ///< Å; the sum of `upperInputs`, below `lowerInput`
    /// How many of the pairs to explain this contradiction proves inconsistent.
    std::size_t explainedPairs = 1;
};

/// All contradictions behind `violations` (pairs of the smoothed form of the unsmoothed `input`), in the
/// order of the pairs that led to them, without repetition: a pair that an earlier contradiction already
/// proves adds to its `explainedPairs`. O(n² + pairs) time for each contradiction, O(n + pairs) memory. Sums
/// are taken in double precision whatever the format; pairs that are consistent in exact sums (L_ij ≤ U_ij)
/// are left out. Throws InputError for an index that is out of range, i = j, or matrices without lower
/// bounds; CancelledError.
std::vector<Contradiction> explainViolations(const AnyBoundMatrices& input,
                                             std::span<const Violation> violations, Progress& progress);

/// The contradiction as text of a few lines, for people. Atoms are called by `atomNames` (n names), or by
/// their index counted from 1 when that is empty. `source`, where given, says where the input's upper (true)
/// or lower bound of a pair comes from.
using BoundSource = std::function<std::string(std::size_t i, std::size_t j, bool isUpper)>;
std::string describeContradiction(const Contradiction& contradiction,
                                  std::span<const std::string> atomNames = {},
                                  const BoundSource& source = {});

/// "3 of 7 groups of contradicting bounds, which together prove all 12 inconsistent pairs": `pairs` are
/// inconsistent, and the first `shown` of `all` contradictions follow; 0: none or all of them.
std::string describeGroups(std::span<const Contradiction> all, std::size_t pairs, std::size_t shown = 0);

}  // namespace glycine::bounds
