#pragma once

#include <cstddef>
#include <string>

#include "engine/alignment/compute_alignment.hpp"
#include "engine/alignment/posterior/posterior_alignment.hpp"

/// What chooseMethod goes by.
///
/// Work is counted, never timed, so that the same sequences and options have the same method on every
/// machine, however busy. Its unit is a cell of the posteriors of a pair (both models, forwards and
/// backwards); a second stands for kCellsPerSecond of them, whatever the machine does.
namespace glycine::align {

/// What two cores with AVX2 do, in single precision: of proteins 2·10⁸ cells a second and core were measured,
/// with AVX-512 up to 4·10⁸.
inline constexpr double kCellsPerSecond = 4e8;
/// Bytes of posteriors beyond which a method does not fit, whatever the machine has.
inline constexpr double kMostPosteriorBytes = 8e9;

/// Cells of the posteriors of all pairs: products of their lengths; of nucleotides, which are computed in
/// double precision, twice as many.
double posteriorCells(const Sequences& sequences);

/// Seconds of work of AlignMethod::Accuracy with these options. Besides the posteriors there are, in cells:
/// - 5 for each letter of a pair and each third sequence of a round of consistency;
/// - 2 for each letter of a pair that a refinement splits, of which there are N² / 4.
double accuracySeconds(const Sequences& sequences, const PosteriorAlignmentOptions& options);

/// Seconds of work of AlignMethod::Fast: 3 cells for each cell of a join, of which there are N − 1 (profiles
/// are wider than sequences), and 1/500 for each cell of a common subsequence.
double fastSeconds(const Sequences& sequences);

/// AlignOptions::consistencyRounds and refinements, or what is usual for so many sequences.
PosteriorAlignmentOptions posteriorOptionsOf(std::size_t sequences, const AlignOptions& options);

/// The options with the method, rounds and refinements of the choice.
AlignOptions withChoice(AlignOptions options, const MethodChoice& choice);

}  // namespace glycine::align
