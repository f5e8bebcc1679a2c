#pragma once

#include <cmath>
#include <cstdint>

#include "kernels_cuda/alignment/posterior_kernels.hpp"

#ifdef __CUDA_ARCH__
#define GLYCINE_UNROLLED _Pragma("unroll")
#else
#define GLYCINE_UNROLLED
#endif

/// The recurrences of a strip of rows, a cell at a time (posterior_strips.hpp).
namespace glycine::cuda {

// Sums of posteriors and the powers of two by which they are divided.

/// The largest sums of a row come near 2^kPosteriorTarget. Odds are below 2^6 and a strip has 8 rows at most,
/// so that no sum of a strip reaches 2^127.
template <class Number>
inline constexpr int kPosteriorTarget = sizeof(Number) == 4 ? 60 : 500;
/// Powers of two that are numbers of the format: from 2^−k to 2^k.
template <class Number>
inline constexpr int kPosteriorPowers = sizeof(Number) == 4 ? 126 : 1022;

// As CUDA has them, for both formats.
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

/// The power of two by which the next strip's sums are divided, beyond that of the strip whose largest sum is
/// given; 0 where nothing, or no number, is left.
template <class Number>
GLYCINE_HOST_DEVICE int shiftAfter(Number largest) {
    constexpr Number kMost = sizeof(Number) == 4 ? static_cast<Number>(3e38) : static_cast<Number>(1e308);
    if (!(largest > 0 && largest <= kMost)) return 0;
    int exponent = 0;
    frexp(static_cast<double>(largest), &exponent);
    const int shift = exponent - 1 - kPosteriorTarget<Number>, most = kPosteriorPowers<Number>;
    return shift < -most ? -most : shift > most ? most : shift;
}

/// A sum that leaves the range of numbers.
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

/// What a strip hands to the next one in a column: forwards the sum that may be followed by the pair
/// diagonally below, and gaps that end there; backwards the same of what is behind.
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

    Number follows[kRows];         ///< of the column before: what a pair may follow
    Number beside[kKinds][kRows];  ///< gaps that end with a letter of the other sequence
    Number above = 0;              ///< `follows` of the row above, in the column before
    Number diagonal = 0;
    Number largest = 0;  ///< pair of the last row

    /// Before the first column: letters of the query that stand alone.
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
    /// The pair of the next row of the column; `edge` comes from the row before.
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

    Number weighed[kRows] = {};         ///< of the column behind: odds · what is behind the pair
    Number beside[kKinds][kRows] = {};  ///< gaps that begin with the next letter of the other sequence
    Number below = 0;                   ///< `weighed` of the row below, in the column behind
    Number diagonal = 0;
    Number largest = 0;  ///< what is behind the pairs of the first row
    /// What the product of both directions is to be multiplied by, in two parts: one alone might leave the
    /// range of the format.
    Number half = 0, weight = 0;

    GLYCINE_HOST_DEVICE void openColumn(const StripEdge<Number, kKinds>& edge) {
        diagonal = below;
        below = edge.diagonal;
    }
    /// What is behind the pair of the next row of the column; `ends`: of alignments that end with it.
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

}  // namespace glycine::cuda
