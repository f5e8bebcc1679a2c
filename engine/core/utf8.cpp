#include "engine/core/utf8.hpp"

namespace glycine {

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

}  // namespace glycine
