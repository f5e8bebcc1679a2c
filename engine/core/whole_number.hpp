#pragma once

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

/// Whole numbers that float64 and float32 cannot hold: readers refuse them, because a neighbour in their
/// place changes differences, ranks and bins without a word. Decimal numbers (a point, an exponent) round to
/// nearest.
namespace glycine {

/// Whether T holds `number` exactly. float64 holds every whole number up to 2^53 and some beyond it; float32
/// up to 2^24.
template <class T, class Whole>
bool holdsExactly(Whole number) {
    static_assert(std::is_integral_v<Whole>);
    if constexpr (std::is_integral_v<T>) {
        return std::in_range<T>(number);
    } else {
        const T rounded = static_cast<T>(number);
        // What rounds up to the end of the range fits no `Whole`.
        return rounded < std::ldexp(T{1}, std::numeric_limits<Whole>::digits) &&
               static_cast<Whole>(rounded) == number;
    }
}

/// Whether `text` is a whole number (digits behind an optional sign) and `value`, which was read from it,
/// another one. T: float or double.
template <class T>
bool isRoundedWholeNumber(std::string_view text, T value);

/// What a message expects in place of such a number.
template <class T>
inline constexpr std::string_view kExactWholeNumber =
    std::is_same_v<T, float>
        ? "a whole number that float32 holds exactly (up to 2^24 = 16777216 each is)"
        : "a whole number that float64 holds exactly (up to 2^53 = 9007199254740992 each is)";

}  // namespace glycine
