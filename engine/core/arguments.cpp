#include "engine/core/arguments.hpp"

#include <fmt/format.h>

#include <limits>

#include "engine/core/error.hpp"

namespace glycine {

void checkNumber(std::string_view what, double value, bool holds, std::string_view expected) {
    if (!holds) throw UsageError(fmt::format("{} is {}; expected {}", what, value, expected));
}

void checkProbability(std::string_view what, double p) {
    checkNumber(what, p, p > 0 && p < 1, "a number above 0 and below 1");
}

void checkCount(std::string_view what, std::size_t found, std::size_t expected, std::string_view why) {
    if (found != expected)
        throw UsageError(fmt::format("{} are {}; expected {}, {}", what, found, expected, why));
}

namespace detail {

void checkWindow(std::string_view what, const void* data, std::size_t rows, std::size_t columns,
                 std::size_t rowStride, std::size_t elementBytes) {
    if (rows == 0 || columns == 0) return;
    if (data == nullptr)
        throw InputError(
            fmt::format("{} are {} × {} elements without memory (a null pointer)", what, rows, columns));
    if (rowStride < columns)
        throw InputError(fmt::format("{} have rows of {} elements, {} elements apart; expected at least {}",
                                     what, columns, rowStride, columns));
    if (rowStride > std::numeric_limits<std::size_t>::max() / elementBytes / rows)
        throw InputError(
            fmt::format("{} are {} × {} elements; no memory holds as many", what, rows, columns));
}

}  // namespace detail

}  // namespace glycine
