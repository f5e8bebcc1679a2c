#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/core/matrix.hpp"

namespace glycine {

/// target(k, i) = source(i, k), in blocks that stay in a cache in both orders. `target` has as many rows as
/// `source` has columns, and the other way round.
template <class T>
void transpose(MatrixView<const T> source, MatrixView<T> target) {
    constexpr std::size_t kSide = 64;
    for (std::size_t row = 0; row < source.rows(); row += kSide)
        for (std::size_t column = 0; column < source.columns(); column += kSide)
            for (std::size_t i = row; i < std::min(row + kSide, source.rows()); ++i)
                for (std::size_t k = column; k < std::min(column + kSide, source.columns()); ++k)
                    target(k, i) = source(i, k);
}

/// The same into a new matrix.
template <class T>
Matrix<T> transposed(const Matrix<T>& source) {
    Matrix<T> target(source.columns(), source.rows());
    transpose<T>(source.view(), target.view());
    return target;
}

}  // namespace glycine
