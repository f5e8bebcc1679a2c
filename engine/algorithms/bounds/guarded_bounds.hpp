#pragma once

#include <cstddef>
#include <limits>

#include "engine/algorithms/bounds/bound_files.hpp"

namespace glycine::bounds {

/// A copy of bounds in the middle of larger matrices whose other elements hold a known value: shows whether
/// somebody writes beside the n × n elements, and makes views that are not contiguous.
template <class T>
class GuardedBounds {
  public:
    explicit GuardedBounds(const BoundMatrices<T>& source)
        : atoms_(source.atoms()), upper_(surround(source.upper)) {
        if (source.hasLower()) lower_ = surround(source.lower);
    }

    BoundMatrices<T> matrices() { return {inner(upper_), lower_.empty() ? MatrixView<T>() : inner(lower_)}; }

    /// Whether everything around the elements is as it was.
    bool isIntact() const { return isIntact(upper_) && (lower_.empty() || isIntact(lower_)); }

  private:
    static constexpr std::size_t kRows = 2;     ///< above and below
    static constexpr std::size_t kColumns = 3;  ///< left and right: the first element of a row is not aligned
    static constexpr T kGuard = std::numeric_limits<T>::lowest();

    Matrix<T> surround(MatrixView<T> source) const {
        Matrix<T> result(atoms_ + 2 * kRows, atoms_ + 2 * kColumns, kGuard);
        const MatrixView<T> target = inner(result);
        for (std::size_t i = 0; i < atoms_; ++i) std::copy_n(source.row(i), atoms_, target.row(i));
        return result;
    }
    MatrixView<T> inner(Matrix<T>& matrix) const {
        return matrix.view().block(kRows, kColumns, atoms_, atoms_);
    }
    bool isIntact(const Matrix<T>& matrix) const {
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
            for (std::size_t j = 0; j < matrix.columns(); ++j) {
                const bool isInside =
                    i >= kRows && i < kRows + atoms_ && j >= kColumns && j < kColumns + atoms_;
                if (!isInside && matrix(i, j) != kGuard) return false;
            }
        }
        return true;
    }

    std::size_t atoms_;
    Matrix<T> upper_;
    Matrix<T> lower_;
};

}  // namespace glycine::bounds
