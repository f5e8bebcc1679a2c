#pragma once

#include <span>
#include <vector>

#include "engine/mutualinfo/mutualinfo.hpp"

namespace glycine::mutualinfo::reference {

/// Pearson's r of the samples that are NaN in neither of two genes, −1 … 1: 0 where one of them is constant
/// there, NaN where there are none. Values may have any magnitude: positions between the least and the most
/// of those samples are what the means, and then the sums of what deviates from them, are taken of.
double pairCorrelation(std::span<const double> x, std::span<const double> y);

/// What is correlated of a gene: its values, or their ranks.
std::vector<double> correlatedValues(std::span<const double> values, Transform transform);

}  // namespace glycine::mutualinfo::reference
