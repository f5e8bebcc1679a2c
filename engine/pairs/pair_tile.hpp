#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/matrix.hpp"
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

}  // namespace glycine::pairs
