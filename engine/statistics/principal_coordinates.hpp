#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"

/// Principal coordinates: points in few dimensions whose distances approximate those of all pairs.
///
/// Source: J. C. Gower, "Some distance properties of latent root and vector methods used in multivariate
/// analysis", Biometrika 53 (1966), 325–338.
namespace glycine::statistics {

struct PrincipalCoordinates {
    Matrix<double> coordinates;       ///< instances × dimensions
    std::vector<double> eigenvalues;  ///< descending; only positive ones yield coordinates
    std::vector<double> shares;       ///< share of each dimension in the sum of all eigenvalues
};

/// Principal coordinates of squared distances: eigenvectors of the doubly centred matrix times −1/2, scaled
/// to the square root of their eigenvalues. Shares refer to the trace, the sum of all eigenvalues; for
/// Euclidean distances they are shares of the variance. Throws UsageError for more dimensions than instances
/// minus one, and for values that are not finite.
PrincipalCoordinates coordinatesOfDistances(Matrix<double> squares, std::size_t dimensions,
                                            Progress& progress);

/// The largest eigenvalues of a symmetric matrix and their unit eigenvectors, such as principal components of
/// relationships (PLINK's --pca). Throws as above.
PrincipalCoordinates componentsOf(const Matrix<double>& symmetric, std::size_t dimensions,
                                  Progress& progress);

}  // namespace glycine::statistics
