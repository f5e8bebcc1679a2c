#pragma once

#include <span>

#include "engine/mutualinfo/mutualinfo.hpp"

/// Algorithms 1 and 2 of Shi et al. 2011, in double precision.
namespace glycine::mutualinfo::reference {

/// Algorithm 1, WM(X, R, k): samples × bins. The row of a missing sample is zero, so all rows of a gene
/// without values are. All samples of a constant gene are in the first bin.
Matrix<double> weightingMatrix(std::span<const double> values, const SplineOptions& options);

/// Algorithm 2, Single_MI(X, Y, R, k), in bits, from two weighting matrices, over the samples that both have.
/// The marginals are those of the joint probabilities. NaN without common samples.
double mutualInformation(const Matrix<double>& x, const Matrix<double>& y);

/// H(X) in bits from a weighting matrix; 0 without samples.
double entropy(const Matrix<double>& x);

}  // namespace glycine::mutualinfo::reference
