#include "engine/io/text/text_output.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace glycine::io {

namespace {

template <class T>
char* write(char* out, T value) {
    // Every whole number up to here is a double.
    constexpr double kLargestWhole = 9007199254740992;
    if (std::abs(value) <= kLargestWhole) {
        const auto whole = static_cast<std::int64_t>(value);
        if (static_cast<T>(whole) == value) return std::to_chars(out, out + kNumberChars, whole).ptr;
    }
    constexpr std::string_view kNaN = "nan";
    if (std::isnan(value)) return std::copy(kNaN.begin(), kNaN.end(), out);
    return fmt::format_to(out, FMT_COMPILE("{}"), value);
}

}  // namespace

char* writeShortest(char* out, double value) {
    return write(out, value);
}

char* writeShortest(char* out, float value) {
    return write(out, value);
}

}  // namespace glycine::io
