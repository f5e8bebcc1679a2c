#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

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

/// Blocks that one worker takes out of the grid of all others: rows [0, rows) of the last `columns` columns,
/// and their mirror images. It holds no block on the diagonal, so its worker closes no pivot.
struct BlockCorner {
    static constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

    std::size_t worker = kNobody;
    std::size_t rows = 0, columns = 0;  ///< 0: the worker has no blocks
};

/// Assignment of square blocks of n × n matrices to a grid of workers: block (i, j) belongs to the worker in
/// row i mod `gridRows` and column j mod `gridColumns`. One more worker may have a corner, for workers of
/// unequal speed. Symmetric matrices keep only the blocks on and above the diagonal.
class BlockLayout {
  public:
    /// The grid is as square as the number of workers allows; the worker of a corner is not in it.
    BlockLayout(std::size_t atoms, std::size_t side, std::size_t workers,
                std::optional<BlockCorner> corner = std::nullopt)
        : atoms_(atoms),
          side_(side),
          count_((atoms + side - 1) / side),
          workers_(workers),
          gridWorkers_(workers - (corner ? 1 : 0)),
          corner_(corner.value_or(BlockCorner{})) {
        for (std::size_t rows = 1; rows * rows <= gridWorkers_; ++rows)
            if (gridWorkers_ % rows == 0) gridRows_ = rows;
    }

    std::size_t atoms() const { return atoms_; }
    std::size_t side() const { return side_; }
    /// Blocks along one side of a matrix.
    std::size_t count() const { return count_; }
    std::size_t workers() const { return workers_; }
    std::size_t gridRows() const { return gridRows_; }
    std::size_t gridColumns() const { return gridWorkers_ / gridRows_; }
    /// The atoms of a row (or column) of blocks.
    Range range(std::size_t block) const { return {block * side_, std::min(atoms_, (block + 1) * side_)}; }
    std::size_t ownerOf(std::size_t row, std::size_t column) const {
        if (contains(cornerColumns(row), column)) return corner_.worker;
        return workerInGrid(row % gridRows_ * gridColumns() + column % gridColumns());
    }
    /// Whether the worker has blocks in this row of blocks.
    bool hasRow(std::size_t worker, std::size_t row) const {
        if (isOfCorner(worker)) return cornerColumns(row).size() > 0;
        return placeInGrid(worker) / gridColumns() == row % gridRows_;
    }
    bool hasColumn(std::size_t worker, std::size_t column) const {
        if (isOfCorner(worker)) return cornerColumns(column).size() > 0;
        return placeInGrid(worker) % gridColumns() == column % gridColumns();
    }
    /// The columns of a row within which a worker's blocks lie: all own columns (hasColumn) in this range.
    Range columnsOf(std::size_t worker, std::size_t row) const {
        if (isOfCorner(worker)) return cornerColumns(row);
        if (cornerColumns(row).size() == 0) return {0, count_};
        return row < corner_.rows ? Range{0, count_ - corner_.columns} : Range{corner_.rows, count_};
    }
    /// Whether the worker needs block `block` of a panel.
    bool needs(std::size_t worker, std::size_t block) const {
        return hasRow(worker, block) || hasColumn(worker, block);
    }
    /// Number of workers of the grid that need a block of a panel, without its owner.
    std::size_t receivers() const { return gridRows_ + gridColumns() - 2; }
    /// Blocks of one panel that workers receive. In rows and columns of the corner, a block either goes to
    /// the corner's worker, too, or comes from there.
    std::size_t receivedBlocks() const { return count_ * receivers() + corner_.rows + corner_.columns; }
    /// Blocks on and above the diagonal.
    std::size_t blocksOf(std::size_t worker) const {
        std::size_t blocks = 0;
        for (std::size_t row = 0; row < count_; ++row)
            for (std::size_t column = row; column < count_; ++column)
                blocks += ownerOf(row, column) == worker;
        return blocks;
    }

  private:
    static bool contains(Range range, std::size_t block) { return block >= range.begin && block < range.end; }
    bool isOfCorner(std::size_t worker) const { return corner_.worker == worker; }
    /// Columns of the corner and of its mirror image in a row, which they do not share.
    Range cornerColumns(std::size_t row) const {
        if (row < corner_.rows) return {count_ - corner_.columns, count_};
        if (row >= count_ - corner_.columns) return {0, corner_.rows};
        return {0, 0};
    }
    std::size_t workerInGrid(std::size_t place) const { return place >= corner_.worker ? place + 1 : place; }
    std::size_t placeInGrid(std::size_t worker) const {
        return worker > corner_.worker ? worker - 1 : worker;
    }

    std::size_t atoms_, side_, count_, workers_, gridWorkers_;
    BlockCorner corner_;
    std::size_t gridRows_ = 1;
};

/// The rows and columns in which a worker has blocks, and the place of each block of a panel among them.
struct OwnBlocks {
    OwnBlocks(const BlockLayout& layout, std::size_t worker) {
        for (std::size_t block = 0; block < layout.count(); ++block) {
            rowPlaces.push_back(rows.size());
            columnPlaces.push_back(columns.size());
            if (layout.hasRow(worker, block)) rows.push_back(block);
            if (layout.hasColumn(worker, block)) columns.push_back(block);
        }
    }

    std::vector<std::size_t> rows, columns;
    std::vector<std::size_t> rowPlaces, columnPlaces;  ///< by blocks
};

/// The corner for a worker that does `share` (0 … 1) of all blocks on and above the diagonal: as many as fit
/// into this share, at most half of them.
inline BlockCorner cornerOf(std::size_t worker, double share, std::size_t count) {
    BlockCorner best{worker, 0, 0};
    const double blocks = share * static_cast<double>(count * (count + 1)) / 2;
    // Not too long: the worker needs rows + columns blocks of each panel.
    for (std::size_t rows = 1; rows <= count / 2; ++rows) {
        const auto columns = std::min(
            {2 * rows + 1, count - rows, static_cast<std::size_t>(blocks / static_cast<double>(rows))});
        if (columns >= rows && rows * columns > best.rows * best.columns) best = {worker, rows, columns};
    }
    return best;
}

}  // namespace glycine::bounds
