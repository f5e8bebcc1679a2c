#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "engine/core/matrix.hpp"

namespace glycine {

/// A result inside a larger matrix that is filled with one known value. Detects writes outside the result and
/// elements never written, and provides views that are not contiguous.
template <class T>
class GuardedMatrix {
    using Bytes = std::array<unsigned char, sizeof(T)>;

  public:
    /// Without guards it is plain memory: contiguous, and always intact.
    GuardedMatrix(std::size_t rows, std::size_t columns, bool isGuarded = true)
        : rows_(rows),
          columns_(columns),
          above_(isGuarded ? kRows : 0),
          left_(isGuarded ? kColumns : 0),
          whole_(rows + 2 * above_, columns + 2 * left_, kGuard) {}

    /// A value that no result has: a negative number, or a count above three billion.
    static constexpr T kGuard = [] {
        Bytes bytes{};
        bytes.fill(0xC9);
        return std::bit_cast<T>(bytes);
    }();

    MatrixView<T> view() { return whole_.view().block(above_, left_, rows_, columns_); }

    /// Whether everything around the result is unchanged.
    bool isIntact() const {
        for (std::size_t i = 0; i < whole_.rows(); ++i) {
            const T* row = whole_.row(i);
            const bool hasResult = i >= above_ && i < above_ + rows_;
            const T* right = hasResult ? row + left_ + columns_ : row + left_;
            if (!std::all_of(row, row + left_, isGuard) ||
                !std::all_of(right, row + whole_.columns(), isGuard))
                return false;
        }
        return true;
    }

  private:
    static bool isGuard(const T& element) {
        // Compares values if possible: a structure may have padding bytes.
        if constexpr (std::equality_comparable<T>) return element == kGuard;
        return std::bit_cast<Bytes>(element) == std::bit_cast<Bytes>(kGuard);
    }

    static constexpr std::size_t kRows = 2;     ///< above and below
    static constexpr std::size_t kColumns = 3;  ///< left and right: makes the first element of a row
                                                ///< unaligned

    std::size_t rows_;
    std::size_t columns_;
    std::size_t above_;
    std::size_t left_;
    Matrix<T> whole_;
};

}  // namespace glycine
