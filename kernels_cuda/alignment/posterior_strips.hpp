#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels_cuda/alignment/copy_ahead.hpp"
#include "kernels_cuda/alignment/posterior_kernels.hpp"

/// Work of one thread of a warp for its pair of sequences. It also compiles as plain C++, so that it
/// can be tested without a device. Rows are the query's, in strips of kPosteriorRows. The state of a strip's
/// rows stays in registers while the columns go by. The values passed from its last row to the next strip are
/// kept in memory, one set per column. The sums of a strip are divided by one power of two, which is known
/// before the strip begins: it comes from the previous strip's sums.
///
/// Sources: forward and backward sums: R. Durbin, S. R. Eddy, A. Krogh, G. Mitchison, "Biological sequence
/// analysis", Cambridge 1998, chapter 4; recomputed stretches: J. A. Grice, R. Hughey, D. Speck, "Reduced
/// space sequence alignment", CABIOS 13 (1997), 45–53.
namespace glycine::cuda {

#ifdef __CUDA_ARCH__
#define GLYCINE_UNROLLED _Pragma("unroll")
#else
#define GLYCINE_UNROLLED
#endif

// Sums of posteriors and the powers of two that divide them.

/// The largest sums of a row are near 2^kPosteriorTarget. Odds are below 2^6 and a strip has at most 8 rows,
/// so no sum of a strip reaches 2^127.
template <class Number>
inline constexpr int kPosteriorTarget = sizeof(Number) == 4 ? 60 : 500;
/// The format has the powers of two from 2^−k to 2^k.
template <class Number>
inline constexpr int kPosteriorPowers = sizeof(Number) == 4 ? 126 : 1022;

// CUDA's functions for both formats.
GLYCINE_HOST_DEVICE inline float times2To(float x, int exponent) {
    return ldexpf(x, exponent);
}
GLYCINE_HOST_DEVICE inline double times2To(double x, int exponent) {
    return ldexp(x, exponent);
}
GLYCINE_HOST_DEVICE inline float multiplyAdd(float a, float b, float c) {
    return fmaf(a, b, c);
}
GLYCINE_HOST_DEVICE inline double multiplyAdd(double a, double b, double c) {
    return fma(a, b, c);
}
GLYCINE_HOST_DEVICE inline float larger(float a, float b) {
    return fmaxf(a, b);
}
GLYCINE_HOST_DEVICE inline double larger(double a, double b) {
    return fmax(a, b);
}
GLYCINE_HOST_DEVICE inline float squareRoot(float x) {
    return sqrtf(x);
}
GLYCINE_HOST_DEVICE inline double squareRoot(double x) {
    return sqrt(x);
}

/// end · 2^exponent
template <class Number>
GLYCINE_HOST_DEVICE Number scaledEnd(const PosteriorEnd& end, int exponent) {
    return times2To(static_cast<Number>(end.mantissa), end.exponent + exponent);
}

/// The exponent by which the next strip's sums are divided, relative to that of the strip whose largest sum
/// is given; 0 if that sum is 0 or not finite.
template <class Number>
GLYCINE_HOST_DEVICE int shiftAfter(Number largest) {
    constexpr Number kMax = sizeof(Number) == 4 ? static_cast<Number>(3e38) : static_cast<Number>(1e308);
    if (!(largest > 0 && largest <= kMax)) return 0;
    int exponent = 0;
    frexp(static_cast<double>(largest), &exponent);
    const int shift = exponent - 1 - kPosteriorTarget<Number>, most = kPosteriorPowers<Number>;
    return shift < -most ? -most : shift > most ? most : shift;
}

/// A sum outside the range of the numbers.
struct ScaledTotal {
    double mantissa = 0;
    int exponent = 0;

    GLYCINE_HOST_DEVICE void add(double value, int exponentOfValue) {
        if (value == 0) return;
        if (mantissa == 0) exponent = exponentOfValue;
        if (exponentOfValue > exponent) {
            mantissa = ldexp(mantissa, exponent - exponentOfValue);
            exponent = exponentOfValue;
        }
        mantissa += ldexp(value, exponentOfValue - exponent);
    }
    GLYCINE_HOST_DEVICE bool isUsable() const { return mantissa > 0 && mantissa <= 1e307; }
};

/// Values that a strip passes to the next one in a column. Forwards: the sum that the pair diagonally below
/// may follow, and the gaps that end there. Backwards: the same for everything after.
template <class Number, std::uint32_t kKinds>
struct StripEdge {
    Number diagonal = 0;
    Number gaps[kKinds] = {};

    GLYCINE_HOST_DEVICE void load(const Number* from, Number scale) {
        diagonal = from[0] * scale;
        GLYCINE_UNROLLED
        for (std::uint32_t kind = 0; kind < kKinds; ++kind)
            gaps[kind] = from[(1 + kind) * kPosteriorLanes] * scale;
    }
    GLYCINE_HOST_DEVICE void store(Number* to) const {
        to[0] = diagonal;
        GLYCINE_UNROLLED
        for (std::uint32_t kind = 0; kind < kKinds; ++kind) to[(1 + kind) * kPosteriorLanes] = gaps[kind];
    }
};

/// One model's forward sums of a strip, column by column.
template <class Number, std::uint32_t kKinds>
struct ForwardRows {
    static constexpr std::uint32_t kRows = kPosteriorRows<Number>;

    Number follows[kRows];         ///< previous column: what a pair may follow
    Number beside[kKinds][kRows];  ///< gaps that end with a letter of the other sequence
    Number above = 0;              ///< `follows` of the row above, in the previous column
    Number diagonal = 0;
    Number largest = 0;  ///< pair of the last row

    /// Starts before the first column: unpaired letters of the query.
    GLYCINE_HOST_DEVICE void begin(const PosteriorModel<Number>& model, std::uint32_t row, std::uint32_t rows,
                                   int exponent) {
        const auto lead = [&](std::uint32_t letters) -> Number {
            return letters <= rows ? scaledEnd<Number>(model.leads[letters], -exponent) : 0;
        };
        above = lead(row);
        GLYCINE_UNROLLED
        for (std::uint32_t r = 0; r < kRows; ++r) {
            follows[r] = lead(row + r + 1);
            GLYCINE_UNROLLED
            for (std::uint32_t kind = 0; kind < kKinds; ++kind) beside[kind][r] = 0;
        }
        largest = 0;
    }
    GLYCINE_HOST_DEVICE void openColumn(const StripEdge<Number, kKinds>& edge) {
        diagonal = above;
        above = edge.diagonal;
    }
    /// Computes the pair of the column's next row; `edge` comes from the row above.
    GLYCINE_HOST_DEVICE Number cell(const PosteriorModel<Number>& model, std::uint32_t r, Number odds,
                                    StripEdge<Number, kKinds>& edge) {
        const Number pair = odds * diagonal;
        diagonal = follows[r];
        Number next = model.match * pair;
        GLYCINE_UNROLLED
        for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
            const Number opened = model.open[kind] * pair;
            next = multiplyAdd(model.close[kind], edge.gaps[kind] + beside[kind][r], next);
            edge.gaps[kind] = multiplyAdd(model.extend[kind], edge.gaps[kind], opened);
            beside[kind][r] = multiplyAdd(model.extend[kind], beside[kind][r], opened);
        }
        follows[r] = next;
        return pair;
    }
    GLYCINE_HOST_DEVICE void closeColumn(Number lastPair, StripEdge<Number, kKinds>& edge) {
        largest = larger(largest, lastPair);
        edge.diagonal = follows[kRows - 1];
    }
};

/// One model's backward sums of a strip, from the last column to the first and from the last row up.
template <class Number, std::uint32_t kKinds>
struct BackwardRows {
    static constexpr std::uint32_t kRows = kPosteriorRows<Number>;

    Number weighed[kRows] = {};         ///< next column: odds · what follows the pair
    Number beside[kKinds][kRows] = {};  ///< gaps that begin with the next letter of the other sequence
    Number below = 0;                   ///< `weighed` of the row below, in the next column
    Number diagonal = 0;
    Number largest = 0;  ///< what follows the pairs of the first row
    /// The factor for the product of both directions, split in two: one factor alone might leave the range of
    /// the format.
    Number half = 0, weight = 0;

    GLYCINE_HOST_DEVICE void openColumn(const StripEdge<Number, kKinds>& edge) {
        diagonal = below;
        below = edge.diagonal;
    }
    /// Computes what follows the pair of the column's next row; `ends`: alignments that end with that pair.
    GLYCINE_HOST_DEVICE Number cell(const PosteriorModel<Number>& model, std::uint32_t r, Number odds,
                                    Number ends, StripEdge<Number, kKinds>& edge) {
        Number behind = multiplyAdd(model.match, diagonal, ends);
        GLYCINE_UNROLLED
        for (std::uint32_t kind = 0; kind < kKinds; ++kind) {
            const Number closed = model.close[kind] * diagonal;
            behind = multiplyAdd(model.open[kind], edge.gaps[kind] + beside[kind][r], behind);
            edge.gaps[kind] = multiplyAdd(model.extend[kind], edge.gaps[kind], closed);
            beside[kind][r] = multiplyAdd(model.extend[kind], beside[kind][r], closed);
        }
        diagonal = weighed[r];
        weighed[r] = odds * behind;
        return behind;
    }
    GLYCINE_HOST_DEVICE void closeColumn(Number firstBehind, StripEdge<Number, kKinds>& edge) {
        largest = larger(largest, firstBehind);
        edge.diagonal = weighed[0];
    }
    GLYCINE_HOST_DEVICE Number posterior(Number pair, Number behind) const {
        return (pair * half) * (behind * weight);
    }
};

/// A pair of sequences in one lane. `memory` belongs to the lane's warp.
template <class Number, std::uint32_t kFirstKinds, std::uint32_t kSecondKinds>
class PosteriorLane {
  public:
    static constexpr std::uint32_t kRows = kPosteriorRows<Number>;
    static constexpr std::uint32_t kStateNumbers = kFirstKinds + kSecondKinds + 2;

    /// `length` letters at `codes`, at most shape.width; `shortest` and `shape` are those of the warp.
    /// `ahead`: private room for kPosteriorAhead pairs of sums, interleaved by lane.
    GLYCINE_HOST_DEVICE PosteriorLane(const PosteriorModel<Number>* models, const PosteriorPair<Number>* odds,
                                      Number limit, const PosteriorShape& shape, const std::uint8_t* query,
                                      const std::uint8_t* codes, std::uint32_t length, std::uint32_t shortest,
                                      bool isWanted, std::byte* memory, PosteriorPair<Number>* ahead,
                                      std::uint32_t lane)
        : models_(models),
          odds_(odds),
          limit_(limit),
          rows_(static_cast<std::uint32_t>(shape.rows)),
          width_(static_cast<std::uint32_t>(shape.width)),
          strips_(static_cast<std::uint32_t>(shape.strips())),
          stretch_(static_cast<std::uint32_t>(shape.stretch)),
          query_(query),
          codes_(codes),
          length_(length),
          shortest_(shortest),
          ahead_(ahead + lane),
          room_(isWanted ? static_cast<std::uint32_t>(shape.stagedEntries) : 0) {
        staged_ = reinterpret_cast<PosteriorFound*>(memory) + lane * shape.stagedEntries;
        memory += shape.stagedBytes();
        exponents_ = reinterpret_cast<std::int32_t*>(memory) + lane;
        memory += shape.exponentBytes();
        states_ = reinterpret_cast<Number*>(memory) + lane;
        stateSize_ = shape.stateBytes() / sizeof(Number);
        behind_ = states_ + (shape.states() - 1) * stateSize_;
        memory += shape.states() * shape.stateBytes();
        sums_ = reinterpret_cast<PosteriorPair<Number>*>(memory) + lane;
    }

    /// Computes both directions of both models and stages entries.
    GLYCINE_HOST_DEVICE void compute() {
        const std::uint32_t lastStretch = (strips_ - 1) / stretch_;
        exponents_[0] = exponents_[kPosteriorLanes] = -kPosteriorTarget<Number>;
        backwardExponents_[0] = backwardExponents_[1] = -kPosteriorTarget<Number>;
        for (std::uint32_t strip = 0; strip < strips_; ++strip)
            forwardStrip(strip, true, strip / stretch_ == lastStretch);
        factors_[0] = factorOf(totals_[0], factorExponents_[0]);
        factors_[1] = factorOf(totals_[1], factorExponents_[1]);
        for (std::uint32_t stretch = lastStretch + 1; stretch-- > 0;) {
            const std::uint32_t begin = stretch * stretch_;
            const std::uint32_t end = begin + stretch_ < strips_ ? begin + stretch_ : strips_;
            if (stretch < lastStretch)
                for (std::uint32_t strip = begin; strip < end; ++strip) forwardStrip(strip, false, true);
            for (std::uint32_t strip = end; strip-- > begin;) backwardStrip(strip);
        }
    }

    /// The number of entries found, including those without room.
    GLYCINE_HOST_DEVICE std::uint32_t count() const { return count_; }
    /// Whether both directions found the same sums over all alignments.
    GLYCINE_HOST_DEVICE bool isSound() const {
        return agree(totals_[0], backwardTotals_[0]) && agree(totals_[1], backwardTotals_[1]);
    }

  private:
    using First = StripEdge<Number, kFirstKinds>;
    using Second = StripEdge<Number, kSecondKinds>;

    GLYCINE_HOST_DEVICE static bool agree(const ScaledTotal& forward, const ScaledTotal& backward) {
        constexpr double kTolerance = 1e-3;
        if (!forward.isUsable() || !backward.isUsable()) return false;
        const double ratio =
            ldexp(backward.mantissa / forward.mantissa, backward.exponent - forward.exponent);
        return ratio >= 1 - kTolerance && ratio <= 1 + kTolerance;
    }
    /// 1 / total, as mantissa and exponent.
    GLYCINE_HOST_DEVICE static Number factorOf(const ScaledTotal& total, int& exponent) {
        exponent = 0;
        if (!total.isUsable()) return 0;
        const double factor = frexp(1 / total.mantissa, &exponent);
        exponent -= total.exponent;
        return static_cast<Number>(factor);
    }

    GLYCINE_HOST_DEVICE std::int32_t& exponent(std::uint32_t strip, std::uint32_t model) const {
        return exponents_[(strip * 2 + model) * kPosteriorLanes];
    }
    /// State 0 is between two strips; the others, from the second stretch on, are kept.
    GLYCINE_HOST_DEVICE Number* state(std::uint32_t number) const { return states_ + number * stateSize_; }
    /// The position of the state passed from strip `strip` − 1 to this one.
    GLYCINE_HOST_DEVICE Number* stateBefore(std::uint32_t strip) const {
        return state(strip < strips_ && strip % stretch_ == 0 ? strip / stretch_ : 0);
    }
    GLYCINE_HOST_DEVICE PosteriorPair<Number>* sumsOf(std::uint32_t strip) const {
        return sums_ + std::size_t(strip % stretch_) * kRows * width_ * kPosteriorLanes;
    }
    GLYCINE_HOST_DEVICE std::uint32_t code(std::uint32_t column) const {
        return column < length_ ? codes_[column] : kPosteriorCodes - 1;
    }
    /// Offsets of the strip's rows in the table of odds.
    GLYCINE_HOST_DEVICE void findRows(std::uint32_t strip, std::uint32_t (&rows)[kRows]) const {
        GLYCINE_UNROLLED
        for (std::uint32_t r = 0; r < kRows; ++r) {
            const std::uint32_t row = strip * kRows + r;
            rows[r] = (row < rows_ ? query_[row] : kPosteriorCodes - 1) * kPosteriorCodes;
        }
    }
    /// The weight of an alignment after the pair (row, column), if that is its last pair.
    GLYCINE_HOST_DEVICE PosteriorEnd trail(std::uint32_t model, std::uint32_t row,
                                           std::uint32_t column) const {
        if (row >= rows_ || column >= length_) return {};
        if (row + 1 == rows_) return models_[model].trails[length_ - 1 - column];
        return column + 1 == length_ ? models_[model].trails[rows_ - 1 - row] : PosteriorEnd{};
    }

    /// Adds alignments that begin or end with a pair.
    GLYCINE_HOST_DEVICE static void addEnd(ScaledTotal& total, Number sum, int exponent,
                                           const PosteriorEnd& end) {
        total.add(static_cast<double>(sum) * static_cast<double>(end.mantissa), exponent + end.exponent);
    }
    GLYCINE_HOST_DEVICE Number scaledTrail(std::uint32_t model, std::uint32_t row,
                                           std::uint32_t column) const {
        const PosteriorEnd weight = trail(model, row, column);
        return weight.mantissa == 0 ? 0 : scaledEnd<Number>(weight, -backwardExponents_[model]);
    }

    GLYCINE_HOST_DEVICE void forwardStrip(std::uint32_t strip, bool isFirst, bool keeps) {
        ForwardRows<Number, kFirstKinds> one;
        ForwardRows<Number, kSecondKinds> other;
        std::uint32_t rows[kRows];
        findRows(strip, rows);
        const int exponentOne = exponent(strip, 0), exponentOther = exponent(strip, 1);
        Number scaleOne = 1, scaleOther = 1;
        if (strip > 0) {
            scaleOne = times2To(Number(1), exponent(strip - 1, 0) - exponentOne);
            scaleOther = times2To(Number(1), exponent(strip - 1, 1) - exponentOther);
        }
        const std::uint32_t firstRow = strip * kRows;
        one.begin(models_[0], firstRow, rows_, exponentOne);
        other.begin(models_[1], firstRow, rows_, exponentOther);
        const Number* const from = stateBefore(strip);
        Number* const to = stateBefore(strip + 1);
        PosteriorPair<Number>* const sums = keeps ? sumsOf(strip) : nullptr;
        // From this column on, a column may be the last one of a lane.
        const std::uint32_t plain = isFirst && strip + 1 < strips_ ? shortest_ - 1 : isFirst ? 0 : width_;

        First nextOne;
        Second nextOther;
        std::uint32_t nextCode = 0;
        const auto fetch = [&](std::uint32_t column) {
            nextCode = code(column);
            if (strip == 0) {
                nextOne = {scaledEnd<Number>(models_[0].leads[column + 1], -exponentOne)};
                nextOther = {scaledEnd<Number>(models_[1].leads[column + 1], -exponentOther)};
            } else {
                const Number* const place = from + std::size_t(column) * kStateNumbers * kPosteriorLanes;
                nextOne.load(place, scaleOne);
                nextOther.load(place + (1 + kFirstKinds) * kPosteriorLanes, scaleOther);
            }
        };
        fetch(0);
        for (std::uint32_t column = 0; column < width_; ++column) {
            First edgeOne = nextOne;
            Second edgeOther = nextOther;
            const std::uint32_t letter = nextCode;
            if (column + 1 < width_) fetch(column + 1);
            one.openColumn(edgeOne);
            other.openColumn(edgeOther);
            PosteriorPair<Number> pairs[kRows];
            GLYCINE_UNROLLED
            for (std::uint32_t r = 0; r < kRows; ++r) {
                const PosteriorPair<Number> odds = odds_[rows[r] + letter];
                pairs[r].one = one.cell(models_[0], r, odds.one, edgeOne);
                pairs[r].other = other.cell(models_[1], r, odds.other, edgeOther);
            }
            one.closeColumn(pairs[kRows - 1].one, edgeOne);
            other.closeColumn(pairs[kRows - 1].other, edgeOther);
            Number* const place = to + std::size_t(column) * kStateNumbers * kPosteriorLanes;
            edgeOne.store(place);
            edgeOther.store(place + (1 + kFirstKinds) * kPosteriorLanes);
            if (keeps) {
                PosteriorPair<Number>* target = sums + std::size_t(column) * kPosteriorLanes;
                GLYCINE_UNROLLED
                for (std::uint32_t r = 0; r < kRows; ++r)
                    target[std::size_t(r) * width_ * kPosteriorLanes] = pairs[r];
            }
            if (column >= plain) {
                GLYCINE_UNROLLED
                for (std::uint32_t r = 0; r < kRows; ++r) {
                    addEnd(totals_[0], pairs[r].one, exponentOne, trail(0, firstRow + r, column));
                    addEnd(totals_[1], pairs[r].other, exponentOther, trail(1, firstRow + r, column));
                }
            }
        }
        if (!isFirst) return;
        if (strip + 1 < strips_) {
            exponent(strip + 1, 0) = exponentOne + shiftAfter(one.largest);
            exponent(strip + 1, 1) = exponentOther + shiftAfter(other.largest);
        }
    }

    template <std::uint32_t kKinds>
    GLYCINE_HOST_DEVICE void setWeight(BackwardRows<Number, kKinds>& rows, std::uint32_t model,
                                       std::uint32_t strip) const {
        const int all = factorExponents_[model] + exponent(strip, model) + backwardExponents_[model];
        const int first = all / 2 < 0 ? all / 2 : 0;
        rows.half = times2To(Number(1), first);
        rows.weight = times2To(factors_[model], all - first);
    }

    GLYCINE_HOST_DEVICE void backwardStrip(std::uint32_t strip) {
        BackwardRows<Number, kFirstKinds> one;
        BackwardRows<Number, kSecondKinds> other;
        std::uint32_t rows[kRows];
        findRows(strip, rows);
        const bool isLast = strip + 1 == strips_;
        const Number scaleOne = times2To(Number(1), -shifts_[0]),
                     scaleOther = times2To(Number(1), -shifts_[1]);
        backwardExponents_[0] += shifts_[0];
        backwardExponents_[1] += shifts_[1];
        setWeight(one, 0, strip);
        setWeight(other, 1, strip);
        const std::uint32_t firstRow = strip * kRows;
        const std::uint32_t plain = isLast ? 0 : shortest_ - 1;
        const PosteriorPair<Number>* const sums = sumsOf(strip);

        First nextOne;
        Second nextOther;
        std::uint32_t nextCode = 0;
        const auto fetch = [&](std::uint32_t column) {
            nextCode = code(column);
            if (isLast) return;
            const Number* const place = behind_ + std::size_t(column) * kStateNumbers * kPosteriorLanes;
            nextOne.load(place, scaleOne);
            nextOther.load(place + (1 + kFirstKinds) * kPosteriorLanes, scaleOther);
        };
        // The slots of columns are used in rotation; the one being filled belongs to the column computed
        // before.
        const auto slotOf = [&](std::uint32_t column) {
            return ahead_ + column % kPosteriorColumnsAhead * kRows * kPosteriorLanes;
        };
        const auto ask = [&](std::uint32_t column) {
            const PosteriorPair<Number>* const source = sums + std::size_t(column) * kPosteriorLanes;
            PosteriorPair<Number>* const slot = slotOf(column);
            GLYCINE_UNROLLED
            for (std::uint32_t r = 0; r < kRows; ++r)
                copyAhead(slot + r * kPosteriorLanes, source + std::size_t(r) * width_ * kPosteriorLanes);
        };
        publishForAhead();
        for (std::uint32_t k = 1; k < kPosteriorColumnsAhead; ++k) {
            if (k <= width_) ask(width_ - k);
            closeGroupAhead();
        }
        fetch(width_ - 1);
        const auto work = [&](std::uint32_t column, auto mayEnd) {
            First edgeOne = nextOne;
            Second edgeOther = nextOther;
            const std::uint32_t letter = nextCode;
            if (column >= kPosteriorColumnsAhead - 1) ask(column - (kPosteriorColumnsAhead - 1));
            closeGroupAhead();
            waitForAhead<kPosteriorColumnsAhead - 1>();
            PosteriorPair<Number> pairs[kRows];
            const PosteriorPair<Number>* const slot = slotOf(column);
            GLYCINE_UNROLLED
            for (std::uint32_t r = 0; r < kRows; ++r) pairs[r] = slot[r * kPosteriorLanes];
            if (column > 0) fetch(column - 1);
            one.openColumn(edgeOne);
            other.openColumn(edgeOther);
            Number behindOne = 0, behindOther = 0;
            GLYCINE_UNROLLED
            for (std::uint32_t r = kRows; r-- > 0;) {
                Number trailOne = 0, trailOther = 0;
                if constexpr (decltype(mayEnd)::value) {
                    trailOne = scaledTrail(0, firstRow + r, column);
                    trailOther = scaledTrail(1, firstRow + r, column);
                }
                const PosteriorPair<Number> odds = odds_[rows[r] + letter];
                behindOne = one.cell(models_[0], r, odds.one, trailOne, edgeOne);
                behindOther = other.cell(models_[1], r, odds.other, trailOther, edgeOther);
                const Number p = one.posterior(pairs[r].one, behindOne);
                const Number q = other.posterior(pairs[r].other, behindOther);
                const Number squares = multiplyAdd(p, p, q * q);
                if (squares >= limit_) stage(firstRow + r, column, squares);
            }
            one.closeColumn(behindOne, edgeOne);
            other.closeColumn(behindOther, edgeOther);
            Number* const place = behind_ + std::size_t(column) * kStateNumbers * kPosteriorLanes;
            edgeOne.store(place);
            edgeOther.store(place + (1 + kFirstKinds) * kPosteriorLanes);
            if (strip == 0 && column > 0 && column < length_) {
                addEnd(backwardTotals_[0], one.weighed[0], backwardExponents_[0], models_[0].leads[column]);
                addEnd(backwardTotals_[1], other.weighed[0], backwardExponents_[1], models_[1].leads[column]);
            }
        };
        std::uint32_t column = width_;
        while (column > plain) work(--column, std::true_type());
        while (column > 0) work(--column, std::false_type());
        // Alignments that begin in the first column.
        GLYCINE_UNROLLED
        for (std::uint32_t r = 0; r < kRows; ++r) {
            if (firstRow + r >= rows_) continue;
            addEnd(backwardTotals_[0], one.weighed[r], backwardExponents_[0], models_[0].leads[firstRow + r]);
            addEnd(backwardTotals_[1], other.weighed[r], backwardExponents_[1],
                   models_[1].leads[firstRow + r]);
        }
        shifts_[0] = shiftAfter(one.largest);
        shifts_[1] = shiftAfter(other.largest);
    }

    GLYCINE_HOST_DEVICE void stage(std::uint32_t row, std::uint32_t column, Number squares) {
        if (count_ < room_)
            staged_[count_] = {row << 16 | column, static_cast<float>(squareRoot(squares / 2))};
        ++count_;
    }

    const PosteriorModel<Number>* models_;
    const PosteriorPair<Number>* odds_;
    Number limit_;
    std::uint32_t rows_, width_, strips_, stretch_;
    const std::uint8_t* query_;
    const std::uint8_t* codes_;
    std::uint32_t length_, shortest_;
    PosteriorPair<Number>* ahead_;
    std::uint32_t room_;
    PosteriorFound* staged_;
    std::int32_t* exponents_;
    Number *states_, *behind_;
    std::size_t stateSize_;
    PosteriorPair<Number>* sums_;
    ScaledTotal totals_[2], backwardTotals_[2];
    Number factors_[2] = {};
    int factorExponents_[2] = {}, backwardExponents_[2] = {}, shifts_[2] = {};
    std::uint32_t count_ = 0;
};

}  // namespace glycine::cuda
