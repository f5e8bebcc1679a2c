#pragma once

#include "engine/alignment/posterior/posterior_alignment.hpp"
#include "engine/alignment/posterior/posteriors.hpp"
#include "engine/core/comparison.hpp"

namespace glycine::align {

/// How far a backend's posteriors may be from the reference's: rounding of float32 sums over rows.
inline constexpr double kPosteriorTolerance = 1e-4;
/// How much less a backend's alignment may have of the accuracy that the reference expects of its own, as a
/// share of it.
inline constexpr double kAccuracyTolerance = 5e-3;

/// Takes in all entries of a pair. What one side has left out counts as just below kSmallestPosterior.
/// `name`: of the pair, for people.
void comparePair(const PosteriorView& expected, const PosteriorView& found, const std::string& name,
                 Comparison& comparison);

/// The sum of posteriors of all pairs of residues that stand in one column.
double accuracyOf(const std::vector<std::vector<std::uint32_t>>& columns, const PosteriorSet& posteriors);

/// The share of the columns of one alignment that the other one has, too: with the same residues of the same
/// sequences.
double sharedColumns(const PosteriorAlignment& one, const PosteriorAlignment& other);

/// Takes in an alignment that reaches the accuracy `reached` by the reference's posteriors, where the
/// reference's own has `best`; also tells how many columns are the same.
void compareAccuracies(double best, double reached, const PosteriorAlignment& expected,
                       const PosteriorAlignment& found, Comparison& comparison);

}  // namespace glycine::align
