#include "engine/bounds/cpu/dense_smoothing.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "engine/bounds/bounds.hpp"

namespace glycine::bounds::cpu {

template <class T>
void TileProducts<T>::multiply(const T* a, const T* b, std::size_t depth, T* c, std::size_t rows,
                               std::size_t columns, bool onAndAboveDiagonal) const {
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

/// Runs the three phases on blocks of kMinPlusBlock inside the tile.
template <class T>
void TileProducts<T>::close(T* tile, std::size_t size, Matrix<T>& scratch) const {
    const std::size_t padded = roundUp(size, kMinPlusBlock);
    for (std::size_t i = 0; i < padded; ++i)
        for (std::size_t j = i + 1; j < padded; ++j) tile[j * side_ + i] = tile[i * side_ + j];

    T* rowsAsA = scratch.data();
    T* rowsAsB = scratch.row(1);
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
}

/// Plain Floyd-Warshall on a block that fits the first-level cache.
template <class T>
void TileProducts<T>::closeBlock(T* block, std::size_t size) const {
    for (std::size_t k = 0; k < size; ++k)
        for (std::size_t i = 0; i < size; ++i) {
            const T left = block[i * side_ + k];
            const T* through = block + k * side_;
            T* row = block + i * side_;
            for (std::size_t j = 0; j < size; ++j) row[j] = std::min<T>(row[j], left + through[j]);
        }
}

template <class T>
void TileProducts<T>::transpose(const T* from, T* to) const {
    constexpr std::size_t kStrip = 16;
    for (std::size_t strip = 0; strip < side_; strip += kStrip)
        for (std::size_t j = 0; j < side_; ++j)
            for (std::size_t i = strip; i < strip + kStrip; ++i) to[j * side_ + i] = from[i * side_ + j];
}

template class TileProducts<float>;
template class TileProducts<double>;
template class TileProducts<std::int32_t>;

namespace {

template <class T>
class BlockedFloydWarshall {
  public:
    BlockedFloydWarshall(SymmetricTiles<T>& tiles, const MinPlusKernel<T>& kernel, int threads)
        : tiles_(tiles),
          kernel_(kernel),
          products_(kernel, tiles.side()),
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

    /// Phase 1.
    void closeDiagonalTile(std::size_t block) {
        T* tile = tiles_.tile(block, block);
        const std::size_t size = tiles_.range(block).size();
        products_.close(tile, size, scratch_[0]);
        packStrips<T>(
            diagonal_.data(), kernel_.rows, size, [&](std::size_t k) { return tile + k * side_; },
            paddedSize(block), paddedSize(block), T(0));
    }

    /// Phase 2: rows of the block, columns of tile column `other`. The diagonal tile is closed, so one
    /// product does what a loop over k would do. The result is also packed as either operand of phase 3.
    void updatePanelTile(std::size_t block, std::size_t other, Matrix<T>& scratch) {
        const bool stored = other > block;
        const std::size_t depth = tiles_.range(block).size();
        const std::size_t columns = paddedSize(other);
        T* rows = stored ? tiles_.tile(block, other) : scratch.data();
        if (!stored) products_.transpose(tiles_.tile(other, block), rows);
        const auto rowOf = [&](std::size_t k) { return rows + k * side_; };

        T* before = scratch.row(1);
        packStrips<T>(before, kernel_.columns, depth, rowOf, columns, columns, T(0));
        products_.multiply(diagonal_.data(), before, depth, rows, paddedSize(block), columns);
        packStrips<T>(panelAsA_.row(other), kernel_.rows, depth, rowOf, columns, columns, T(0));
        packStrips<T>(panelAsB_.row(other), kernel_.columns, depth, rowOf, columns, columns, T(0));
        if (!stored) products_.transpose(rows, tiles_.tile(other, block));
    }

    /// Phase 3.
    void updateTile(std::size_t block, std::size_t tileRow, std::size_t tileColumn) {
        products_.multiply(panelAsA_.row(tileRow), panelAsB_.row(tileColumn), tiles_.range(block).size(),
                           tiles_.tile(tileRow, tileColumn), paddedSize(tileRow), paddedSize(tileColumn),
                           tileRow == tileColumn);
    }

    SymmetricTiles<T>& tiles_;
    const MinPlusKernel<T>& kernel_;
    TileProducts<T> products_;
    int threads_;
    std::size_t side_;
    Matrix<T> diagonal_;  ///< the closed diagonal tile, packed as A
    Matrix<T> panelAsA_;  ///< rows of the block; one tile column a row, packed
    Matrix<T> panelAsB_;
    std::vector<Matrix<T>> scratch_;  ///< room for two tiles, packed or not, a thread
};

template <class T>
class LowerBoundProducts {
  public:
    LowerBoundProducts(MatrixView<const T> lower, MatrixView<const T> upper, SymmetricTiles<T>& result,
                       const MinPlusKernel<T>& kernel, int threads)
        : lower_(lower),
          upper_(upper),
          result_(result),
          kernel_(kernel),
          threads_(threads),
          n_(lower.rows()),
          side_(result.side()),
          nearest_(result.count(), n_),
          highest_(result.count(), n_),
          rowHighest_(n_),
          rowLowest_(n_) {
        for (int thread = 0; thread < threads; ++thread)
            scratch_.emplace_back(n_, result.count() * side_, side_);
    }

    double run(Progress& progress) {
        const std::size_t count = result_.count();
        progress.begin("lower bounds", static_cast<double>(count * count + count * (count + 1) / 2));
        parallelFor(threads_, count, [&](std::size_t tile, std::size_t) { summarize(result_.range(tile)); });
        // The last tile columns hold the most work.
        parallelFor(threads_, count, [&](std::size_t index, std::size_t thread) {
            smoothColumns(count - 1 - index, scratch_[thread], progress);
        });
        const double n = static_cast<double>(n_);
        return static_cast<double>(terms_) / (1.5 * n * n * n);
    }

  private:
    /// Terms per kernel call, so that its packed operands stay in the near caches.
    static constexpr std::size_t kDepth = 128;

    /// Memory of one thread.
    struct Scratch {
        Scratch(std::size_t n, std::size_t padded, std::size_t side)
            : partial(padded, side),
              stationary(1, packedSize<T>(n, side)),
              streaming(1, packedSize<T>(kDepth, side)),
              partialHighest(n) {
            std::fill(partial.row(n), partial.row(n) + (padded - n) * side, T(0));
        }
        Matrix<T> partial;                      ///< T_qi, one row a q
        Matrix<T> stationary;                   ///< the operand with columns I, packed as B
        Matrix<T> streaming;                    ///< part of the operand with columns Q or J, packed as A
        std::vector<T> partialHighest;          ///< max over I of T_qi
        std::vector<std::uint32_t> candidates;  ///< atoms packed in `stationary`
        std::vector<std::uint32_t> chosen;      ///< those that matter to the tile at hand
        std::vector<std::uint32_t> selection;   ///< their places in `candidates`
    };

    /// For each atom p of `rows`: the smallest U_pi and the largest l_pi of every tile of i, and of its whole
    /// row the largest and (the diagonal left out) smallest l.
    void summarize(Range rows) {
        for (std::size_t p = rows.begin; p < rows.end; ++p) {
            const T* u = upper_.row(p);
            const T* l = lower_.row(p);
            T rowHighest = 0;
            T rowLowest = std::numeric_limits<T>::max();
            for (std::size_t tile = 0; tile < result_.count(); ++tile) {
                const Range range = result_.range(tile);
                nearest_(tile, p) = *std::min_element(u + range.begin, u + range.end);
                highest_(tile, p) = *std::max_element(l + range.begin, l + range.end);
                rowHighest = std::max(rowHighest, highest_(tile, p));
                for (std::size_t i = range.begin; i < range.end; ++i)
                    if (i != p) rowLowest = std::min(rowLowest, l[i]);
            }
            rowHighest_[p] = rowHighest;
            rowLowest_[p] = rowLowest;
        }
    }

    /// Columns I of the result, from the first row to the diagonal.
    void smoothColumns(std::size_t tileI, Scratch& scratch, Progress& progress) {
        const Range columns = result_.range(tileI);
        const T lowest =
            *std::min_element(rowLowest_.begin() + columns.begin, rowLowest_.begin() + columns.end);

        scratch.candidates.clear();
        for (std::size_t p = 0; p < n_; ++p)
            if (rowHighest_[p] - nearest_(tileI, p) > lowest)
                scratch.candidates.push_back(static_cast<std::uint32_t>(p));
        packStrips<T>(
            scratch.stationary.data(), kernel_.columns, scratch.candidates.size(),
            [&](std::size_t k) { return upper_.row(scratch.candidates[k]) + columns.begin; }, columns.size(),
            side_, kUnknownUpper<T>, true);
        for (std::size_t tileQ = 0; tileQ < result_.count(); ++tileQ) {
            const Range rows = result_.range(tileQ);
            T* partial = scratch.partial.row(rows.begin);
            const T tileLowest = loadPartial(rows, columns, partial);
            choose(scratch, tileQ == tileI ? lowest : tileLowest, highest_.row(tileQ), nearest_.row(tileI));
            multiply(scratch, {lower_, T(0), false}, rows, columns, partial, false);
            for (std::size_t q = rows.begin; q < rows.end; ++q)
                scratch.partialHighest[q] =
                    *std::max_element(scratch.partial.row(q), scratch.partial.row(q) + side_);
            progress.advance(1);
        }

        scratch.candidates.clear();
        for (std::size_t q = 0; q < n_; ++q)
            if (scratch.partialHighest[q] > lowest)
                scratch.candidates.push_back(static_cast<std::uint32_t>(q));
        packStrips<T>(
            scratch.stationary.data(), kernel_.columns, scratch.candidates.size(),
            [&](std::size_t k) { return scratch.partial.row(scratch.candidates[k]); }, side_, side_, T(0));
        for (std::size_t tileJ = 0; tileJ <= tileI; ++tileJ) {
            const Range rows = result_.range(tileJ);
            result_.load(tileJ, tileI, lower_, T(0));
            choose(scratch, lowestOf(rows, columns), scratch.partialHighest.data(), nearest_.row(tileJ));
            multiply(scratch, {upper_, kUnknownUpper<T>, true}, rows, columns, result_.tile(tileJ, tileI),
                     tileJ == tileI);
            progress.advance(1);
        }
    }

    /// T_qi starts at l_qi (+0 for −0, see MinPlusKernel). Returns the smallest of them.
    T loadPartial(Range rows, Range columns, T* partial) const {
        T lowest = std::numeric_limits<T>::max();
        for (std::size_t q = rows.begin; q < rows.end; ++q, partial += side_) {
            const T* l = lower_.row(q) + columns.begin;
            for (std::size_t i = 0; i < columns.size(); ++i) {
                partial[i] = l[i] + T(0);
                lowest = std::min(lowest, l[i]);
            }
            std::fill(partial + columns.size(), partial + side_, T(0));
        }
        return lowest;
    }

    /// The smallest l_ji of a tile, i ≠ j.
    T lowestOf(Range rows, Range columns) const {
        T lowest = std::numeric_limits<T>::max();
        for (std::size_t j = rows.begin; j < rows.end; ++j)
            for (std::size_t i = std::max(columns.begin, rows == columns ? j + 1 : 0); i < columns.end; ++i)
                lowest = std::min(lowest, lower_(j, i));
        return lowest;
    }

    /// Keeps those candidates k with high_k − near_k > lowest.
    static void choose(Scratch& scratch, T lowest, const T* high, const T* near) {
        scratch.chosen.clear();
        scratch.selection.clear();
        for (std::size_t place = 0; place < scratch.candidates.size(); ++place) {
            const std::uint32_t k = scratch.candidates[place];
            if (high[k] - near[k] > lowest) {
                scratch.chosen.push_back(k);
                scratch.selection.push_back(static_cast<std::uint32_t>(place));
            }
        }
    }

    /// The operand that is packed afresh for every tile, as A: rows k of `matrix`, or their negation.
    struct StreamingOperand {
        MatrixView<const T> matrix;
        T padding;
        bool negate;
    };

    /// c_rc ← max(c_rc, operand_kr + stationary_kc) over the chosen k; `rows` and `columns` of the matrices.
    void multiply(Scratch& scratch, const StreamingOperand& operand, Range rows, Range columns, T* c,
                  bool onAndAboveDiagonal) {
        MinPlusProduct<T> product;
        product.a = scratch.streaming.data();
        product.b = scratch.stationary.data();
        product.bStripStride = stripStride<T>(scratch.candidates.size(), kernel_.columns);
        product.c = c;
        product.cRowStride = side_;
        product.rows = roundUp(rows.size(), kMinPlusBlock);
        product.columns = roundUp(columns.size(), kMinPlusBlock);
        product.onAndAboveDiagonal = onAndAboveDiagonal;
        for (const Range part : splitRange(scratch.chosen.size(), kDepth)) {
            packStrips<T>(
                scratch.streaming.data(), kernel_.rows, part.size(),
                [&](std::size_t k) {
                    return operand.matrix.row(scratch.chosen[part.begin + k]) + rows.begin;
                },
                rows.size(), product.rows, operand.padding, operand.negate);
            product.aStripStride = stripStride<T>(part.size(), kernel_.rows);
            product.depth = part.size();
            product.selection = scratch.selection.data() + part.begin;
            kernel_.maxPlus(product);
        }
        terms_ += scratch.chosen.size() * rows.size() * columns.size();
    }

    MatrixView<const T> lower_;
    MatrixView<const T> upper_;
    SymmetricTiles<T>& result_;
    const MinPlusKernel<T>& kernel_;
    int threads_;
    std::size_t n_;
    std::size_t side_;
    Matrix<T> nearest_;          ///< [tile I][p]: min over I of U_pi
    Matrix<T> highest_;          ///< [tile Q][p]: max over Q of l_pq
    std::vector<T> rowHighest_;  ///< max over all q of l_pq
    std::vector<T> rowLowest_;   ///< min over q ≠ i of l_iq
    std::vector<Scratch> scratch_;
    std::atomic<std::size_t> terms_{0};
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

template <class T>
double smoothLowerBounds(MatrixView<T> lower, MatrixView<const T> upper, SymmetricTiles<T>& result,
                         const MinPlusKernel<T>& kernel, int threads, Progress& progress) {
    const double share = LowerBoundProducts<T>(lower, upper, result, kernel, threads).run(progress);
    result.storeAll(lower, threads);
    return share;
}

template double smoothLowerBounds(MatrixView<float>, MatrixView<const float>, SymmetricTiles<float>&,
                                  const MinPlusKernel<float>&, int, Progress&);
template double smoothLowerBounds(MatrixView<double>, MatrixView<const double>, SymmetricTiles<double>&,
                                  const MinPlusKernel<double>&, int, Progress&);
template double smoothLowerBounds(MatrixView<std::int32_t>, MatrixView<const std::int32_t>,
                                  SymmetricTiles<std::int32_t>&, const MinPlusKernel<std::int32_t>&, int,
                                  Progress&);

}  // namespace glycine::bounds::cpu
