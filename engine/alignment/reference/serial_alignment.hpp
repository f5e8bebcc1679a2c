#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/alignment/posterior/pair_model.hpp"
#include "engine/alignment/posterior/posterior_engine.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/matrix.hpp"
#include "engine/sequences/sequences.hpp"

namespace glycine::align::reference {

/// The share of all alignments of two sequences, weighted by the model, in which residue i of the first is
/// paired with residue j of the second. Computed by forward and backward sums (R. Durbin, S. R. Eddy, A.
/// Krogh, G. Mitchison, "Biological sequence analysis", Cambridge 1998, chapter 4) in double precision, rows
/// scaled by powers of two. Both sequences have at least one residue, as codes that the model knows.
Matrix<double> pairPosteriors(const PairModel& model, std::span<const std::uint8_t> first,
                              std::span<const std::uint8_t> second);

/// The root mean square of both models' posteriors, where it is at least kSmallestPosterior.
SparsePosterior mergedPosterior(const PairModel& one, const PairModel& other,
                                std::span<const std::uint8_t> first, std::span<const std::uint8_t> second);
/// The same for two of the sequences, by the models of their alphabet.
SparsePosterior mergedPosterior(const Sequences& sequences, std::size_t first, std::size_t second);

/// One round of consistency (PosteriorRun::applyConsistency) for a pair of different sequences.
SparsePosterior consistentPosterior(const PosteriorSet& posteriors, const ConsistencyRound& round,
                                    std::size_t first, std::size_t second);

// ---- common subsequences

/// The length of the longest common subsequence of two sequences (fast/subsequence_tree.hpp), by the dynamic
/// program over all their prefixes.
///
/// Source: R. A. Wagner, M. J. Fischer, "The string-to-string correction problem", Journal of the ACM 21
/// (1974), 168–173.
std::size_t commonSubsequence(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second);

}  // namespace glycine::align::reference
