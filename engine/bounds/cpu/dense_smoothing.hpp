#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

#include "engine/bounds/block_layout.hpp"
#include "engine/bounds/cpu/min_plus.hpp"
#include "engine/core/matrix.hpp"
#include "engine/core/parallel.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"

/// Variant `dense`, and the lower bounds of all variants: products of cache-sized tiles over the
/// semirings (min, +) and (max, +).
namespace glycine::bounds::cpu {

// ---- Tiles

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
        cutBlock(matrix, range(tileRow), range(tileColumn), side_, padding, tile(tileRow, tileColumn));
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
                pasteBlock(tile(tileRow, tileColumn), side_, range(tileRow), range(tileColumn), matrix);
        });
    }

  private:
    std::size_t size_;
    std::size_t side_;
    std::size_t count_;
    Matrix<T> memory_;  ///< one tile a row
};

// ---- Operands of products

/// Numbers from one packed strip to the next. The gap of a cache line keeps strips whose length is a power of
/// two from competing for the same lines of the cache.
template <class T>
constexpr std::size_t stripStride(std::size_t depth, std::size_t width) {
    return depth * width + 64 / sizeof(T);
}

/// Room for `columns` columns (a multiple of any kernel's strip width) of `depth` packed numbers.
template <class T>
constexpr std::size_t packedSize(std::size_t depth, std::size_t columns) {
    constexpr std::size_t kNarrowest = 4;
    return columns / kNarrowest * stripStride<T>(depth, kNarrowest);
}

/// packStrips() for one width: known to the compiler, a group is copied in a few instructions.
template <std::size_t kWidth, bool kNegate, class T, class RowOf>
void packStripsOfWidth(T* strips, std::size_t depth, const RowOf& rowOf, std::size_t columns,
                       std::size_t paddedColumns, T padding) {
    constexpr std::size_t kRowsAhead = 8;
    const std::size_t stride = stripStride<T>(depth, kWidth);
    const std::size_t wholeColumns = columns / kWidth * kWidth;
    const auto signedValue = [](T value) { return kNegate ? -value : value; };
    for (std::size_t k = 0; k < depth; ++k) {
        const T* row = rowOf(k);
        // Rows lie far apart, where the processor does not look ahead by itself.
        if (k + kRowsAhead < depth) {
            const auto* ahead = reinterpret_cast<const char*>(rowOf(k + kRowsAhead));
            for (std::size_t byte = 0; byte < columns * sizeof(T); byte += 64)
                __builtin_prefetch(ahead + byte);
        }
        T* group = strips + k * kWidth;
        for (std::size_t column = 0; column < wholeColumns; column += kWidth, group += stride)
            for (std::size_t lane = 0; lane < kWidth; ++lane) group[lane] = signedValue(row[column + lane]);
        for (std::size_t column = wholeColumns; column < paddedColumns; column += kWidth, group += stride)
            for (std::size_t lane = 0; lane < kWidth; ++lane)
                group[lane] = signedValue(column + lane < columns ? row[column + lane] : padding);
    }
}

/// Lays `depth` rows of numbers out as strips of `width` columns for MinPlusProduct: strip s holds columns
/// s·width … of every row, one row after another. `rowOf(k)` points to the first of `columns` numbers of row
/// k; they are filled up to `paddedColumns` (a multiple of `width`) with `padding`. `negate` packs −x for x.
/// Either operand of a product is packed so, because rows of a symmetric matrix serve as columns too.
template <class T, class RowOf>
void packStrips(T* strips, std::size_t width, std::size_t depth, const RowOf& rowOf, std::size_t columns,
                std::size_t paddedColumns, T padding, bool negate = false) {
    const auto pack = [&]<std::size_t kWidth>(std::integral_constant<std::size_t, kWidth>) {
        if (negate)
            packStripsOfWidth<kWidth, true>(strips, depth, rowOf, columns, paddedColumns, padding);
        else
            packStripsOfWidth<kWidth, false>(strips, depth, rowOf, columns, paddedColumns, padding);
    };
    switch (width) {
        case 4:
            return pack(std::integral_constant<std::size_t, 4>{});
        case 8:
            return pack(std::integral_constant<std::size_t, 8>{});
        case 16:
            return pack(std::integral_constant<std::size_t, 16>{});
        case 32:
            return pack(std::integral_constant<std::size_t, 32>{});
        default:
            throw std::logic_error("packStrips: no kernel has strips of this width");
    }
}

/// Min-plus products of the tiles of blocked Floyd-Warshall; tiles have rows `side` elements apart.
template <class T>
class TileProducts {
  public:
    TileProducts(const MinPlusKernel<T>& kernel, std::size_t side) : kernel_(kernel), side_(side) {}

    /// c ← min(c, a ⊗ b), of packed operands.
    void multiply(const T* a, const T* b, std::size_t depth, T* c, std::size_t rows, std::size_t columns,
                  bool onAndAboveDiagonal = false) const;
    /// Floyd-Warshall on a tile of `size` atoms of which the part above the diagonal counts; both are
    /// written. `scratch`: two rows of packedSize(side, side).
    void close(T* tile, std::size_t size, Matrix<T>& scratch) const;
    void transpose(const T* from, T* to) const;

  private:
    void closeBlock(T* block, std::size_t size) const;

    const MinPlusKernel<T>& kernel_;
    std::size_t side_;
};

// ---- Upper bounds

/// Side of the tiles for n atoms, the same on every machine: the float sums, and so the bits, depend on it.
std::size_t tileSideFor(std::size_t atoms);

/// Replaces the upper bounds in `upper` (≥ 0, zero diagonal, padded with kUnknownUpper) by the lengths of the
/// shortest paths: Floyd-Warshall over blocks of k, in three phases (the diagonal tile, the tiles in its row
/// and column, all others), on the tiles on and above the diagonal only. The result does not depend on the
/// number of threads or on the instruction set. Allocates 2 · n · side numbers in addition to `upper`.
///
/// Source of the three phases: G. Venkataraman, S. Sahni, S. Mukhopadhyaya, "A Blocked All-Pairs
/// Shortest-Paths Algorithm", ACM Journal of Experimental Algorithmics 8 (2003).
///
/// T: float, double or std::int32_t. Throws CancelledError.
template <class T>
void closeUpperBounds(SymmetricTiles<T>& upper, const MinPlusKernel<T>& kernel, int threads,
                      Progress& progress);

// ---- Lower bounds

/// Replaces the lower bounds l by L_ij = max over p, q of l_pq − U_ip − U_qj for smoothed `upper` bounds U,
/// as two products over the semiring (max, +):
///
///     T_qi = max over p of l_pq − U_pi,    L_ji = max over q of T_qi − U_qj    for j ≤ i.
///
/// Terms that cannot change the answer are left out, exactly. U ≥ 0, so a term never exceeds l_pq − U_pi or
/// T_qi; and the result is at least l. With the tiles I of i, Q of q, J of j:
///
///  - atom p is left out of T_QI when  max over Q of l_pq − min over I of U_pi  is at most the smallest l_qi
///  of the
///    tile (of all rows of I when Q = I: the diagonal of l does not bound any result);
///  - atom q is left out of L_JI when  max over I of T_qi − min over J of U_qj  is at most the smallest l_ji
///  of the
///    tile, i ≠ j.
///
/// The differences are rounded like the terms themselves, and rounding is monotone: the result has the same
/// bits as the full products. It does not depend on the tiles, the number of threads or the instruction set.
///
/// `result` has the size of the matrices; its contents are overwritten. Besides, each thread takes memory for
/// 2 · n · side numbers, and all together for 2 · n²/side.
/// Returns the share of the terms of both products that was computed, 0 … 1.
/// T: float, double or std::int32_t. Throws CancelledError; `lower` is then unchanged.
template <class T>
double smoothLowerBounds(MatrixView<T> lower, MatrixView<const T> upper, SymmetricTiles<T>& result,
                         const MinPlusKernel<T>& kernel, int threads, Progress& progress);

}  // namespace glycine::bounds::cpu
