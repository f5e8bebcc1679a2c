#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/tiling.hpp"

/// Symmetric all-pairs problems: a value for each pair of N instances, computed tile by tile.
namespace glycine::pairs {

/// Pairs (row, column) of instances. Either rows == columns (a tile on the diagonal: only the pairs with
/// column < row count), or all columns come before all rows.
struct PairTile {
    Range rows;
    Range columns;
    bool isDiagonal() const { return rows == columns; }
    /// Number of pairs with column < row.
    std::size_t pairs() const {
        return isDiagonal() ? rows.size() * (rows.size() - 1) / 2 : rows.size() * columns.size();
    }
    bool operator==(const PairTile&) const = default;
};

/// Number `number` of all pairs with column < row: (1, 0), (2, 0), (2, 1) …, as a tile of its own.
PairTile pairNumber(std::size_t number);

/// All tiles of side `side` (the last ones smaller) on and below the diagonal, row by row.
std::vector<PairTile> tilesBelowDiagonal(std::size_t instances, std::size_t side);

/// Cuts a tile into tiles with sides of at most `side`; together they hold the same pairs.
std::vector<PairTile> cutTile(const PairTile& tile, std::size_t side);

/// The part of `whole`, a result of `tile`, that belongs to `piece` of it; empty if `whole` is.
template <class T>
MatrixView<T> partOf(MatrixView<T> whole, const PairTile& tile, const PairTile& piece) {
    if (whole.empty()) return whole;
    return whole.block(piece.rows.begin - tile.rows.begin, piece.columns.begin - tile.columns.begin,
                       piece.rows.size(), piece.columns.size());
}

/// Takes finished tiles of the symmetric N × N result, from one thread.
class PairSink {
  public:
    virtual ~PairSink() = default;
    /// Whether an earlier run has left this tile finished and intact.
    virtual bool has(const PairTile&) const { return false; }
    /// `values`: rows × columns of the tile; elements with column ≥ row of a tile on the diagonal mean
    /// nothing. The diagonal of the result is the sink's to know (0, or 1 for a similarity). Tiles that hold
    /// no pair (one instance beside itself) are handed over, too.
    virtual void store(const PairTile& tile, MatrixView<const double> values) = 0;
};

/// A result on its way, tile by tile.
struct TileLoop {
    std::size_t instances = 0;
    std::size_t side = 0;    ///< of the tiles
    std::string_view stage;  ///< for progress: "counting"
    double workPerPair = 0;  ///< that `compute` tells the progress
};
/// What became of it.
struct TileCount {
    std::size_t tiles = 0;
    std::size_t tilesResumed = 0;  ///< of these, kept from an earlier run
    double storeSeconds = 0;       ///< that the sink took
};

/// Computes all tiles that `sink` lacks, one after another, and hands them over. Throws CancelledError
/// between tiles.
TileCount computeTiles(const TileLoop& loop, PairSink& sink, Progress& progress,
                       const std::function<void(const PairTile& tile, MatrixView<double> values)>& compute);

}  // namespace glycine::pairs
