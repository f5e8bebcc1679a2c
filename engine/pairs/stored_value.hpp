#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "engine/core/matrix.hpp"
#include "engine/pairs/pair_layout.hpp"
#include "engine/pairs/pair_tile.hpp"

/// A value of a pair as the numbers of a ValueType hold it. A pair without a value is NaN, among int32
/// numbers the least of them, which is R's NA.
namespace glycine::pairs {

inline constexpr std::int32_t kNoInt32 = std::numeric_limits<std::int32_t>::min();

/// Converts a value; false when the type cannot hold it.
inline bool toStored(double value, std::int32_t& target) {
    constexpr double kLargest = std::numeric_limits<std::int32_t>::max();
    const bool isInRange = value >= -kLargest && value <= kLargest;
    const bool isNone = value != value;
    const auto whole = static_cast<std::int32_t>(isInRange ? value : 0);
    target = isNone ? kNoInt32 : whole;
    return (whole == value) | isNone;
}
inline bool toStored(double value, float& target) {
    target = static_cast<float>(value);
    return std::isfinite(target) || !std::isfinite(value);
}
inline bool toStored(double value, double& target) {
    target = value;
    return true;
}

/// And back.
inline double fromStored(std::int32_t value) {
    return value == kNoInt32 ? std::numeric_limits<double>::quiet_NaN() : value;
}
inline double fromStored(float value) {
    return value;
}
inline double fromStored(double value) {
    return value;
}

/// By how much a value may change when a file of this type holds it, at most; whole numbers do not.
inline double roundingOf(double value, ValueType type) {
    return type == ValueType::Float32 ? std::abs(value) * 0x1p-24 : 0;
}

/// What is left of the value of instances `row` and `column` (from 0) when a file of this type holds it.
/// Throws UsageError naming both and --dtype when it does not: no whole number up to 2³¹ − 1 for int32, a
/// finite value beyond the range of float32.
double storedValue(std::size_t row, std::size_t column, double value, ValueType type);

/// held[k] = what is left of values[k]; false when the type cannot hold one of them. Both of one size.
bool holdAs(ValueType type, std::span<const double> values, std::span<double> held);

/// How many parts visitHeldRows makes of a tile.
std::size_t heldParts(const PairTile& tile);
/// Calls visit(part, row, first, held) once for each row with pairs below the diagonal. `held` is what the
/// type holds of the values of (row, first), (row, first + 1), … Several threads share the parts; one thread
/// visits the rows of a part, in order. Throws as storedValue, after all visits, for the first value that the
/// type cannot hold.
void visitHeldRows(const PairTile& tile, MatrixView<const double> values, ValueType type,
                   const std::function<void(std::size_t part, std::size_t row, std::size_t first,
                                            std::span<const double> held)>& visit);

/// Throws as storedValue for the first value of a tile that the type cannot hold. There must be one.
[[noreturn]] void refuseFirst(const PairTile& tile, MatrixView<const double> values, ValueType type);

}  // namespace glycine::pairs
