#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/tiling.hpp"

namespace glycine::bounds::cpu {

/// A symmetric n × n matrix as the square tiles on and above its diagonal, each of them contiguous: half the
/// memory, and no two rows of a tile a large power of two apart (they would compete for the same cache
/// lines). Tiles at the right and lower edge are as large as the others; what lies beyond n is padding.
template <class T>
class SymmetricTiles {
  public:
    /// `side` is a multiple of kMinPlusBlock. The elements are not initialised.
    SymmetricTiles(std::size_t size, std::size_t side)
        : size_(size),
          side_(side),
          count_((size + side - 1) / side),
          memory_(count_ * (count_ + 1) / 2, side * side) {}

    std::size_t size() const { return size_; }
    std::size_t side() const { return side_; }
    /// Number of tiles along one side of the matrix.
    std::size_t count() const { return count_; }
    /// The rows (or columns) of the matrix that tile row (or column) `index` covers.
    Range range(std::size_t index) const { return {index * side_, std::min(size_, (index + 1) * side_)}; }
    /// Row-major, rows `side()` elements apart; tileRow ≤ tileColumn. The part of a diagonal tile that lies
    /// below the diagonal may hold anything.
    T* tile(std::size_t tileRow, std::size_t tileColumn) {
        return memory_.row(tileRow * (2 * count_ - tileRow + 1) / 2 + tileColumn - tileRow);
    }

    /// Fills tile (tileRow, tileColumn) from the same place of `matrix`, the rest with `padding`. −0 becomes
    /// +0.
    void load(std::size_t tileRow, std::size_t tileColumn, MatrixView<const T> matrix, T padding) {
        const Range rows = range(tileRow);
        const Range columns = range(tileColumn);
        T* to = tile(tileRow, tileColumn);
        for (std::size_t i = rows.begin; i < rows.end; ++i, to += side_) {
            const T* from = matrix.row(i) + columns.begin;
            for (std::size_t j = 0; j < columns.size(); ++j) to[j] = from[j] + T(0);
            std::fill(to + columns.size(), to + side_, padding);
        }
        std::fill_n(to, (side_ - rows.size()) * side_, padding);
    }

    void loadAll(MatrixView<const T> matrix, T padding, int threads) {
        parallelFor(threads, count_, [&](std::size_t tileRow, std::size_t) {
            for (std::size_t tileColumn = tileRow; tileColumn < count_; ++tileColumn)
                load(tileRow, tileColumn, matrix, padding);
        });
    }

    /// Writes the whole matrix, both triangles from the upper one.
    void storeAll(MatrixView<T> matrix, int threads) {
        parallelFor(threads, count_, [&](std::size_t tileRow, std::size_t) {
            for (std::size_t tileColumn = tileRow; tileColumn < count_; ++tileColumn)
                store(tileRow, tileColumn, matrix);
        });
    }

  private:
    void store(std::size_t tileRow, std::size_t tileColumn, MatrixView<T> matrix) {
        const Range rows = range(tileRow);
        const Range columns = range(tileColumn);
        const T* from = tile(tileRow, tileColumn);
        for (std::size_t i = rows.begin; i < rows.end; ++i) {
            const std::size_t first = std::max(i, columns.begin);
            std::copy(from + (i - rows.begin) * side_ + (first - columns.begin),
                      from + (i - rows.begin) * side_ + columns.size(), matrix.row(i) + first);
        }
        // Transposed in strips of rows that the first-level cache holds.
        constexpr std::size_t kStrip = 16;
        for (std::size_t strip = rows.begin; strip < rows.end; strip += kStrip)
            for (std::size_t j = columns.begin; j < columns.end; ++j) {
                T* to = matrix.row(j);
                const std::size_t end = std::min({strip + kStrip, rows.end, j});
                for (std::size_t i = strip; i < end; ++i)
                    to[i] = from[(i - rows.begin) * side_ + (j - columns.begin)];
            }
    }

    std::size_t size_;
    std::size_t side_;
    std::size_t count_;
    Matrix<T> memory_;  ///< one tile a row
};

}  // namespace glycine::bounds::cpu
