#include "engine/bounds/cpu/floyd_warshall.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/bounds/bounds.hpp"
#include "engine/bounds/cpu/packing.hpp"

namespace glycine::bounds::cpu {

namespace {

template <class T>
class BlockedFloydWarshall {
  public:
    BlockedFloydWarshall(SymmetricTiles<T>& tiles, const MinPlusKernel<T>& kernel, int threads)
        : tiles_(tiles),
          kernel_(kernel),
          threads_(threads),
          side_(tiles.side()),
          diagonal_(1, packedSize<T>(side_, side_)),
          panelAsA_(tiles.count(), packedSize<T>(side_, side_)),
          panelAsB_(tiles.count(), packedSize<T>(side_, side_)) {
        for (int thread = 0; thread < threads; ++thread)
            scratch_.emplace_back(2, packedSize<T>(side_, side_));
    }

    void run(Progress& progress) {
        std::vector<std::size_t> others;
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        progress.begin("upper bounds", static_cast<double>(tiles_.size()));
        for (std::size_t block = 0; block < tiles_.count(); ++block) {
            closeDiagonalTile(block);
            others.clear();
            pairs.clear();
            for (std::size_t i = 0; i < tiles_.count(); ++i)
                if (i != block) others.push_back(i);
            for (std::size_t first = 0; first < others.size(); ++first)
                for (std::size_t second = first; second < others.size(); ++second)
                    pairs.emplace_back(others[first], others[second]);
            parallelFor(threads_, others.size(), [&](std::size_t index, std::size_t thread) {
                updatePanelTile(block, others[index], scratch_[thread]);
            });
            parallelFor(threads_, pairs.size(), [&](std::size_t index, std::size_t) {
                updateTile(block, pairs[index].first, pairs[index].second);
            });
            progress.advance(static_cast<double>(tiles_.range(block).size()));
        }
    }

  private:
    std::size_t paddedSize(std::size_t block) const {
        return roundUp(tiles_.range(block).size(), kMinPlusBlock);
    }

    /// Phase 1. The same three phases once more, on blocks of kMinPlusBlock inside the tile.
    void closeDiagonalTile(std::size_t block) {
        T* tile = tiles_.tile(block, block);
        const std::size_t size = tiles_.range(block).size();
        const std::size_t padded = paddedSize(block);
        for (std::size_t i = 0; i < padded; ++i)
            for (std::size_t j = i + 1; j < padded; ++j) tile[j * side_ + i] = tile[i * side_ + j];

        T* rowsAsA = scratch_[0].data();
        T* rowsAsB = scratch_[0].row(1);
        for (std::size_t first = 0; first < size; first += kMinPlusBlock) {
            const std::size_t depth = std::min(kMinPlusBlock, size - first);
            T* rows = tile + first * side_;
            closeBlock(rows + first, depth);
            const auto diagonalRow = [&](std::size_t k) { return rows + k * side_ + first; };
            const auto wholeRow = [&](std::size_t k) { return rows + k * side_; };

            packStrips<T>(rowsAsA, kernel_.rows, depth, diagonalRow, kMinPlusBlock, kMinPlusBlock, T(0));
            packStrips<T>(rowsAsB, kernel_.columns, depth, wholeRow, padded, padded, T(0));
            multiply(rowsAsA, rowsAsB, depth, rows, kMinPlusBlock, padded);

            packStrips<T>(rowsAsA, kernel_.rows, depth, wholeRow, padded, padded, T(0));
            packStrips<T>(rowsAsB, kernel_.columns, depth, wholeRow, padded, padded, T(0));
            multiply(rowsAsA, rowsAsB, depth, tile, padded, padded);
        }
        packStrips<T>(
            diagonal_.data(), kernel_.rows, size, [&](std::size_t k) { return tile + k * side_; }, padded,
            padded, T(0));
    }

    /// Floyd-Warshall as it is, on a block that the first-level cache holds.
    void closeBlock(T* block, std::size_t size) {
        for (std::size_t k = 0; k < size; ++k)
            for (std::size_t i = 0; i < size; ++i) {
                const T left = block[i * side_ + k];
                const T* through = block + k * side_;
                T* row = block + i * side_;
                for (std::size_t j = 0; j < size; ++j) row[j] = std::min<T>(row[j], left + through[j]);
            }
    }

    /// Phase 2: rows of the block, columns of tile column `other`. The diagonal tile is closed, so one
    /// product does what a loop over k would do. The result is also packed as either operand of phase 3.
    void updatePanelTile(std::size_t block, std::size_t other, Matrix<T>& scratch) {
        const bool stored = other > block;
        const std::size_t depth = tiles_.range(block).size();
        const std::size_t columns = paddedSize(other);
        T* rows = stored ? tiles_.tile(block, other) : scratch.data();
        if (!stored) transpose(tiles_.tile(other, block), rows);
        const auto rowOf = [&](std::size_t k) { return rows + k * side_; };

        T* before = scratch.row(1);
        packStrips<T>(before, kernel_.columns, depth, rowOf, columns, columns, T(0));
        multiply(diagonal_.data(), before, depth, rows, paddedSize(block), columns);
        packStrips<T>(panelAsA_.row(other), kernel_.rows, depth, rowOf, columns, columns, T(0));
        packStrips<T>(panelAsB_.row(other), kernel_.columns, depth, rowOf, columns, columns, T(0));
        if (!stored) transpose(rows, tiles_.tile(other, block));
    }

    /// Phase 3.
    void updateTile(std::size_t block, std::size_t tileRow, std::size_t tileColumn) {
        multiply(panelAsA_.row(tileRow), panelAsB_.row(tileColumn), tiles_.range(block).size(),
                 tiles_.tile(tileRow, tileColumn), paddedSize(tileRow), paddedSize(tileColumn),
                 tileRow == tileColumn);
    }

    void multiply(const T* a, const T* b, std::size_t depth, T* c, std::size_t rows, std::size_t columns,
                  bool onAndAboveDiagonal = false) {
        MinPlusProduct<T> product;
        product.a = a;
        product.aStripStride = stripStride<T>(depth, kernel_.rows);
        product.b = b;
        product.bStripStride = stripStride<T>(depth, kernel_.columns);
        product.depth = depth;
        product.c = c;
        product.cRowStride = side_;
        product.rows = rows;
        product.columns = columns;
        product.onAndAboveDiagonal = onAndAboveDiagonal;
        kernel_.minPlus(product);
    }

    void transpose(const T* from, T* to) {
        constexpr std::size_t kStrip = 16;
        for (std::size_t strip = 0; strip < side_; strip += kStrip)
            for (std::size_t j = 0; j < side_; ++j)
                for (std::size_t i = strip; i < strip + kStrip; ++i) to[j * side_ + i] = from[i * side_ + j];
    }

    SymmetricTiles<T>& tiles_;
    const MinPlusKernel<T>& kernel_;
    int threads_;
    std::size_t side_;
    Matrix<T> diagonal_;  ///< the closed diagonal tile, packed as A
    Matrix<T> panelAsA_;  ///< rows of the block; one tile column a row, packed
    Matrix<T> panelAsB_;
    std::vector<Matrix<T>> scratch_;  ///< room for two tiles, packed or not, a thread
};

}  // namespace

std::size_t tileSideFor(std::size_t atoms) {
    return atoms < 1024 ? 64 : 128;
}

template <class T>
void closeUpperBounds(SymmetricTiles<T>& upper, const MinPlusKernel<T>& kernel, int threads,
                      Progress& progress) {
    BlockedFloydWarshall<T>(upper, kernel, threads).run(progress);
}

template void closeUpperBounds(SymmetricTiles<float>&, const MinPlusKernel<float>&, int, Progress&);
template void closeUpperBounds(SymmetricTiles<double>&, const MinPlusKernel<double>&, int, Progress&);
template void closeUpperBounds(SymmetricTiles<std::int32_t>&, const MinPlusKernel<std::int32_t>&, int,
                               Progress&);

}  // namespace glycine::bounds::cpu
