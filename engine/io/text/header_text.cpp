#include "engine/io/text/header_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "engine/core/text.hpp"

namespace glycine::io {

std::string_view trimBlanks(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool isControlCharacter(char character) {
    return static_cast<unsigned char>(character) < 0x20 || character == 0x7f;
}

std::string printable(std::string_view bytes) {
    std::string text = utf8FromUnknown(bytes);
    std::replace_if(text.begin(), text.end(), isControlCharacter, '?');
    return text;
}

std::optional<HeaderNumber> parseHeaderNumber(std::string_view text) {
    std::string number(text);
    const auto commas = std::count(number.begin(), number.end(), ',');
    std::replace(number.begin(), number.end(), ',', '.');
    const char* begin = number.data();
    const char* end = begin + number.size();
    // from_chars accepts no plus sign, and would accept a minus sign after it.
    if (number.size() > 1 && number[0] == '+' && number[1] != '-') ++begin;
    HeaderNumber result{0, commas > 0};
    const auto [stop, error] = std::from_chars(begin, end, result.value);
    if (error != std::errc{} || stop != end || !std::isfinite(result.value)) return std::nullopt;
    return result;
}

}  // namespace glycine::io
