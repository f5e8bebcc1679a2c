#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels_cuda/alignment/copy_ahead.hpp"
#include "kernels_cuda/device/launch.hpp"
#include "kernels_cuda/device/whole_maxima.hpp"

/// What a thread computes of profile alignments; plain C++, too, so that it is tested without a device. The
/// recurrences are those of engine/alignment/clustal/profile_alignment.cpp; rows and columns are
/// those of a pass, from its beginning on, `i` and `j` those of the profiles.
namespace glycine::cuda {

// Launches of profile alignments: the scores of all pairs of columns of two profiles, and passes over parts
// of their matrix, from one of its corners to a row in its middle. Whole numbers throughout.

/// Values of a column.
inline constexpr int kProfileCodes = 32;

/// One profile.
struct ProfileTable {
    const int* values;    ///< kProfileCodes of each column, from the first on
    const int* open;      ///< of columns 0 … size
    const int* extend;    ///< of columns 0 … size
    const int* extendTo;  ///< 0 … size: sums of `extend` up to each column, from column 1 on
    int size;
};
/// Two of them.
struct ProfilePairTable {
    ProfileTable first, second;
    int* scores;  ///< rows are columns of the first profile, columns those of the second
    int unit;     ///< that sums of products are divided by
};

/// From the corner behind `row` and `column` on over the cells of so many rows and columns; backwards they
/// lie before it.
struct ProfilePass {
    std::uint32_t pair;
    int row, column, rows, columns;
    bool isBackward;
    bool opens;     ///< whether a gap over rows at the corner is a new one
    int* lines;     ///< kProfileLines × (columns + 1), anything; where they do not fit shared memory
    int* best;      ///< found: of the last row, in the order of the profile's columns
    int* inRowGap;  ///< found: the same
};
inline constexpr int kProfileLines = 6;
/// Scores are copied into shared memory so many anti-diagonals before they are added.
inline constexpr int kDiagonalsAhead = 6;
inline constexpr int kScoreLines = kDiagonalsAhead + 1;

/// Over all cells of a pair: gaps cost the extensions that they run over, at the ends as elsewhere.
struct LinearPass {
    std::uint32_t pair;
    int* lines;  ///< kLinearLines × (columns + 1), the same
    /// Found, two bits a cell: 0 both columns, 1 the first profile's, 2 the second's. Cells of 16
    /// anti-diagonals in a number, from the lowest bits on; numbers of a column beside each other.
    std::uint32_t* moves;
};
inline constexpr int kLinearLines = 3;
inline constexpr int kMovesOfNumber = 16;
/// Numbers of `moves` for profiles of so many columns.
inline std::size_t linearMoves(std::size_t first, std::size_t second) {
    return ((first + second) / kMovesOfNumber + 1) * (second + 1);
}

/// `scores` of all pairs, of which none has more columns than these.
void launchProfileScores(const Launch& launch, const ProfilePairTable* pairs, std::uint32_t pairCount,
                         std::uint32_t mostFirst, std::uint32_t mostSecond);
/// Of passes that are launched together the most.
struct PassSizes {
    std::uint32_t columns = 0;
    std::uint32_t diagonal = 0;  ///< cells of the longest anti-diagonal
};
/// All passes, a block each.
void launchProfilePasses(const Launch& launch, const ProfilePairTable* pairs, const ProfilePass* passes,
                         std::uint32_t passCount, const PassSizes& most);
void launchLinearPasses(const Launch& launch, const ProfilePairTable* pairs, const LinearPass* passes,
                        std::uint32_t passCount, const PassSizes& most);

/// Sums of products of two columns' values. Quotients are rounded towards 0.
GLYCINE_HOST_DEVICE inline int profileScore(const int* first, const int* second, int unit) {
    int sum = 0;
    for (int code = 0; code < kProfileCodes; ++code) sum += first[code] * second[code];
    return sum / unit;
}

/// What gaps cost at a place of two profiles.
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

/// Numbers of a cell.
struct ProfileCell {
    int best;
    int inColumnGap;  ///< of paths that end there in a gap over columns
    int inRowGap;     ///< in a gap over rows
};

/// A cell of the first row or column. Forwards a gap along an edge goes on by its first extension.
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
    // The path along the edge has a gap over rows at its end.
    if (column == 0) cell.inRowGap = cell.best;
    return cell;
}

/// A cell within, from the three before it. Backwards, what opens a gap stands at its other end and moves
/// along with it.
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

/// A thread's columns on an anti-diagonal: every `lanes`th one, the same of all anti-diagonals.
template <class Body>
GLYCINE_HOST_DEVICE inline void forColumns(int rows, int columns, int diagonal, int lane, int lanes,
                                           const Body& body) {
    const int first = larger(diagonal - rows, 0), last = diagonal < columns ? diagonal : columns;
    int column = lane < first ? lane + (first - lane + lanes - 1) / lanes * lanes : lane;
    for (; column <= last; column += lanes) body(diagonal - column, column);
}

/// Scores of the cells of a pass. Where `copiesAhead`, a thread copies those of its columns to `copies`,
/// kScoreLines × (columns + 1) numbers of shared memory, before their anti-diagonal is reached. (No null
/// pointer says so: nvcc 13.0 takes any pointer for one into shared memory that may be one, and none of those
/// is null.)
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

/// A thread's cells of an anti-diagonal; those of the anti-diagonals before are done.
GLYCINE_HOST_DEVICE inline void computeDiagonal(const ProfilePass& pass, const ProfilePairTable& pair,
                                                const PassScores& scores, int diagonal, int lane, int lanes) {
    const PlacedCosts costs{pair.first, pair.second};
    const int width = pass.columns + 1;
    // What a cell leaves stands in its column: there alone a cell below reads gaps over rows.
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

/// A linear pass as one over all cells.
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
        // A column's first cell is that of row 0.
        const std::uint32_t before = row == 0 || place == 0 ? 0 : moves[column];
        moves[column] = before | move << (2 * place);
    });
}

/// What such a pass has found of a cell.
inline unsigned linearMove(const std::uint32_t* moves, std::size_t columns, std::size_t row,
                           std::size_t column) {
    const std::size_t diagonal = row + column;
    return moves[diagonal / kMovesOfNumber * (columns + 1) + column] >> (2 * (diagonal % kMovesOfNumber)) &
           3U;
}

}  // namespace glycine::cuda
