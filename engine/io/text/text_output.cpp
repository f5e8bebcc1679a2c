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
