#pragma once

#include <span>

#include "engine/mutualinfo/mutualinfo.hpp"

/// Algorithms 1 and 2 of Shi et al. 2011, in double precision.
namespace glycine::mutualinfo::reference {

/// Algorithm 1, WM(X, R, k): samples × bins. The row of a missing sample is zero, as are all of a gene
/// without values; a constant gene's samples lie in the first bin.
Matrix<double> weightingMatrix(std::span<const double> values, const SplineOptions& options);

/// Algorithm 2, Single_MI(X, Y, R, k), in bits, of two weighting matrices over the samples that both have.
/// The marginals are those of the joint probabilities. NaN where there is no such sample.
double mutualInformation(const Matrix<double>& x, const Matrix<double>& y);

/// H(X) in bits of a weighting matrix; 0 where it has no samples.
double entropy(const Matrix<double>& x);

}  // namespace glycine::mutualinfo::reference
