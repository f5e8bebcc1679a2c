#include "engine/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace glycine {

namespace {

/// Unicode control characters that affect a terminal: C0, DEL, C1, marks, embeddings, overrides and isolates
/// of text direction, line separators, and zero-width characters.
bool isControl(std::uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c || code == 0x180e ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
           (code >= 0xe0000 && code < 0xe0080);
}

}  // namespace

std::string visible(std::string_view text, bool keepsLines) {
    std::string shown;
    shown.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t begin = position;
        const std::optional<std::uint32_t> code = nextUtf8(text, position);
        if (!code)
            shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[position++]));
        else if (!isControl(*code) || (keepsLines && (*code == '\n' || *code == '\t')))
            shown += text.substr(begin, position - begin);
        else if (*code < 0x20)
            shown += fmt::format("\\x{:02x}", *code);
        else if (*code < 0x10000)
            shown += fmt::format("\\u{:04x}", *code);
        else
            shown += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + ((*code - 0x10000) >> 10),
                                 0xdc00 + ((*code - 0x10000) & 0x3ff));
    }
    return shown;
}

std::string excerpt(std::string_view text) {
    constexpr std::size_t kCharacters = 80;
    std::size_t end = 0, characters = 0;
    for (; end < text.size(); ++end) {
        const bool continuesCharacter = (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80;
        if (!continuesCharacter && ++characters > kCharacters)
            return fmt::format("{}… ({} bytes)", text.substr(0, end), text.size());
        // Text that is not UTF-8 is cut, too.
        if (continuesCharacter && end >= 4 * kCharacters)
            return fmt::format("{}… ({} bytes)", text.substr(0, end), text.size());
    }
    return std::string(text);
}

std::string_view withoutPacking(std::string_view name) {
    for (const std::string_view ending : {".gz", ".bgz"})
        if (lowerCase(name.substr(name.size() - std::min(name.size(), ending.size()))) == ending)
            return name.substr(0, name.size() - ending.size());
    return name;
}

std::optional<std::uint32_t> nextUtf8(std::string_view text, std::size_t& position) {
    const auto lead = static_cast<unsigned char>(text[position]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    std::uint32_t code = length == 1 ? lead : lead & (0xffU >> (length + 1));
    bool isValid = (lead < 0x80 || (lead >= 0xc2 && lead < 0xf5)) && position + length <= text.size();
    for (std::size_t k = 1; isValid && k < length; ++k) {
        const auto byte = static_cast<unsigned char>(text[position + k]);
        isValid = (byte & 0xc0) == 0x80;
        code = (code << 6) | (byte & 0x3fU);
    }
    constexpr std::uint32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
    isValid =
        isValid && code >= kSmallest[length - 1] && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
    if (!isValid) return std::nullopt;
    position += length;
    return code;
}

void appendUtf8(std::string& text, std::uint32_t code) {
    if (code < 0x80) {
        text += static_cast<char>(code);
        return;
    }
    const int continuations = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr std::uint32_t kLeads[] = {0xc0, 0xe0, 0xf0};
    text += static_cast<char>(kLeads[continuations - 1] | (code >> (6 * continuations)));
    for (int k = continuations - 1; k >= 0; --k) text += static_cast<char>(0x80 | ((code >> (6 * k)) & 0x3f));
}

bool isUtf8(std::string_view text) {
    for (std::size_t position = 0; position < text.size();)
        if (!nextUtf8(text, position)) return false;
    return true;
}

std::string utf8FromUnknown(std::string_view bytes) {
    if (isUtf8(bytes)) return std::string(bytes);
    std::string text;
    text.reserve(bytes.size());
    for (const char byte : bytes) appendUtf8(text, static_cast<unsigned char>(byte));
    return text;
}

std::string escapeMarkup(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '&')
            escaped += "&amp;";
        else if (c == '<')
            escaped += "&lt;";
        else
            escaped += c;
    }
    return escaped;
}

std::string drawableText(std::string_view text) {
    constexpr std::uint32_t kReplacement = 0xfffd;
    std::string drawable;
    drawable.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        const std::optional<std::uint32_t> character = nextUtf8(text, position);
        if (!character) ++position;
        const bool isControl = character && (*character < 0x20 || *character == 0x7f);
        appendUtf8(drawable, character && !isControl ? *character : kReplacement);
    }
    return drawable;
}

std::string asciiText(std::string_view text) {
    constexpr std::pair<std::uint32_t, std::string_view> kStandIns[] = {
        {0xb2, "2"},     {0xb3, "3"},    {0xb5, "u"},   {0x3bc, "u"},  {0xc5, "A"},
        {0xd7, "x"},     {0xb1, "+/-"},  {0xb7, "."},   {0x2013, "-"}, {0x2212, "-"},
        {0x2026, "..."}, {0x2264, "<="}, {0x2265, ">="}};
    std::string ascii;
    for (std::size_t position = 0; position < text.size();) {
        const std::uint32_t character = nextUtf8(text, position).value_or(0);
        if (character == 0) ++position;
        const auto* const standIn =
            std::ranges::find(kStandIns, character, &std::pair<std::uint32_t, std::string_view>::first);
        if (standIn != std::end(kStandIns))
            ascii += standIn->second;
        else
            ascii += character != 0 && character < 0x80 ? static_cast<char>(character) : '?';
    }
    return ascii;
}

}  // namespace glycine
