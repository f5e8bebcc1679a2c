#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engine/bounds/bounds.hpp"

/// Conversion between Å and the fixed-point format: int32 in units of 2⁻²⁰ Å (about one millionth of an Å).
/// Upper bounds are rounded up and lower bounds down, so that rounding never makes a bound tighter than it
/// was. Known bounds lie below 2²⁹ units (512 Å): the sum of any two, and of an unknown and a known one, fits
/// int32.
namespace glycine::bounds {

inline constexpr double kFixedUnitsPerAngstrom = 1048576.0;  // 2^20
/// Largest finite bound of the fixed format, in Å (exclusive).
inline constexpr double kFixedLimitAngstrom = 512.0;

template <class T>
double toAngstrom(T value) {
    if constexpr (std::is_integral_v<T>) return value / kFixedUnitsPerAngstrom;
    return value;
}

template <class T>
bool isUnknownUpper(T value) {
    return value >= kUnknownUpper<T>;
}

/// Converts to output form: Å, +infinity for "unknown".
template <class T>
double angstromOrInfinity(T value) {
    return isUnknownUpper(value) ? std::numeric_limits<double>::infinity() : toAngstrom(value);
}

/// `angstrom` ≥ 0, +infinity for "unknown". The caller has checked the range for the fixed format. Outward:
/// the smallest T that is at least `angstrom`.
template <class T>
T upperFromAngstrom(double angstrom, Rounding rounding = Rounding::Nearest) {
    if (std::isinf(angstrom)) return kUnknownUpper<T>;
    if constexpr (std::is_integral_v<T>) return static_cast<T>(std::ceil(angstrom * kFixedUnitsPerAngstrom));
    const T bound = static_cast<T>(angstrom);
    if (rounding == Rounding::Nearest || bound >= angstrom) return bound;
    return std::nextafter(bound, std::numeric_limits<T>::infinity());
}

/// Outward: the largest T that is at most `angstrom` ≥ 0.
template <class T>
T lowerFromAngstrom(double angstrom, Rounding rounding = Rounding::Nearest) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(std::floor(angstrom * kFixedUnitsPerAngstrom));
    const T bound = static_cast<T>(angstrom);
    if (rounding == Rounding::Nearest || bound <= angstrom) return bound;
    return std::nextafter(bound, T(0));
}

/// Calls `make` with a zero of the type of `format`.
template <class Make>
auto withNumberOf(NumberFormat format, const Make& make) {
    switch (format) {
        case NumberFormat::Float64:
            return make(0.0);
        case NumberFormat::Fixed:
            return make(std::int32_t{0});
        case NumberFormat::Float32:
            break;
    }
    return make(0.0F);
}

}  // namespace glycine::bounds
