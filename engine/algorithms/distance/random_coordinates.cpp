#include <array>
#include <cmath>

#include "engine/algorithms/distance/random_data.hpp"
#include "engine/core/random.hpp"

namespace glycine::distance {

namespace {

/// The natural logarithm of 0 < x < 1, from operations that IEEE 754 rounds alike everywhere: std::log
/// differs among platforms in the last bit.
double logarithm(double x) {
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

/// Two independent standard normal numbers (G. Marsaglia's polar method).
std::array<float, 2> normalPair(RandomSequence& random) {
    while (true) {
        const double x = 2 * random.uniform() - 1;
        const double y = 2 * random.uniform() - 1;
        const double squared = x * x + y * y;
        if (squared >= 1 || squared == 0) continue;
        const double scale = std::sqrt(-2 * logarithm(squared) / squared);
        return {static_cast<float>(x * scale), static_cast<float>(y * scale)};
    }
}

}  // namespace

Matrix<float> randomCoordinates(std::size_t instances, std::size_t attributes, std::uint64_t seed) {
    checkRandomSize(instances, attributes);
    Matrix<float> coordinates(instances, attributes);
    const auto count = static_cast<std::ptrdiff_t>(instances);
    // A pair of attributes at a time, so that a wider matrix with the same seed begins alike.
#pragma omp parallel for schedule(static) if (coordinates.size() > 100000)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        const auto instance = static_cast<std::size_t>(i);
        const std::uint64_t instanceSeed = derivedSeed(mixBits(seed), instance);
        for (std::size_t k = 0; k < attributes; k += 2) {
            RandomSequence random(derivedSeed(instanceSeed, k / 2));
            const std::array<float, 2> pair = normalPair(random);
            coordinates(instance, k) = pair[0];
            if (k + 1 < attributes) coordinates(instance, k + 1) = pair[1];
        }
    }
    return coordinates;
}

}  // namespace glycine::distance
