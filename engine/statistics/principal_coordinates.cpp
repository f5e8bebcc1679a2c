#include "engine/statistics/principal_coordinates.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "engine/core/error.hpp"
#include "engine/core/random.hpp"

namespace glycine::statistics {

namespace {

using Dense = Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Symmetric = Eigen::Map<const RowMajor>;

struct LargestEigenpairs {
    Eigen::VectorXd values;  ///< descending
    Dense vectors;
};

LargestEigenpairs largestOf(const Eigen::SelfAdjointEigenSolver<Dense>& solved, Eigen::Index count) {
    return {solved.eigenvalues().reverse().head(count),
            solved.eigenvectors().rowwise().reverse().leftCols(count)};
}

/// The largest eigenvalues are found in the space spanned by products of the matrix with a block of vectors.
/// The block restarts from the approximations until the residuals are small.
///
/// Source: G. H. Golub, R. Underwood, "The block Lanczos method for computing eigenvalues", Mathematical
/// Software III (1977), 361–377, with full orthogonalisation.
LargestEigenpairs blockKrylov(const Symmetric& matrix, Eigen::Index count, Progress& progress) {
    constexpr Eigen::Index kSteps = 8;
    constexpr int kMaxRounds = 60;
    constexpr double kResidual = 1e-10;
    const Eigen::Index n = matrix.rows(), width = count + 4;
    RandomSequence random(1);
    Dense block(n, width);
    for (Eigen::Index k = 0; k < block.size(); ++k) block.data()[k] = random.uniform() - 0.5;
    progress.begin("eigenvectors", kMaxRounds);
    LargestEigenpairs found;
    for (int round = 0; round < kMaxRounds; ++round) {
        progress.throwIfCancelled();
        Dense basis(n, 0);
        for (Eigen::Index step = 0; step < kSteps; ++step) {
            // Orthogonalises twice, because rounding leaves components after one pass.
            for (int pass = 0; pass < 2; ++pass) block -= basis * (basis.transpose() * block).eval();
            block = Eigen::HouseholderQR<Dense>(block).householderQ() * Dense::Identity(n, width);
            for (int pass = 0; pass < 2; ++pass) block -= basis * (basis.transpose() * block).eval();
            basis.conservativeResize(n, basis.cols() + width);
            basis.rightCols(width) = block;
            if (step + 1 < kSteps) block = matrix * block;
        }
        const Dense product = matrix * basis;
        const Dense small = basis.transpose() * product;
        const LargestEigenpairs pairs =
            largestOf(Eigen::SelfAdjointEigenSolver<Dense>((small + small.transpose()) / 2), width);
        found = {pairs.values.head(count), basis * pairs.vectors.leftCols(count)};
        const Dense residual =
            product * pairs.vectors.leftCols(count) - found.vectors * found.values.asDiagonal();
        if (residual.colwise().norm().maxCoeff() <= kResidual * std::abs(found.values(0))) return found;
        block = basis * pairs.vectors;
        progress.advance(1);
    }
    return found;
}

PrincipalCoordinates largestEigenpairs(const Matrix<double>& values, std::size_t dimensions,
                                       Progress& progress) {
    const auto n = static_cast<Eigen::Index>(values.rows());
    const auto count = static_cast<Eigen::Index>(dimensions);
    if (dimensions == 0 || count >= n)
        throw UsageError(
            fmt::format("{} coordinates of {} instances; expected 1 to {}", dimensions, n, n - 1));
    const Symmetric matrix(values.data(), n, n);
    constexpr Eigen::Index kFew = 600;
    LargestEigenpairs found;
    if (n <= std::max<Eigen::Index>(kFew, 16 * (count + 4)))
        found = largestOf(Eigen::SelfAdjointEigenSolver<Dense>(matrix), count);
    else
        found = blockKrylov(matrix, count, progress);
    PrincipalCoordinates result{Matrix<double>(values.rows(), dimensions), {}, {}};
    const double trace = matrix.trace();
    for (Eigen::Index k = 0; k < count; ++k) {
        // The sign is arbitrary: the largest component is made positive.
        Eigen::Index largest = 0;
        found.vectors.col(k).cwiseAbs().maxCoeff(&largest);
        const double sign = found.vectors(largest, k) < 0 ? -1 : 1;
        result.eigenvalues.push_back(found.values(k));
        // Equal instances have no variance to share.
        result.shares.push_back(trace > 0 ? found.values(k) / trace : 0);
        for (Eigen::Index i = 0; i < n; ++i)
            result.coordinates(static_cast<std::size_t>(i), static_cast<std::size_t>(k)) =
                sign * found.vectors(i, k);
    }
    return result;
}

void requireFinite(const Matrix<double>& values) {
    for (std::size_t i = 0; i < values.rows(); ++i)
        for (std::size_t j = 0; j < values.columns(); ++j)
            if (!std::isfinite(values(i, j)))
                throw UsageError(fmt::format("instances {} and {}: the value is {}; expected a finite number",
                                             i + 1, j + 1, values(i, j)));
}

}  // namespace

PrincipalCoordinates coordinatesOfDistances(Matrix<double> squares, std::size_t dimensions,
                                            Progress& progress) {
    requireFinite(squares);
    const std::size_t n = squares.rows();
    std::vector<double> means(n, 0);
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) means[i] += squares(i, j);
        means[i] /= static_cast<double>(n);
        mean += means[i] / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) squares(i, j) = -(squares(i, j) - means[i] - means[j] + mean) / 2;
    PrincipalCoordinates result = largestEigenpairs(squares, dimensions, progress);
    for (std::size_t k = 0; k < dimensions; ++k) {
        const double length = std::sqrt(std::max(0.0, result.eigenvalues[k]));
        for (std::size_t i = 0; i < n; ++i) result.coordinates(i, k) *= length;
    }
    return result;
}

PrincipalCoordinates componentsOf(const Matrix<double>& symmetric, std::size_t dimensions,
                                  Progress& progress) {
    requireFinite(symmetric);
    return largestEigenpairs(symmetric, dimensions, progress);
}

}  // namespace glycine::statistics
