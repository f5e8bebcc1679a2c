#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/tiling.hpp"

/// Layout `Row1x4`: four consecutive columns of a matrix in the RGBA components of one texel
/// (GPU Gems 2, Figure 43-3). A rows × columns matrix becomes a texture of ⌈columns / 4⌉ × rows texels.
namespace glycine::layout {

inline std::size_t row1x4Width(std::size_t columns) {
    return roundUp(columns, 4) / 4;
}

/// Returns the texels of `matrix` row by row; components past the last column are `padding`.
template <class T>
std::vector<T> packRow1x4(MatrixView<const T> matrix, T padding) {
    const std::size_t width = 4 * row1x4Width(matrix.columns());
    std::vector<T> texels(width * matrix.rows(), padding);
    for (std::size_t i = 0; i < matrix.rows(); ++i)
        std::copy_n(matrix.row(i), matrix.columns(), texels.data() + i * width);
    return texels;
}

/// Inverse of packRow1x4: writes `matrix` without the padding.
template <class T>
void unpackRow1x4(const T* texels, MatrixView<T> matrix) {
    const std::size_t width = 4 * row1x4Width(matrix.columns());
    for (std::size_t i = 0; i < matrix.rows(); ++i)
        std::copy_n(texels + i * width, matrix.columns(), matrix.row(i));
}

}  // namespace glycine::layout
