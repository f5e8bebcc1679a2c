#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Quantities as people read and write them on a command line.
namespace glycine {

/// "812 ns", "3.14 µs", "27.5 ms", "1.24 s", "3 min 07 s", "2 h 05 min". Three significant digits below a
/// minute.
std::string formatSeconds(double seconds);

/// 10^power seconds without digits that say nothing, for an axis: "100 µs" for −4, "1,000 s" for 3.
std::string formatPowerOfSeconds(int power);

/// With a separator between thousands: "1,234,567".
std::string formatCount(std::uint64_t count);

/// "1 pair", "2 pairs", "12,345 pairs".
std::string formatCount(std::uint64_t count, std::string_view noun);

inline constexpr double kMebibyte = 1024.0 * 1024.0;

/// "813 bytes", "2.4 KiB", "1.1 MiB", "9.2 GiB".
std::string formatBytes(std::uint64_t bytes);

/// "512M" → 536870912. Units K, M, G, T (powers of 1024), upper or lower case, also with "iB" or "B"; without
/// a unit: bytes. Throws UsageError for anything else, for 0 and for more than fits.
std::size_t parseByteSize(std::string_view text);

/// A share as a percentage with at most three significant digits: "100 %", "6.25 %", "0.012 %".
std::string formatShare(double part, double whole);

/// Three significant digits without an exponent where one is not needed: "0.0314", "12.3", "1,234".
std::string formatNumber(double value);

}  // namespace glycine
