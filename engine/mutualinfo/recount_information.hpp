#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "engine/mutualinfo/gap_correction.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"

/// Recomputes some pairs of a result by the reference.
namespace glycine::mutualinfo {

/// Estimated seconds per pair.
double secondsForRecount(std::size_t samples, const SplineOptions& splines);

using pairs::RecountedPair;
/// Hands over the pairs one at a time, as long as `take` returns true. `pairs`: their numbers, as in
/// pairs::pairNumber; `options`: those of the run that computed the values. Throws as
/// computeMutualInformation does.
void recountByReference(Backend& reference, ExpressionView expression,
                        const MutualInformationOptions& options, std::span<const std::size_t> pairs,
                        Progress& progress, const std::function<bool(const RecountedPair&)>& take);

/// The same for values that are corrected for gaps.
void recountByReference(Backend& reference, ExpressionView expression,
                        const MutualInformationOptions& options, const GapCorrection& correction,
                        std::span<const std::size_t> pairs, Progress& progress,
                        const std::function<bool(const RecountedPair&)>& take);

/// All pairs among some genes, in the order of `genes`, by the reference: elements with column < row.
Matrix<double> countAllAmong(ExpressionView expression, std::span<const std::size_t> genes,
                             const SplineOptions& splines, Progress& progress);

}  // namespace glycine::mutualinfo
