#include "engine/algorithms/align/clustalw/profile_alignment.hpp"

#include <algorithm>

namespace glycine::align::clustalw {

namespace {

/// Rows are columns of the first profile, columns those of the second.
class Division {
  public:
    Division(const Profile& first, const Profile& second)
        : first_(first),
          second_(second),
          best_(second.size + 1),
          inRowGap_(second.size + 1),
          reverseBest_(second.size + 1),
          reverseInRowGap_(second.size + 1),
          reverseOpen_(second.size + 1) {}

    ProfileAlignment run() {
        ProfileAlignment result;
        result.score = divide(0, 0, first_.size, second_.size, true, true);
        // Between two pairs of columns, those of the second profile come before those of the first.
        for (auto begin = steps_.begin(); begin != steps_.end();) {
            const auto end = std::find(begin, steps_.end(), Step::Both);
            std::partition(begin, end, [](Step step) { return step == Step::Second; });
            begin = std::find_if(end, steps_.end(), [](Step step) { return step != Step::Both; });
        }
        result.steps = std::move(steps_);
        return result;
    }

  private:
    int score(std::size_t row, std::size_t column) const {
        const int* a = first_.column(row);
        const int* b = second_.column(column);
        int sum = 0;
        for (std::size_t code = 0; code < kMostCodes; ++code) sum += a[code] * b[code];
        return sum / 10;
    }

    // A gap over columns of the second profile, beside `row` of the first.
    bool isColumnGapFree(std::size_t row) const { return row == 0 || row == first_.size; }
    int columnOpen(std::size_t row, std::size_t column) const {
        return isColumnGapFree(row) ? 0 : first_.open[row] + second_.open[column];
    }
    int columnExtend(std::size_t row, std::size_t column) const {
        return isColumnGapFree(row) ? 0 : second_.extend[column];
    }
    int columnGap(std::size_t row, std::size_t column, std::size_t length) const {
        if (length == 0 || isColumnGapFree(row)) return 0;
        int cost = columnOpen(row, column);
        for (std::size_t k = 0; k < length; ++k) cost += columnExtend(row, column + k);
        return cost;
    }
    // A gap over columns of the first profile, beside `column` of the second.
    bool isRowGapFree(std::size_t column) const { return column == 0 || column == second_.size; }
    int rowOpen(std::size_t row, std::size_t column) const {
        return isRowGapFree(column) ? 0 : first_.open[row] + second_.open[column];
    }
    int rowExtend(std::size_t row, std::size_t column) const {
        return isRowGapFree(column) ? 0 : first_.extend[row];
    }
    int rowGap(std::size_t row, std::size_t column, std::size_t length) const {
        if (length == 0 || isRowGapFree(column)) return 0;
        int cost = rowOpen(row, column);
        for (std::size_t k = 0; k < length; ++k) cost += rowExtend(row + k, column);
        return cost;
    }

    void put(Step step, std::size_t count) { steps_.insert(steps_.end(), count, step); }

    /// Aligns `rows` behind `row` with `columns` behind `column`; `opensBefore`, `opensBehind`: whether a gap
    /// over rows at that end is a new one.
    int divide(std::size_t row, std::size_t column, std::size_t rows, std::size_t columns, bool opensBefore,
               bool opensBehind) {
        if (columns == 0) {
            put(Step::First, rows);
            return -rowGap(row + 1, column, rows);
        }
        if (rows == 0) {
            put(Step::Second, columns);
            return -columnGap(row, column + 1, columns);
        }
        if (rows == 1) return placeRow(row, column, columns, opensBefore);
        const std::size_t middle = rows / 2;
        forward(row, column, middle, columns, opensBefore);
        backward(row, column, middle, rows, columns, opensBehind);

        int best = best_[column] + reverseBest_[column];
        std::size_t at = 0;
        bool isInGap = false;
        for (std::size_t j = 0; j <= columns; ++j) {
            const std::size_t k = column + j;
            const int sum = best_[k] + reverseBest_[k];
            if (sum > best ||
                (sum == best && best_[k] != inRowGap_[k] && reverseBest_[k] == reverseInRowGap_[k])) {
                best = sum;
                at = j;
            }
        }
        for (std::size_t j = columns + 1; j-- > 0;) {
            const std::size_t k = column + j;
            const int sum = inRowGap_[k] + reverseInRowGap_[k] + reverseOpen_[k];
            if (sum > best) {
                best = sum;
                at = j;
                isInGap = true;
            }
        }
        if (isInGap) {
            divide(row, column, middle - 1, at, opensBefore, false);
            put(Step::First, 2);
            divide(row + middle + 1, column + at, rows - middle - 1, columns - at, false, opensBehind);
        } else {
            divide(row, column, middle, at, opensBefore, true);
            divide(row + middle, column + at, rows - middle, columns - at, true, opensBehind);
        }
        return best;
    }

    /// One row: beside a gap, or with the column where it fits best.
    int placeRow(std::size_t row, std::size_t column, std::size_t columns, bool opensBefore) {
        int best = -columnGap(row + 1, column + 1, columns) - (opensBefore ? rowGap(row + 1, column, 1) : 0);
        std::size_t at = 0;
        for (std::size_t j = 1; j <= columns; ++j) {
            const int sum = score(row + 1, column + j) - columnGap(row, column + 1, j - 1) -
                            columnGap(row + 1, column + j + 1, columns - j);
            if (sum > best) {
                best = sum;
                at = j;
            }
        }
        if (at == 0) {
            put(Step::First, 1);
            put(Step::Second, columns);
        } else {
            put(Step::Second, at - 1);
            put(Step::Both, 1);
            put(Step::Second, columns - at);
        }
        return best;
    }

    /// Along both edges the program goes by the first extension of each, whatever follows, and so do we.
    void forward(std::size_t row, std::size_t column, std::size_t rows, std::size_t columns,
                 bool opensBefore) {
        best_[column] = 0;
        int edge = -columnOpen(row, column + 1);
        for (std::size_t j = column + 1; j <= column + columns; ++j) {
            edge -= columnExtend(row, column + 1);
            best_[j] = edge;
            inRowGap_[j] = edge - rowOpen(row + 1, j);
        }
        edge = opensBefore ? -rowOpen(row + 1, column) : 0;
        for (std::size_t i = row + 1; i <= row + rows; ++i) {
            int diagonal = best_[column];
            edge -= rowExtend(row + 1, column);
            int here = best_[column] = edge;
            int inColumnGap = edge - columnOpen(i, column + 1);
            for (std::size_t j = column + 1; j <= column + columns; ++j) {
                const int extend = columnExtend(i, j);
                inColumnGap = std::max(here - columnOpen(i, j) - extend, inColumnGap - extend);
                const int rowStep = rowExtend(i, j);
                inRowGap_[j] = std::max(best_[j] - rowOpen(i, j) - rowStep, inRowGap_[j] - rowStep);
                here = std::max({diagonal + score(i, j), inColumnGap, inRowGap_[j]});
                diagonal = best_[j];
                best_[j] = here;
            }
        }
        inRowGap_[column] = best_[column];
    }

    /// The same from the other end; what opens a gap stands at its left and moves along with it.
    void backward(std::size_t row, std::size_t column, std::size_t middle, std::size_t rows,
                  std::size_t columns, bool opensBehind) {
        const std::size_t last = column + columns;
        const std::size_t lastRow = row + rows;
        reverseBest_[last] = 0;
        int extended = 0;
        for (std::size_t j = last; j-- > column;) {
            extended -= columnExtend(lastRow, j + 1);
            reverseBest_[j] = extended - columnOpen(lastRow, j + 1);
            reverseOpen_[j] = rowOpen(lastRow, j);
            reverseInRowGap_[j] = reverseBest_[j] - reverseOpen_[j];
        }
        extended = 0;
        for (std::size_t i = lastRow; i-- > row + middle;) {
            int diagonal = reverseBest_[last];
            extended -= rowExtend(i + 1, last);
            const int edge = extended - (opensBehind ? rowOpen(i + 1, last) : 0);
            int here = reverseBest_[last] = edge;
            int opened = columnOpen(i, last);
            int inColumnGap = edge - opened;
            for (std::size_t j = last; j-- > column;) {
                const int open = columnOpen(i, j + 1);
                const int extend = columnExtend(i, j + 1);
                inColumnGap = std::max(here - open - extend, inColumnGap - extend - open + opened);
                opened = open;
                const int rowOpening = rowOpen(i + 1, j);
                const int rowStep = rowExtend(i + 1, j);
                reverseInRowGap_[j] = std::max(reverseBest_[j] - rowOpening - rowStep,
                                               reverseInRowGap_[j] - rowStep - rowOpening + reverseOpen_[j]);
                reverseOpen_[j] = rowOpening;
                here = std::max({diagonal + score(i + 1, j + 1), inColumnGap, reverseInRowGap_[j]});
                diagonal = reverseBest_[j];
                reverseBest_[j] = here;
            }
        }
        reverseInRowGap_[last] = reverseBest_[last];
        // Also where the gap goes on behind, and has not been opened here: ClustalW adds it there too, and so
        // do we.
        reverseOpen_[last] = rowOpen(row + middle + 1, last);
    }

    const Profile& first_;
    const Profile& second_;
    std::vector<int> best_;             ///< of paths that end in the row at hand
    std::vector<int> inRowGap_;         ///< of those that end in a gap over rows
    std::vector<int> reverseBest_;      ///< of paths that begin behind it
    std::vector<int> reverseInRowGap_;  ///< of those that begin with a gap over rows
    std::vector<int> reverseOpen_;      ///< what opening that gap has cost
    std::vector<Step> steps_;
};

}  // namespace

ProfileAlignment alignProfiles(const Profile& first, const Profile& second) {
    return Division(first, second).run();
}

}  // namespace glycine::align::clustalw
