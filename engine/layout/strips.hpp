#pragma once

#include <cstddef>

#include "engine/core/matrix.hpp"
#include "engine/core/tiling.hpp"

/// Layout `Strips`: fragments compute several rows of a matrix through multiple render targets.
///
/// The rows form strips of `rowsPerStrip`. Row r of every strip lies in layer r of an array texture, so that
/// one fragment writes the same position of all layers: rowsPerStrip rows by four columns. A strip occupies
/// four texel rows: rasterizers in software and hardware shade in blocks of 2 × 2 or 4 × 4, so strips of one
/// texel row would leave most of each block idle. Element (i, j) lies in
///
///     layer  i mod rowsPerStrip
///     y      4·(i div rowsPerStrip) + (j div 4) mod 4
///     x      j div 16
///     component  j mod 4
///
/// Rows and columns are padded to multiples of `kStripBlock`.
namespace glycine::layout {

/// Padded matrices have a multiple of this many rows and columns: the block of k of one pass.
inline constexpr std::size_t kStripBlock = 64;
inline constexpr std::size_t kTexelRowsPerStrip = 4;
/// Below this many elements, one thread moves a layer: waking others takes longer.
inline constexpr std::size_t kElementsWorthThreads = std::size_t{1} << 18;

/// Size of a matrix in this layout.
struct StripShape {
    std::size_t rows = 0;  ///< without padding
    std::size_t columns = 0;
    std::size_t rowsPerStrip = 8;  ///< 8 or 4: the layers of the texture
    std::size_t paddedRows() const { return roundUp(rows, kStripBlock); }
    std::size_t paddedColumns() const { return roundUp(columns, kStripBlock); }
    std::size_t strips() const { return paddedRows() / rowsPerStrip; }
    std::size_t width() const { return paddedColumns() / 16; }            ///< texels
    std::size_t height() const { return kTexelRowsPerStrip * strips(); }  ///< texels
    std::size_t layerElements() const { return width() * height() * 4; }
    bool operator==(const StripShape&) const = default;
};

/// Copies layer `layer` (layerElements() numbers) to its elements of `matrix`, without the padding.
template <class T>
void unpackStripLayer(const T* texels, const StripShape& shape, std::size_t layer, MatrixView<T> matrix) {
    const std::size_t rowElements = shape.width() * 4;
#pragma omp parallel for schedule(static) if (shape.layerElements() >= kElementsWorthThreads)
    for (std::size_t strip = 0; strip < shape.strips(); ++strip) {
        const T* const stripTexels = texels + strip * kTexelRowsPerStrip * rowElements;
        const std::size_t i = strip * shape.rowsPerStrip + layer;
        if (i >= shape.rows) continue;
        T* const row = matrix.row(i);
        for (std::size_t j = 0; j < shape.columns; ++j)
            row[j] = stripTexels[(j / 4 % 4) * rowElements + j / 16 * 4 + j % 4];
    }
}

}  // namespace glycine::layout
