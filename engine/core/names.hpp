#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"

namespace glycine {

/// The names of an enumeration's values on the command line and in reports, in the order in which they are
/// listed.
template <class Value, std::size_t count>
using NameTable = std::array<std::pair<Value, std::string_view>, count>;

/// The name of `value`; throws std::logic_error when the table has none.
template <class Value, std::size_t count>
std::string_view nameOf(Value value, const NameTable<Value, count>& table) {
    for (const auto& [candidate, name] : table)
        if (candidate == value) return name;
    throw std::logic_error(fmt::format("no name for the enumerator {}", static_cast<int>(value)));
}

/// The value called `name`; throws UsageError that says `what` was looked for and lists all names.
template <class Value, std::size_t count>
Value valueOf(std::string_view what, std::string_view name, const NameTable<Value, count>& table) {
    std::vector<std::string_view> known;
    for (const auto& [value, candidate] : table) {
        if (candidate == name) return value;
        known.push_back(candidate);
    }
    throw UsageError(fmt::format("unknown {} '{}'; known: {}", what, name, fmt::join(known, ", ")));
}

}  // namespace glycine
