#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/core/matrix.hpp"
#include "engine/core/names.hpp"

/// Argument checks of the typed calls, made once, before any backend is involved. Each algorithm has one
/// check…() function, which its typed call runs first. Commands get the same messages from that call, or run
/// the check themselves before long work. A message names the argument, what was found and what was expected.
namespace glycine {

/// Throws UsageError, listing the valid names, if the enumeration has no such value.
template <class Value>
void checkKnown(Value value) {
    static_cast<void>(toString(value));
}

/// Throws UsageError unless `holds`: "the tolerance is nan; expected a number of at least 0".
void checkNumber(std::string_view what, double value, bool holds, std::string_view expected);

/// Throws UsageError unless 0 < p < 1.
void checkProbability(std::string_view what, double p);

/// Throws UsageError unless `found` equals `expected`: "3 distances; expected 6, one for each pair of the 4
/// sequences".
void checkCount(std::string_view what, std::size_t found, std::size_t expected, std::string_view why);

namespace detail {
void checkWindow(std::string_view what, const void* data, std::size_t rows, std::size_t columns,
                 std::size_t rowStride, std::size_t elementBytes);
}  // namespace detail

/// Throws InputError for a view that has elements but no memory, whose rows overlap, or that has more
/// elements than any memory holds. `what`: "the upper bounds".
template <class T>
void checkView(std::string_view what, MatrixView<T> view) {
    detail::checkWindow(what, view.data(), view.rows(), view.columns(), view.rowStride(), sizeof(T));
}

/// A place in a matrix.
struct ElementPlace {
    std::size_t row = 0;
    std::size_t column = 0;
};

/// The first element, in row-major order, that `accepts` rejects. Searches on several threads.
template <class T, class Accepts>
std::optional<ElementPlace> firstRefused(MatrixView<T> view, const Accepts& accepts) {
    constexpr std::size_t kWorthThreads = 100'000;
    const std::size_t rows = view.rows(), columns = view.columns();
    std::size_t first = rows;
#pragma omp parallel for schedule(static) reduction(min : first) if (rows * columns >= kWorthThreads)
    for (std::size_t row = 0; row < rows; ++row) {
        const T* const values = view.row(row);
        bool all = true;
        for (std::size_t column = 0; column < columns; ++column) all &= accepts(values[column]);
        if (!all) first = std::min(first, row);
    }
    if (first == rows) return std::nullopt;
    std::size_t column = 0;
    while (accepts(view(first, column))) ++column;
    return ElementPlace{first, column};
}

}  // namespace glycine
