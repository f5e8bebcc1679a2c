#include "engine/pairs/stored_value.hpp"

#include <fmt/format.h>

#include "engine/core/error.hpp"

namespace glycine::pairs {

namespace {

template <class T>
bool passes(double& value) {
    T stored{};
    if (!toStored(value, stored)) return false;
    value = fromStored(stored);
    return true;
}

}  // namespace

double storedValue(std::size_t row, std::size_t column, double value, ValueType type) {
    const bool fits = type == ValueType::Int32     ? passes<std::int32_t>(value)
                      : type == ValueType::Float32 ? passes<float>(value)
                                                   : passes<double>(value);
    if (fits) return value;
    throw UsageError(
        fmt::format("instances {} and {}: the value {} does not fit {}, which holds {}; use --dtype float64",
                    row + 1, column + 1, value, toString(type),
                    type == ValueType::Int32 ? "whole numbers up to 2147483647" : "numbers up to 3.4e38"));
}

}  // namespace glycine::pairs
