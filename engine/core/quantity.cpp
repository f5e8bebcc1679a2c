#include "engine/core/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

#include "engine/core/error.hpp"
#include "engine/core/text.hpp"

namespace glycine {

namespace {

/// Decimal places that give `value` three significant digits.
int decimalsFor(double value) {
    if (value == 0) return 0;
    return std::max(0, 2 - static_cast<int>(std::floor(std::log10(std::abs(value)))));
}

}  // namespace

std::string formatSeconds(double seconds) {
    if (std::isinf(seconds)) return "∞ s";
    if (seconds >= 3600) {
        const auto minutes = static_cast<long>(seconds / 60);
        return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
    }
    if (seconds >= 59.95) {
        const auto whole = static_cast<long>(std::lround(seconds));
        return fmt::format("{} min {:02} s", whole / 60, whole % 60);
    }
    struct Unit {
        double size;
        std::string_view name;
    };
    for (const Unit unit : {Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "µs"}}) {
        // 0.9996 ms would print as "1000 µs".
        if (seconds >= 0.9995 * unit.size) {
            const double value = std::max(seconds / unit.size, 1.0);
            return fmt::format("{:.{}f} {}", value, decimalsFor(value), unit.name);
        }
    }
    return fmt::format("{:.0f} ns", seconds * 1e9);
}

std::string formatPowerOfSeconds(int power) {
    if (power >= 0) return fmt::format("{} s", formatCount(static_cast<std::uint64_t>(std::pow(10, power))));
    constexpr std::array<const char*, 3> kUnits{"ms", "µs", "ns"};
    const int unit = (-power - 1) / 3;
    const int zeros = 3 * (unit + 1) + power;
    if (unit >= static_cast<int>(kUnits.size())) return fmt::format("1e{} s", power);
    return fmt::format("1{:0<{}} {}", "", zeros, kUnits[static_cast<std::size_t>(unit)]);
}

std::string formatCount(std::uint64_t count) {
    const std::string digits = std::to_string(count);
    std::string grouped;
    for (std::size_t d = 0; d < digits.size(); ++d) {
        if (d > 0 && (digits.size() - d) % 3 == 0) grouped += ',';
        grouped += digits[d];
    }
    return grouped;
}

std::string formatCount(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", formatCount(count), noun, count == 1 ? "" : "s");
}

std::string formatBytes(std::uint64_t bytes) {
    if (bytes < 1024) return formatCount(bytes, "byte");
    double value = static_cast<double>(bytes);
    std::string_view unit;
    for (const std::string_view next : {"KiB", "MiB", "GiB", "TiB"}) {
        value /= 1024;
        unit = next;
        if (value < 1024) break;
    }
    return fmt::format("{:.1f} {}", value, unit);
}

std::size_t parseByteSize(std::string_view text) {
    const auto refuse = [text] {
        return UsageError(
            fmt::format("'{}' is no amount of memory; expected a number above 0 with K, M, G or T, "
                        "for example 512M",
                        text));
    };
    double value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc() || !(value > 0)) throw refuse();
    std::string unit;
    for (const char* c = end; c != text.data() + text.size(); ++c)
        unit += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
    constexpr std::string_view kPrefixes = "KMGT";
    if (!unit.empty() && kPrefixes.find(unit.front()) != std::string_view::npos) {
        value *= std::pow(1024.0, static_cast<double>(kPrefixes.find(unit.front()) + 1));
        unit.erase(0, 1);
        if (unit == "IB") unit = "B";
    }
    if (!unit.empty() && unit != "B") throw refuse();
    if (value < 1 || value >= static_cast<double>(std::numeric_limits<std::int64_t>::max())) throw refuse();
    return static_cast<std::size_t>(value);
}

std::string formatShare(double part, double whole) {
    if (whole <= 0) return "0 %";
    const double percent = 100 * part / whole;
    return fmt::format("{:.3g} %", percent);
}

std::string formatNumber(double value) {
    if (!std::isfinite(value)) return fmt::format("{}", value);
    if (std::abs(value) >= 999.5 && std::abs(value) < 1e15)
        return (value < 0 ? "-" : "") +
               formatCount(static_cast<std::uint64_t>(std::llround(std::abs(value))));
    if (std::abs(value) >= 1e15 || (value != 0 && std::abs(value) < 1e-3))
        return fmt::format("{:.2e}", value);
    return fmt::format("{:.{}f}", value, decimalsFor(value));
}

template <class T>
bool isRoundedWholeNumber(std::string_view text, T value) {
    if (!(std::abs(value) >= std::ldexp(T{1}, std::numeric_limits<T>::digits))) return false;
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!isDigits(text)) return false;
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    return fmt::format("{:.0f}", std::abs(value)) != text;
}

template bool isRoundedWholeNumber(std::string_view, float);
template bool isRoundedWholeNumber(std::string_view, double);

}  // namespace glycine
