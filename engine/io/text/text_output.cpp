#include "engine/io/text/text_output.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace glycine::io {

namespace {

/// "00", "01", …, "99"
constexpr std::array<char, 200> kTwoDigits = [] {
    std::array<char, 200> digits{};
    for (std::size_t k = 0; k < 100; ++k) {
        digits[2 * k] = static_cast<char>('0' + k / 10);
        digits[2 * k + 1] = static_cast<char>('0' + k % 10);
    }
    return digits;
}();

constexpr unsigned kSmall = 10'000;

/// Writes a number below kSmall: most counts are.
char* writeSmall(char* out, unsigned number) {
    const auto writeTwo = [](char* place, unsigned two) { std::memcpy(place, &kTwoDigits[2 * two], 2); };
    if (number < 10) {
        *out = static_cast<char>('0' + number);
        return out + 1;
    }
    if (number < 100) {
        writeTwo(out, number);
        return out + 2;
    }
    if (number < 1000) {
        *out = static_cast<char>('0' + number / 100);
        writeTwo(out + 1, number % 100);
        return out + 3;
    }
    writeTwo(out, number / 100);
    writeTwo(out + 2, number % 100);
    return out + 4;
}

template <class T>
char* write(char* out, T value) {
    if (value >= 0 && value < T{kSmall}) {
        const auto small = static_cast<unsigned>(value);
        if (static_cast<T>(small) == value) return writeSmall(out, small);
    }
    // Doubles are exact for integers up to this.
    constexpr double kLargestWhole = 9007199254740992;
    if (std::abs(value) <= kLargestWhole) {
        const auto whole = static_cast<std::int64_t>(value);
        if (static_cast<T>(whole) == value) return std::to_chars(out, out + kNumberChars, whole).ptr;
    }
    constexpr std::string_view kNaN = "nan";
    if (std::isnan(value)) return std::copy(kNaN.begin(), kNaN.end(), out);
    return fmt::format_to(out, FMT_COMPILE("{}"), value);
}

void appendQuoted(std::string& line, std::string_view field) {
    line += '"';
    for (const char c : field) line.append(c == '"' ? 2 : 1, c);
    line += '"';
}

bool hasBlanksAround(std::string_view field) {
    constexpr std::string_view kBlanks = " \t";
    return !field.empty() && (kBlanks.find(field.front()) != std::string_view::npos ||
                              kBlanks.find(field.back()) != std::string_view::npos);
}

}  // namespace

char* writeShortest(char* out, double value) {
    return write(out, value);
}

char* writeShortest(char* out, float value) {
    return write(out, value);
}

void appendCsvField(std::string& line, std::string_view field) {
    if (field.find_first_of(",;\t\"\r\n") != std::string_view::npos || hasBlanksAround(field))
        appendQuoted(line, field);
    else
        line += field;
}

void appendTsvField(std::string& line, std::string_view field) {
    std::string text(field);
    std::ranges::replace_if(
        text, [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, '_');
    if (text.starts_with('"') || hasBlanksAround(text))
        appendQuoted(line, text);
    else
        line += text;
}

}  // namespace glycine::io
