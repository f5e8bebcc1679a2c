#pragma once

#include <cstddef>

#include "engine/core/matrix.hpp"

namespace glycine::distance {

/// Room for a result in the middle of a larger matrix that holds one known value everywhere: shows whether
/// somebody writes beside the result or leaves a part of it out, and makes views that are not contiguous.
template <class T>
class GuardedMatrix {
  public:
    GuardedMatrix(std::size_t rows, std::size_t columns)
        : rows_(rows), columns_(columns), whole_(rows + 2 * kRows, columns + 2 * kColumns, kGuard) {}

    /// What no count and no sum of differences is.
    static constexpr T kGuard = static_cast<T>(-7);

    MatrixView<T> view() { return whole_.view().block(kRows, kColumns, rows_, columns_); }

    /// Whether everything around the result is as it was.
    bool isIntact() const {
        for (std::size_t i = 0; i < whole_.rows(); ++i) {
            for (std::size_t j = 0; j < whole_.columns(); ++j) {
                const bool isInside =
                    i >= kRows && i < kRows + rows_ && j >= kColumns && j < kColumns + columns_;
                if (!isInside && whole_(i, j) != kGuard) return false;
            }
        }
        return true;
    }

  private:
    static constexpr std::size_t kRows = 2;     ///< above and below
    static constexpr std::size_t kColumns = 3;  ///< left and right: the first element of a row is not aligned

    std::size_t rows_;
    std::size_t columns_;
    Matrix<T> whole_;
};

}  // namespace glycine::distance
