#pragma once

#include <array>
#include <cmath>

#include "engine/core/random.hpp"

namespace glycine {

/// The natural logarithm of a finite x > 0, from operations that IEEE 754 rounds alike everywhere: std::log
/// differs among platforms in the last bit.
inline double portableLogarithm(double x) {
    int exponent = 0;
    double mantissa = std::frexp(x, &exponent);
    if (mantissa < 0.70710678118654752) {
        mantissa *= 2;
        --exponent;
    }
    // log m = 2 artanh t, |t| ≤ 0.172: the first term left out is below 1e-17.
    const double t = (mantissa - 1) / (mantissa + 1);
    double series = 0;
    for (int n = 19; n > 0; n -= 2) series = series * t * t + 1.0 / n;
    return 2 * t * series + exponent * 0.69314718055994531;
}

/// e to the power of −700 ≤ x ≤ 700, likewise.
inline double portableExponential(double x) {
    const double exponent = std::floor(x / 0.69314718055994531 + 0.5);
    // The first part of ln 2 has so few digits that its product with a whole number is exact.
    const double rest = x - exponent * 0x1.62e42fee00000p-1 - exponent * 0x1.a39ef35793c76p-33;
    // |rest| ≤ 0.347: the first term left out is below 1e-17.
    double series = 1;
    for (int n = 14; n > 0; --n) series = 1 + series * rest / n;
    return std::ldexp(series, static_cast<int>(exponent));
}

/// Two independent standard normal numbers (G. Marsaglia's polar method), the same on every machine.
inline std::array<double, 2> normalPair(RandomSequence& random) {
    while (true) {
        const double x = 2 * random.uniform() - 1;
        const double y = 2 * random.uniform() - 1;
        const double squared = x * x + y * y;
        if (squared >= 1 || squared == 0) continue;
        const double scale = std::sqrt(-2 * portableLogarithm(squared) / squared);
        return {x * scale, y * scale};
    }
}

}  // namespace glycine
