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

/// A vector that makes progress wherever Eigen's steps of a solver ask for its elements: once per column that
/// is reduced or sweep of rotations, so that a stop request ends them.
class WatchedVector : public Eigen::VectorXd {
  public:
    WatchedVector(Eigen::Index size, Progress& progress, double step)
        : Eigen::VectorXd(size), progress_(progress), step_(step) {}
    double* data() {
        progress_.advance(step_);
        return Eigen::VectorXd::data();
    }
    auto tail(Eigen::Index count) {
        progress_.advance(step_);
        return Eigen::VectorXd::tail(count);
    }

  private:
    Progress& progress_;
    double step_;
};

/// left · right by blocks of rows, between which a stop request ends it. The elements have the same bits as
/// in one product: blocks hold whole groups of rows of Eigen's kernels, and the last block the rest.
template <class Left>
Dense multiply(const Left& left, const Dense& right, Progress& progress) {
    constexpr Eigen::Index kGroup = 48;
    constexpr Eigen::Index kProducts = 200'000'000;  // about a tenth of a second
    const Eigen::Index each = std::max<Eigen::Index>(kGroup * left.cols() * right.cols(), 1);
    const Eigen::Index step = kGroup * std::max<Eigen::Index>(kProducts / each, 1);
    Dense product(left.rows(), right.cols());
    for (Eigen::Index begin = 0; begin < left.rows();) {
        progress.throwIfCancelled();
        const Eigen::Index rest = left.rows() - begin, rows = rest < 2 * step ? rest : step;
        product.middleRows(begin, rows).noalias() = left.middleRows(begin, rows) * right;
        begin += rows;
    }
    return product;
}

/// As Eigen::SelfAdjointEigenSolver, to the bit, but ends at a stop request. `step`: progress of each column
/// and sweep.
template <class Square>
LargestEigenpairs largestOf(const Square& matrix, Eigen::Index count, Progress& progress, double step) {
    const Eigen::Index n = matrix.rows();
    Dense vectors = matrix.template triangularView<Eigen::Lower>();
    double scale = vectors.cwiseAbs().maxCoeff();
    if (scale == 0) scale = 1;
    vectors.triangularView<Eigen::Lower>() /= scale;
    WatchedVector reflections(n - 1, progress, step), subdiagonal(n - 1, progress, step);
    Eigen::internal::tridiagonalization_inplace(vectors, reflections);
    Eigen::VectorXd values = vectors.diagonal();
    static_cast<Eigen::VectorXd&>(subdiagonal) = vectors.diagonal<-1>();
    // The product of the reflections, in their place.
    Eigen::VectorXd space(n);
    vectors.diagonal().setOnes();
    vectors.triangularView<Eigen::StrictlyUpper>().setZero();
    for (Eigen::Index k = n - 2; k >= 0; --k) {
        progress.advance(step);
        const Eigen::Index size = n - k - 1;
        vectors.bottomRightCorner(size, size)
            .applyHouseholderOnTheLeft(vectors.col(k).tail(size - 1), reflections(k), space.data());
        vectors.col(k).tail(size).setZero();
    }
    constexpr int kSweepsPerValue = 30;
    Eigen::internal::computeFromTridiagonal_impl(values, subdiagonal, kSweepsPerValue, true, vectors);
    values *= scale;
    return {values.reverse().head(count), vectors.rowwise().reverse().leftCols(count)};
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
    progress.begin("eigenvectors", static_cast<double>(kMaxRounds * kSteps));
    LargestEigenpairs found;
    for (int round = 0; round < kMaxRounds; ++round) {
        Dense basis(n, 0);
        // Orthogonalises twice, because rounding leaves components after one pass.
        const auto orthogonalise = [&] {
            for (int pass = 0; pass < 2; ++pass)
                block -= multiply(basis, multiply(basis.transpose(), block, progress), progress);
        };
        for (Eigen::Index step = 0; step < kSteps; ++step) {
            orthogonalise();
            block = Eigen::HouseholderQR<Dense>(block).householderQ() * Dense::Identity(n, width);
            orthogonalise();
            basis.conservativeResize(n, basis.cols() + width);
            basis.rightCols(width) = block;
            if (step + 1 < kSteps) block = multiply(matrix, block, progress);
            progress.advance(1);
        }
        const Dense product = multiply(matrix, basis, progress);
        Dense small = multiply(basis.transpose(), product, progress);
        small = ((small + small.transpose()) / 2).eval();
        const LargestEigenpairs pairs = largestOf(small, width, progress, 0);
        const Dense some = pairs.vectors.leftCols(count);
        found = {pairs.values.head(count), multiply(basis, some, progress)};
        const Dense residual = multiply(product, some, progress) - found.vectors * found.values.asDiagonal();
        if (residual.colwise().norm().maxCoeff() <= kResidual * std::abs(found.values(0))) return found;
        block = multiply(basis, pairs.vectors, progress);
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
    if (n <= std::max<Eigen::Index>(kFew, 16 * (count + 4))) {
        // Four for each column that is reduced, one for its reflection, and about two sweeps.
        progress.begin("eigenvectors", 7 * static_cast<double>(n));
        found = largestOf(matrix, count, progress, 1);
    } else {
        found = blockKrylov(matrix, count, progress);
    }
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
