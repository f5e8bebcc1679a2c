#pragma once

#include <span>
#include <vector>

#include "engine/mutualinfo/mutualinfo.hpp"

namespace glycine::mutualinfo::reference {

/// Pearson's r, −1 … 1, over the samples that are NaN in neither of two genes: 0 if one of them is constant
/// there, NaN if there are none. Values may have any magnitude: means, and then sums of deviations, are
/// computed from positions between the least and the greatest of those samples.
double pairCorrelation(std::span<const double> x, std::span<const double> y);

/// The values of a gene that are correlated: its values or their ranks.
std::vector<double> correlatedValues(std::span<const double> values, Transform transform);

}  // namespace glycine::mutualinfo::reference
