#pragma once

#include <span>

namespace glycine::mutualinfo::reference {

/// Pearson's r of the samples that are NaN in neither of two genes, −1 … 1: 0 where one of them is constant
/// there, NaN where there are none. No value is beyond −1 … 1: positionsOf with one interval brings them to
/// 0 … 1, which changes no correlation. Two passes: the means, then the sums of what deviates from them.
double pairCorrelation(std::span<const double> x, std::span<const double> y);

}  // namespace glycine::mutualinfo::reference
