#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "engine/mutualinfo/gap_correction.hpp"
#include "engine/mutualinfo/mutualinfo.hpp"

/// Some pairs of a result, found once more by the reference alone.
namespace glycine::mutualinfo {

/// Seconds that a pair takes about.
double secondsForRecount(std::size_t samples, const SplineOptions& splines);

using pairs::RecountedPair;
/// Hands the pairs over one by one, as long as `take` says that it goes on. `pairs`: their numbers, as
/// pairs::pairNumber counts; `options`: of the run whose values they are. Throws as computeMutualInformation.
void countAgain(Backend& reference, ExpressionView expression, const MutualInformationOptions& options,
                std::span<const std::size_t> pairs, Progress& progress,
                const std::function<bool(const RecountedPair&)>& take);

/// The same, of values that were corrected for gaps.
void countAgain(Backend& reference, ExpressionView expression, const MutualInformationOptions& options,
                const GapCorrection& correction, std::span<const std::size_t> pairs, Progress& progress,
                const std::function<bool(const RecountedPair&)>& take);

/// All pairs among some genes, in their order, by the reference: elements with column < row.
Matrix<double> countAllAmong(ExpressionView expression, std::span<const std::size_t> genes,
                             const SplineOptions& splines, Progress& progress);

}  // namespace glycine::mutualinfo
