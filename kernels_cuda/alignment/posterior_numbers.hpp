#pragma once

#include <cmath>

#include "kernels_cuda/alignment/posterior_kernels.hpp"

/// Sums of posteriors and the powers of two by which they are divided.
namespace glycine::cuda {

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

}  // namespace glycine::cuda
