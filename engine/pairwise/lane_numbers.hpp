#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/core/host_memory.hpp"
#include "engine/pairwise/pairwise_engine.hpp"

/// Scores and identities as one number, for backends that align many pairs side by side.
///
/// A number holds score · 2^bits + identities, so that the larger one is the better alignment and sums are
/// sums of both. Global alignments are skewed: a cell (i, j) has i + j extensions added, which a gap that
/// goes on then costs nothing, and two more of which a pair of letters earns.
namespace glycine::pairwise {

/// Rows of a table of numbers, and its columns: codes, of which the last stands for what is beyond the end of
/// a sequence.
inline constexpr std::size_t kTableSide = kMostCodes;
inline constexpr std::uint8_t kBeyondEnd = kTableSide - 1;

/// Of alignments of up to so many letters.
class LaneNumbers {
  public:
    /// `hasIdentities`: otherwise numbers are scores alone.
    LaneNumbers(const PairScoring& scoring, std::size_t rows, std::size_t columns, bool hasIdentities)
        : scoring_(scoring),
          isLocal_(scoring.method == PairMethod::Local),
          hasIdentities_(hasIdentities),
          bits_(hasIdentities ? static_cast<int>(std::bit_width(std::min(rows, columns))) : 0) {
        const std::int64_t open = scoring.gaps.open, extend = scoring.gaps.extend;
        highest_ = scoreBounds(scoring, rows, columns).highest;
        const std::int64_t mismatch = std::max(-scoring.matrix.lowest(), 0);
        const std::int64_t skew =
            isLocal_ ? 0 : extend * static_cast<std::int64_t>(rows + columns + kMostColumnsAtOnce);
        const std::int64_t above = highest_ + skew + open + 2 * extend;
        const std::int64_t below = 3 * open + extend + mismatch + (isLocal_ ? highest_ : 0);
        reach_ = std::max(above, below) + 1;
    }

    /// Whether no number of a LaneBlock leaves the range of the type.
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
        // Beyond the end nothing is gained: of local alignments everything is lost.
        const std::int64_t beyond = isLocal_ ? -highest_ : matrix.lowest();
        for (std::size_t a = 0; a < kTableSide; ++a)
            for (std::size_t b = 0; b < kTableSide; ++b) {
                const bool isPair = a < matrix.size && b < matrix.size;
                const std::int64_t score = isPair ? matrix.scores[a][b] : beyond;
                table[a * kTableSide + b] = static_cast<Number>(packed(score + always) +
                                                                (hasIdentities_ && isPair && a == b ? 1 : 0));
            }
    }

    /// What the number of a pair of so many letters says: that of the last cell, which has an opening
    /// subtracted, or of local alignments of the best one.
    PairResult resultOf(std::int64_t number, std::size_t rows, std::size_t columns) const {
        if (!isLocal_) number += open() - extend() * static_cast<std::int64_t>(rows + columns);
        const std::int64_t score = number >> bits_;
        return {score, number - packed(score)};
    }

  private:
    static constexpr std::size_t kMostColumnsAtOnce = 32;  ///< by which columns are rounded up, at most

    std::int64_t packed(std::int64_t score) const { return score * (std::int64_t{1} << bits_); }

    const PairScoring& scoring_;
    bool isLocal_;
    bool hasIdentities_;
    int bits_;
    std::int64_t highest_ = 0;
    std::int64_t reach_ = 0;  ///< largest absolute value of a score in a cell
};

/// Of two sequences of which none has more letters, the largest number that fits, up to `most`.
template <class Number>
std::size_t mostLetters(const PairScoring& scoring, bool hasIdentities, std::size_t most) {
    return largestFitting(most, [&](std::size_t letters) {
        return LaneNumbers(scoring, letters, letters, hasIdentities).fit<Number>();
    });
}

}  // namespace glycine::pairwise
