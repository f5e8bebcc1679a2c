#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"

/// Principal coordinates: points in few dimensions whose distances come near to those of all pairs.
///
/// Source: J. C. Gower, "Some distance properties of latent root and vector methods used in multivariate
/// analysis", Biometrika 53 (1966), 325–338.
namespace glycine::statistics {

struct PrincipalCoordinates {
    Matrix<double> coordinates;       ///< instances × dimensions
    std::vector<double> eigenvalues;  ///< descending; only positive ones have coordinates
    std::vector<double> shares;       ///< of each dimension in the sum of all eigenvalues
};

/// Of squared distances: the eigenvectors of the doubly centred matrix times −1/2, each as long as the root
/// of its eigenvalue. Their shares are those of the trace, the sum of all eigenvalues: of Euclidean distances
/// what they explain of the variance. Throws UsageError for
/// more dimensions than instances less one, and for values that are no finite numbers.
PrincipalCoordinates coordinatesOfDistances(Matrix<double> squares, std::size_t dimensions,
                                            Progress& progress);

/// The largest eigenvalues of a symmetric matrix with their eigenvectors, of length 1, as principal
/// components of relationships (PLINK's --pca). Throws as above.
PrincipalCoordinates componentsOf(const Matrix<double>& symmetric, std::size_t dimensions,
                                  Progress& progress);

}  // namespace glycine::statistics
