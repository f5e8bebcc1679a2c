#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/core/matrix.hpp"
#include "engine/core/tiling.hpp"

/// Symmetric matrices as square blocks: copies a block from and to a matrix, and assigns blocks to workers.
namespace glycine::bounds {

/// Copies `rows` × `columns` of `matrix` into a block of side × side numbers and fills the rest with
/// `padding`. −0 becomes +0.
template <class T>
void cutBlock(MatrixView<const T> matrix, Range rows, Range columns, std::size_t side, T padding, T* block) {
    for (std::size_t i = rows.begin; i < rows.end; ++i, block += side) {
        const T* from = matrix.row(i) + columns.begin;
        for (std::size_t j = 0; j < columns.size(); ++j) block[j] = from[j] + T(0);
        std::fill(block + columns.size(), block + side, padding);
    }
    std::fill_n(block, (side - rows.size()) * side, padding);
}

/// Copies a block on or above the diagonal back into the matrix, and its transpose below the diagonal unless
/// `isAboveAlone`.
template <class T>
void pasteBlock(const T* block, std::size_t side, Range rows, Range columns, MatrixView<T> matrix,
                bool isAboveAlone = false) {
    for (std::size_t i = rows.begin; i < rows.end; ++i) {
        const std::size_t first = std::max(i, columns.begin);
        std::copy(block + (i - rows.begin) * side + (first - columns.begin),
                  block + (i - rows.begin) * side + columns.size(), matrix.row(i) + first);
    }
    if (isAboveAlone) return;
    // Transposed in strips of rows that the first-level cache holds.
    constexpr std::size_t kStrip = 16;
    for (std::size_t strip = rows.begin; strip < rows.end; strip += kStrip)
        for (std::size_t j = columns.begin; j < columns.end; ++j) {
            T* to = matrix.row(j);
            const std::size_t end = std::min({strip + kStrip, rows.end, j});
            for (std::size_t i = strip; i < end; ++i)
                to[i] = block[(i - rows.begin) * side + (j - columns.begin)];
        }
}

/// Assignment of square blocks of n × n matrices to a grid of workers: block (i, j) belongs to the worker in
/// row i mod `gridRows` and column j mod `gridColumns`. Symmetric matrices keep only the blocks on and above
/// the diagonal.
class BlockLayout {
  public:
    /// The grid is as square as the number of workers allows.
    BlockLayout(std::size_t atoms, std::size_t side, std::size_t workers)
        : atoms_(atoms), side_(side), count_((atoms + side - 1) / side), workers_(workers) {
        for (std::size_t rows = 1; rows * rows <= workers; ++rows)
            if (workers % rows == 0) gridRows_ = rows;
    }

    std::size_t atoms() const { return atoms_; }
    std::size_t side() const { return side_; }
    /// Blocks along one side of a matrix.
    std::size_t count() const { return count_; }
    std::size_t workers() const { return workers_; }
    std::size_t gridRows() const { return gridRows_; }
    std::size_t gridColumns() const { return workers_ / gridRows_; }
    /// The atoms of a row (or column) of blocks.
    Range range(std::size_t block) const { return {block * side_, std::min(atoms_, (block + 1) * side_)}; }
    std::size_t ownerOf(std::size_t row, std::size_t column) const {
        return row % gridRows_ * gridColumns() + column % gridColumns();
    }
    /// Whether the worker has blocks in this row of blocks.
    bool hasRow(std::size_t worker, std::size_t row) const {
        return worker / gridColumns() == row % gridRows_;
    }
    bool hasColumn(std::size_t worker, std::size_t column) const {
        return worker % gridColumns() == column % gridColumns();
    }
    /// Whether the worker needs block `block` of a panel.
    bool needs(std::size_t worker, std::size_t block) const {
        return hasRow(worker, block) || hasColumn(worker, block);
    }
    /// Number of workers that need a block of a panel, without its owner.
    std::size_t receivers() const { return gridRows_ + gridColumns() - 2; }

  private:
    std::size_t atoms_, side_, count_, workers_;
    std::size_t gridRows_ = 1;
};

}  // namespace glycine::bounds
