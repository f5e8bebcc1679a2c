#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// Quantities as people read and write them on a command line.
namespace glycine {

/// "812 ns", "3.14 µs", "27.5 ms", "1.24 s", "3 min 07 s", "2 h 05 min". Three significant digits below one
/// minute.
std::string formatSeconds(double seconds);

/// 10^power seconds without superfluous digits, for an axis: "100 µs" for −4, "1,000 s" for 3.
std::string formatPowerOfSeconds(int power);

/// With a separator between thousands: "1,234,567".
std::string formatCount(std::uint64_t count);

/// "1 pair", "2 pairs", "12,345 pairs".
std::string formatCount(std::uint64_t count, std::string_view noun);

inline constexpr double kMebibyte = 1024.0 * 1024.0;

/// "813 bytes", "2.4 KiB", "1.1 MiB", "9.2 GiB".
std::string formatBytes(std::uint64_t bytes);

/// "512M" → 536870912. Units are K, M, G, T (powers of 1024), in upper or lower case, optionally with "iB" or
/// "B"; without a unit: bytes. Throws UsageError for anything else, for 0 and for overflow.
std::size_t parseByteSize(std::string_view text);

/// A share as a percentage with at most three significant digits: "100 %", "6.25 %", "0.012 %".
std::string formatShare(double part, double whole);

/// Three significant digits, with an exponent only if needed: "0.0314", "12.3", "1,234".
std::string formatNumber(double value);

// Integers that float64 and float32 cannot represent exactly. Readers refuse them, because rounding would
// silently change differences, ranks and bins. Decimal numbers (with a point or exponent) round to nearest.

/// Whether T represents `number` exactly. float64 represents every integer up to 2^53 and some beyond;
/// float32 up to 2^24.
template <class T, class Whole>
bool holdsExactly(Whole number) {
    static_assert(std::is_integral_v<Whole>);
    if constexpr (std::is_integral_v<T>) {
        return std::in_range<T>(number);
    } else {
        const T rounded = static_cast<T>(number);
        // A number that rounds up to the end of the range does not fit into `Whole`.
        return rounded < std::ldexp(T{1}, std::numeric_limits<Whole>::digits) &&
               static_cast<Whole>(rounded) == number;
    }
}

/// Whether `text` is an integer (digits after an optional sign) and `value`, which was read from it, differs
/// from it. T: float or double.
template <class T>
bool isRoundedWholeNumber(std::string_view text, T value);

/// The expectation in messages about such a number.
template <class T>
inline constexpr std::string_view kExactWholeNumber =
    std::is_same_v<T, float>
        ? "a whole number that float32 holds exactly (up to 2^24 = 16777216 each is)"
        : "a whole number that float64 holds exactly (up to 2^53 = 9007199254740992 each is)";

}  // namespace glycine
