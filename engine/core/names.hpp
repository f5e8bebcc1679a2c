#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Names of values on the command line, in messages and in reports.
namespace glycine {

/// The names of some values, in listing order. A value with several names is written with the first.
template <class Value, std::size_t count>
using NameTable = std::array<std::pair<Value, std::string_view>, count>;

/// Throws UsageError.
[[noreturn]] void throwUnknownName(std::string_view what, std::string_view name,
                                   const std::vector<std::string_view>& known);

/// The name of `value`; throws std::logic_error if the table has none.
template <class Value, std::size_t count>
std::string_view nameOf(Value value, const NameTable<Value, count>& table) {
    for (const auto& [candidate, name] : table)
        if (candidate == value) return name;
    throw std::logic_error("a value has no name in its table");
}

/// The names to list for a table: the first of each value.
template <class Value, std::size_t count>
std::vector<std::string_view> listedNames(const NameTable<Value, count>& table) {
    std::vector<std::string_view> names;
    for (const auto& [value, name] : table)
        if (nameOf(value, table) == name) names.push_back(name);
    return names;
}

/// The value called `name`. Throws UsageError that says `what` was expected and lists the names.
template <class Value, std::size_t count>
Value valueOf(std::string_view what, std::string_view name, const NameTable<Value, count>& table) {
    for (const auto& [value, candidate] : table)
        if (candidate == name) return value;
    throwUnknownName(what, name, listedNames(table));
}

/// The kind of thing that an enumeration lists, and its values by name.
template <class Value, std::size_t count>
struct EnumerationNames {
    std::string_view what;  ///< "number format"
    NameTable<Value, count> table;
};

/// Each enumeration has a function namesOf() next to it, in its own namespace:
///
///     constexpr auto namesOf(Shape) {
///         return namesAre<Shape>("shape", {{Shape::Square, "square"}, {Shape::Triangle, "triangle"}});
///     }
template <class Value, std::size_t count>
constexpr EnumerationNames<Value, count> namesAre(std::string_view what,
                                                  const std::pair<Value, std::string_view> (&names)[count]) {
    EnumerationNames<Value, count> result{what, {}};
    for (std::size_t i = 0; i < count; ++i) {
        result.table[i].first = names[i].first;
        result.table[i].second = names[i].second;
    }
    return result;
}

/// The name of an enumeration's value. Throws UsageError, listing the names, for an unnamed number that was
/// cast into the enumeration.
template <class Value, class = decltype(namesOf(Value{}))>
std::string_view toString(Value value) {
    static constexpr auto names = namesOf(Value{});
    for (const auto& [candidate, name] : names.table)
        if (candidate == value) return name;
    throwUnknownName(names.what, std::to_string(static_cast<long long>(value)), listedNames(names.table));
}

/// The names of all values of an enumeration, in table order.
template <class Value>
std::vector<std::string_view> namesOfAll() {
    static constexpr auto names = namesOf(Value{});
    return listedNames(names.table);
}

/// The enumeration's value called `name`; throws UsageError that lists the names.
template <class Value>
Value fromString(std::string_view name) {
    static constexpr auto names = namesOf(Value{});
    return valueOf(names.what, name, names.table);
}

}  // namespace glycine
