#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "engine/core/matrix.hpp"

namespace glycine {

/// Room for a result in the middle of a larger matrix that holds one known value everywhere: shows whether
/// somebody writes beside the result or leaves a part of it out, and makes views that are not contiguous.
template <class T>
class GuardedMatrix {
    using Bytes = std::array<unsigned char, sizeof(T)>;

  public:
    /// Without guards it is plain memory: contiguous, and intact whatever happens.
    GuardedMatrix(std::size_t rows, std::size_t columns, bool isGuarded = true)
        : rows_(rows),
          columns_(columns),
          above_(isGuarded ? kRows : 0),
          left_(isGuarded ? kColumns : 0),
          whole_(rows + 2 * above_, columns + 2 * left_, kGuard) {}

    /// What no result is: a negative number, a count beyond three thousand millions.
    static constexpr T kGuard = [] {
        Bytes bytes{};
        bytes.fill(0xC9);
        return std::bit_cast<T>(bytes);
    }();

    MatrixView<T> view() { return whole_.view().block(above_, left_, rows_, columns_); }

    /// Whether everything around the result is as it was.
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
        // Values before bytes: between the members of a structure there may be bytes that mean nothing.
        if constexpr (std::equality_comparable<T>) return element == kGuard;
        return std::bit_cast<Bytes>(element) == std::bit_cast<Bytes>(kGuard);
    }

    static constexpr std::size_t kRows = 2;     ///< above and below
    static constexpr std::size_t kColumns = 3;  ///< left and right: the first element of a row is not aligned

    std::size_t rows_;
    std::size_t columns_;
    std::size_t above_;
    std::size_t left_;
    Matrix<T> whole_;
};

}  // namespace glycine
