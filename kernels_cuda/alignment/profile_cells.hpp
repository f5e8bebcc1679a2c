#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/alignment/copy_ahead.hpp"
#include "kernels_cuda/device/launch.hpp"
#include "kernels_cuda/device/whole_maxima.hpp"

/// Work of one thread for profile alignments. It also compiles as plain C++, so that it can be tested
/// without a device. The recurrences are those of engine/alignment/clustal/profile_alignment.cpp. Rows and
/// columns are those of a pass, from its start; `i` and `j` are those of the profiles.
namespace glycine::cuda {

// Kernels for profile alignments: the scores of all column pairs of two profiles, and passes over parts of
// their matrix, from a corner to a row in the middle. All numbers are integers.

/// Values per column.
inline constexpr int kProfileCodes = 32;

/// One profile.
struct ProfileTable {
    const int* values;    ///< kProfileCodes per column, from the first
    const int* open;      ///< of columns 0 … size
    const int* extend;    ///< of columns 0 … size
    const int* extendTo;  ///< 0 … size: sums of `extend` up to each column, from column 1
    int size;
};
/// Two profiles.
struct ProfilePairTable {
    ProfileTable first, second;
    int* scores;  ///< [column of the first profile][column of the second]
    int unit;     ///< divisor of sums of products
};

/// A pass from the corner after `row` and `column` over `rows` × `columns` cells; a backward pass goes over
/// the cells before the corner.
struct ProfilePass {
    std::uint32_t pair;
    int row, column, rows, columns;
    bool isBackward;
    bool opens;     ///< whether a gap over rows at the corner pays for its opening
    int* lines;     ///< scratch, kProfileLines × (columns + 1), if it does not fit shared memory
    int* best;      ///< result: last row, in the order of the profile's columns
    int* inRowGap;  ///< result: likewise
};
inline constexpr int kProfileLines = 6;
/// Scores are copied to shared memory this many anti-diagonals ahead.
inline constexpr int kDiagonalsAhead = 6;
inline constexpr int kScoreLines = kDiagonalsAhead + 1;

/// A pass over all cells of a pair. Gaps cost the extensions of their columns, at the ends too.
struct LinearPass {
    std::uint32_t pair;
    int* lines;  ///< scratch, kLinearLines × (columns + 1), likewise
    /// Result, two bits per cell: 0 for both columns, 1 for the first profile's, 2 for the second's. Each
    /// number holds the cells of 16 anti-diagonals in one column, lowest bits first; the numbers of adjacent
    /// columns are adjacent.
    std::uint32_t* moves;
};
inline constexpr int kLinearLines = 3;
inline constexpr int kMovesOfNumber = 16;
/// The size of `moves` for profiles with these numbers of columns.
inline std::size_t linearMoves(std::size_t first, std::size_t second) {
    return ((first + second) / kMovesOfNumber + 1) * (second + 1);
}

/// Computes `scores` of all pairs, none of which has more columns than these.
void launchProfileScores(const Launch& launch, const ProfilePairTable* pairs, std::uint32_t pairCount,
                         std::uint32_t mostFirst, std::uint32_t mostSecond);
/// The largest sizes among passes of one launch.
struct PassSizes {
    std::uint32_t columns = 0;
    std::uint32_t diagonal = 0;  ///< cells of the longest anti-diagonal
};
/// Runs all passes, one per block.
void launchProfilePasses(const Launch& launch, const ProfilePairTable* pairs, const ProfilePass* passes,
                         std::uint32_t passCount, const PassSizes& most);
void launchLinearPasses(const Launch& launch, const ProfilePairTable* pairs, const LinearPass* passes,
                        std::uint32_t passCount, const PassSizes& most);

/// The sum of products of two columns' values, divided by `unit` and rounded towards 0.
GLYCINE_HOST_DEVICE inline int profileScore(const int* first, const int* second, int unit) {
    int sum = 0;
    for (int code = 0; code < kProfileCodes; ++code) sum += first[code] * second[code];
    return sum / unit;
}

/// The costs of gaps at a position of two profiles.
struct PlacedCosts {
    const ProfileTable& first;
    const ProfileTable& second;

    // A gap over columns of the second profile.
    GLYCINE_HOST_DEVICE bool isColumnGapFree(int i) const { return i == 0 || i == first.size; }
    GLYCINE_HOST_DEVICE int columnOpen(int i, int j) const {
        return isColumnGapFree(i) ? 0 : first.open[i] + second.open[j];
    }
    GLYCINE_HOST_DEVICE int columnExtend(int i, int j) const {
        return isColumnGapFree(i) ? 0 : second.extend[j];
    }
    // A gap over columns of the first profile.
    GLYCINE_HOST_DEVICE bool isRowGapFree(int j) const { return j == 0 || j == second.size; }
    GLYCINE_HOST_DEVICE int rowOpen(int i, int j) const {
        return isRowGapFree(j) ? 0 : first.open[i] + second.open[j];
    }
    GLYCINE_HOST_DEVICE int rowExtend(int i, int j) const { return isRowGapFree(j) ? 0 : first.extend[i]; }
};

/// The scores of a cell.
struct ProfileCell {
    int best;
    int inColumnGap;  ///< of paths that end there in a gap over columns
    int inRowGap;     ///< of paths that end there in a gap over rows
};

/// A cell of the first row or column. Forwards, a gap along an edge costs its first extension for every
/// column.
GLYCINE_HOST_DEVICE inline ProfileCell edgeCell(const ProfilePass& pass, const PlacedCosts& costs, int row,
                                                int column) {
    const int i = pass.row, j = pass.column;
    ProfileCell cell{0, 0, 0};
    if (!pass.isBackward) {
        if (row == 0 && column > 0) {
            cell.best = -costs.columnOpen(i, j + 1) - column * costs.columnExtend(i, j + 1);
            cell.inRowGap = cell.best - costs.rowOpen(i + 1, j + column);
        } else if (row > 0) {
            cell.best = -(pass.opens ? costs.rowOpen(i + 1, j) : 0) - row * costs.rowExtend(i + 1, j);
            cell.inColumnGap = cell.best - costs.columnOpen(i + row, j + 1);
        }
    } else if (row == 0 && column > 0) {
        if (!costs.isColumnGapFree(i))
            cell.best = costs.second.extendTo[j - column] - costs.second.extendTo[j];
        cell.best -= costs.columnOpen(i, j - column + 1);
        cell.inRowGap = cell.best - costs.rowOpen(i, j - column);
    } else if (row > 0) {
        if (!costs.isRowGapFree(j)) cell.best = costs.first.extendTo[i - row] - costs.first.extendTo[i];
        cell.best -= pass.opens ? costs.rowOpen(i - row + 1, j) : 0;
        cell.inColumnGap = cell.best - costs.columnOpen(i - row, j);
    }
    // The path along the edge ends in a gap over rows.
    if (column == 0) cell.inRowGap = cell.best;
    return cell;
}

/// An inner cell, from the three cells before it. Backwards, the opening of a gap is charged at its other
/// end, so it moves as the gap grows.
GLYCINE_HOST_DEVICE inline ProfileCell innerCell(const ProfilePass& pass, const PlacedCosts& costs, int row,
                                                 int column, int score, int diagonal, const ProfileCell& left,
                                                 const ProfileCell& above) {
    int columnOpen, columnExtend, columnOpened, rowOpen, rowExtend, rowOpened;
    if (!pass.isBackward) {
        const int i = pass.row + row, j = pass.column + column;
        columnOpen = columnOpened = costs.columnOpen(i, j);
        columnExtend = costs.columnExtend(i, j);
        rowOpen = rowOpened = costs.rowOpen(i, j);
        rowExtend = costs.rowExtend(i, j);
    } else {
        const int i = pass.row - row, j = pass.column - column;
        columnOpen = costs.columnOpen(i, j + 1);
        columnOpened = costs.columnOpen(i, column > 1 ? j + 2 : j + 1);
        columnExtend = costs.columnExtend(i, j + 1);
        rowOpen = costs.rowOpen(i + 1, j);
        rowOpened = costs.rowOpen(row > 1 ? i + 2 : i + 1, j);
        rowExtend = costs.rowExtend(i + 1, j);
    }
    ProfileCell cell;
    cell.inColumnGap =
        larger(left.best - columnOpen, left.inColumnGap - columnOpen + columnOpened) - columnExtend;
    cell.inRowGap = larger(above.best - rowOpen, above.inRowGap - rowOpen + rowOpened) - rowExtend;
    cell.best = larger(larger(diagonal + score, cell.inColumnGap), cell.inRowGap);
    return cell;
}

/// Visits a thread's columns on an anti-diagonal: every `lanes`-th one, the same on all anti-diagonals.
template <class Body>
GLYCINE_HOST_DEVICE inline void forColumns(int rows, int columns, int diagonal, int lane, int lanes,
                                           const Body& body) {
    const int first = larger(diagonal - rows, 0), last = diagonal < columns ? diagonal : columns;
    int column = lane < first ? lane + (first - lane + lanes - 1) / lanes * lanes : lane;
    for (; column <= last; column += lanes) body(diagonal - column, column);
}

/// The scores of a pass's cells. With `copiesAhead`, each thread copies the scores of its columns to
/// `copies`, kScoreLines × (columns + 1) numbers of shared memory, before their anti-diagonal is reached. A
/// null pointer cannot stand for "no copies": nvcc 13.0 assumes that a pointer that may point to shared
/// memory always does, and is never null.
struct PassScores {
    GLYCINE_HOST_DEVICE PassScores(const ProfilePairTable& pair, const ProfilePass& pass, int* copies,
                                   bool copiesAhead)
        : scores(pair.scores),
          corner(static_cast<long long>(pass.row) * pair.second.size + pass.column),
          pitch(pair.second.size),
          rows(pass.rows),
          columns(pass.columns),
          isBackward(pass.isBackward),
          ahead(copies),
          isAhead(copiesAhead) {}

    GLYCINE_HOST_DEVICE const int* placeOf(int row, int column) const {
        return scores +
               (isBackward ? corner - row * pitch - column : corner + (row - 1) * pitch + column - 1);
    }
    GLYCINE_HOST_DEVICE int* copyOf(int diagonal, int column) const {
        return ahead + diagonal % kScoreLines * (columns + 1) + column;
    }
    GLYCINE_HOST_DEVICE void copy(int diagonal, int lane, int lanes) const {
        if (!isAhead) return;
        forColumns(rows, columns, diagonal, lane, lanes, [&](int row, int column) {
            if (row > 0 && column > 0) copyAhead(copyOf(diagonal, column), placeOf(row, column));
        });
        closeGroupAhead();
    }
    GLYCINE_HOST_DEVICE int at(int diagonal, int row, int column) const {
        return isAhead ? *copyOf(diagonal, column) : *placeOf(row, column);
    }

    const int* scores;
    long long corner, pitch;
    int rows, columns;
    bool isBackward;
    int* ahead;
    bool isAhead;
};

/// Computes a thread's cells of an anti-diagonal; the previous anti-diagonals must be done.
GLYCINE_HOST_DEVICE inline void computeDiagonal(const ProfilePass& pass, const ProfilePairTable& pair,
                                                const PassScores& scores, int diagonal, int lane, int lanes) {
    const PlacedCosts costs{pair.first, pair.second};
    const int width = pass.columns + 1;
    // A cell's results are stored by column: only the cell below reads the gaps over rows there.
    int* const best = pass.lines + diagonal % 3 * width;
    const int* const bestBefore = pass.lines + (diagonal + 2) % 3 * width;
    const int* const bestTwoBefore = pass.lines + (diagonal + 1) % 3 * width;
    int* const inColumnGap = pass.lines + (3 + diagonal % 2) * width;
    const int* const inColumnGapBefore = pass.lines + (3 + (diagonal + 1) % 2) * width;
    int* const inRowGap = pass.lines + 5 * width;
    forColumns(pass.rows, pass.columns, diagonal, lane, lanes, [&](int row, int column) {
        const ProfileCell cell = row == 0 || column == 0
                                     ? edgeCell(pass, costs, row, column)
                                     : innerCell(pass, costs, row, column, scores.at(diagonal, row, column),
                                                 bestTwoBefore[column - 1],
                                                 {bestBefore[column - 1], inColumnGapBefore[column - 1], 0},
                                                 {bestBefore[column], 0, inRowGap[column]});
        best[column] = cell.best;
        inColumnGap[column] = cell.inColumnGap;
        inRowGap[column] = cell.inRowGap;
        if (row == pass.rows) {
            const int place = pass.isBackward ? pass.columns - column : column;
            pass.best[place] = cell.best;
            pass.inRowGap[place] = cell.inRowGap;
        }
    });
}

/// A linear pass as a pass over all cells.
GLYCINE_HOST_DEVICE inline ProfilePass wholePass(const LinearPass& pass, const ProfilePairTable& pair) {
    return {pass.pair, 0, 0, pair.first.size, pair.second.size, false, false, pass.lines, nullptr, nullptr};
}

/// The same for the linear scheme.
GLYCINE_HOST_DEVICE inline void computeLinearDiagonal(const LinearPass& pass, const ProfilePairTable& pair,
                                                      const PassScores& scores, int diagonal, int lane,
                                                      int lanes) {
    const int width = pair.second.size + 1;
    int* const best = pass.lines + diagonal % 3 * width;
    const int* const bestBefore = pass.lines + (diagonal + 2) % 3 * width;
    const int* const bestTwoBefore = pass.lines + (diagonal + 1) % 3 * width;
    std::uint32_t* const moves = pass.moves + std::size_t(diagonal / kMovesOfNumber) * std::size_t(width);
    const int place = diagonal % kMovesOfNumber;
    forColumns(pair.first.size, pair.second.size, diagonal, lane, lanes, [&](int row, int column) {
        std::uint32_t move = 0;
        if (row == 0 || column == 0) {
            best[column] = -(row == 0 ? pair.second.extendTo[column] : pair.first.extendTo[row]);
        } else {
            const int both = bestTwoBefore[column - 1] + scores.at(diagonal, row, column);
            const int fromFirst = bestBefore[column] - pair.first.extend[row];
            const int here =
                larger(larger(both, fromFirst), bestBefore[column - 1] - pair.second.extend[column]);
            move = here == both ? 0 : here == fromFirst ? 1 : 2;
            best[column] = here;
        }
        // The first cell of each column is that of row 0.
        const std::uint32_t before = row == 0 || place == 0 ? 0 : moves[column];
        moves[column] = before | move << (2 * place);
    });
}

/// The move that a linear pass found for a cell.
inline unsigned linearMove(const std::uint32_t* moves, std::size_t columns, std::size_t row,
                           std::size_t column) {
    const std::size_t diagonal = row + column;
    return moves[diagonal / kMovesOfNumber * (columns + 1) + column] >> (2 * (diagonal % kMovesOfNumber)) &
           3U;
}

}  // namespace glycine::cuda
