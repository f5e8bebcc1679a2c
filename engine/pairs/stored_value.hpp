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

/// A pair's value as a ValueType stores it. A pair without a value is NaN, or in int32 the smallest number,
/// which is R's NA.
namespace glycine::pairs {

inline constexpr std::int32_t kNoInt32 = std::numeric_limits<std::int32_t>::min();

/// Converts a value; returns false if the type cannot hold it.
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

/// The inverse conversion.
inline double fromStored(std::int32_t value) {
    return value == kNoInt32 ? std::numeric_limits<double>::quiet_NaN() : value;
}
inline double fromStored(float value) {
    return value;
}
inline double fromStored(double value) {
    return value;
}

/// Largest change of a value when a file of this type stores it; 0 for whole numbers.
inline double roundingOf(double value, ValueType type) {
    return type == ValueType::Float32 ? std::abs(value) * 0x1p-24 : 0;
}

/// The value of instances `row` and `column` (from 0) after a file of this type has stored it. Throws
/// UsageError, naming both instances and --dtype, if the type cannot hold it: for int32 anything but a whole
/// number up to 2³¹ − 1, for float32 a finite value beyond its range.
double storedValue(std::size_t row, std::size_t column, double value, ValueType type);

/// held[k] is values[k] as stored; returns false if the type cannot hold one of them. Both have the same
/// size.
bool convertToStored(ValueType type, std::span<const double> values, std::span<double> held);

/// Number of parts that visitStoredRows makes of a tile.
std::size_t partsOfStoredRows(const PairTile& tile);
/// Calls visit(part, row, first, held) once for each row with pairs below the diagonal. `held` has the values
/// of (row, first), (row, first + 1), … as stored. Several threads share the parts; one thread visits the
/// rows of a part, in order. After all visits, throws as storedValue does for the first value that the type
/// cannot hold.
void visitStoredRows(const PairTile& tile, MatrixView<const double> values, ValueType type,
                     const std::function<void(std::size_t part, std::size_t row, std::size_t first,
                                              std::span<const double> held)>& visit);

/// Throws as storedValue does for the first value of a tile that the type cannot hold. Requires that there is
/// one.
[[noreturn]] void refuseFirst(const PairTile& tile, MatrixView<const double> values, ValueType type);

}  // namespace glycine::pairs
