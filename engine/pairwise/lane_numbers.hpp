#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/core/host_memory.hpp"
#include "engine/pairwise/lane_table.hpp"
#include "engine/pairwise/pairwise_engine.hpp"

/// Scores and identities packed into one number, for backends that align many pairs in parallel.
///
/// A number is score · 2^bits + identities. The larger number is the better alignment, and sums add both
/// parts. Global alignments are skewed: i + j extensions are added to cell (i, j). Extending a gap then costs
/// nothing, and a pair of letters gains two extensions.
namespace glycine::pairwise {

static_assert(kTableSide == kMaxCodes);

/// The numbers of alignments of sequences up to these lengths.
class LaneNumbers {
  public:
    /// Without `hasIdentities`, numbers are scores only.
    LaneNumbers(const PairScoring& scoring, std::size_t rows, std::size_t columns, bool hasIdentities)
        : scoring_(scoring),
          isLocal_(scoring.method == PairMethod::Local),
          hasIdentities_(hasIdentities),
          bits_(hasIdentities ? static_cast<int>(std::bit_width(std::min(rows, columns))) : 0) {
        const std::int64_t open = scoring.gaps.open, extend = scoring.gaps.extend;
        highest_ = scoreBounds(scoring, rows, columns).highest;
        const std::int64_t mismatch = std::max(-scoring.matrix.lowest(), 0);
        const std::int64_t skew =
            isLocal_ ? 0 : extend * static_cast<std::int64_t>(rows + columns + kMaxColumnsAtOnce);
        const std::int64_t above = highest_ + skew + open + 2 * extend;
        const std::int64_t below = 3 * open + extend + mismatch + (isLocal_ ? highest_ : 0);
        reach_ = std::max(above, below) + 1;
    }

    /// Whether all numbers of a LaneBlock are within the range of the type.
    template <class Number>
    bool fit() const {
        return fitUpTo(std::numeric_limits<Number>::max());
    }
    /// The same for numbers up to `largest`.
    bool fitUpTo(std::int64_t largest) const { return reach_ < largest >> bits_; }
    std::int64_t open() const { return packed(scoring_.gaps.open); }
    std::int64_t extend() const { return packed(scoring_.gaps.extend); }

    template <class Number>
    void fill(Number* table) const {
        const SubstitutionMatrix& matrix = scoring_.matrix;
        const std::int64_t always = scoring_.gaps.open + (isLocal_ ? 0 : 2 * scoring_.gaps.extend);
        // Pairs past the end gain nothing; in local alignments they lose everything.
        const std::int64_t beyond = isLocal_ ? -highest_ : matrix.lowest();
        for (std::size_t a = 0; a < kTableSide; ++a)
            for (std::size_t b = 0; b < kTableSide; ++b) {
                const bool isPair = a < matrix.size && b < matrix.size;
                const std::int64_t score = isPair ? matrix.scores[a][b] : beyond;
                table[a * kTableSide + b] = static_cast<Number>(packed(score + always) +
                                                                (hasIdentities_ && isPair && a == b ? 1 : 0));
            }
    }

    /// Unpacks the result of a pair of these lengths. `number` is the last cell, minus an opening, or for
    /// local alignments the best cell.
    PairResult resultOf(std::int64_t number, std::size_t rows, std::size_t columns) const {
        if (!isLocal_) number += open() - extend() * static_cast<std::int64_t>(rows + columns);
        const std::int64_t score = number >> bits_;
        return {score, number - packed(score)};
    }

  private:
    static constexpr std::size_t kMaxColumnsAtOnce = 32;  ///< upper bound for the rounding up of columns

    std::int64_t packed(std::int64_t score) const { return score * (std::int64_t{1} << bits_); }

    const PairScoring& scoring_;
    bool isLocal_;
    bool hasIdentities_;
    int bits_;
    std::int64_t highest_ = 0;
    std::int64_t reach_ = 0;  ///< largest absolute value of a score in a cell
};

/// The largest length, up to `most`, at which two sequences fit the number type.
template <class Number>
std::size_t mostLetters(const PairScoring& scoring, bool hasIdentities, std::size_t most) {
    return largestFitting(most, [&](std::size_t letters) {
        return LaneNumbers(scoring, letters, letters, hasIdentities).fit<Number>();
    });
}

}  // namespace glycine::pairwise
