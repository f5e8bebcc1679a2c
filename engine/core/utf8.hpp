#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glycine {

/// The character that begins at byte `position` of UTF-8 text; `position` is moved behind it. Nothing, and
/// `position` stays, at malformed bytes, overlong forms and surrogates. Precondition: position < text.size().
std::optional<std::uint32_t> nextUtf8(std::string_view text, std::size_t& position);

/// Appends the character `code` (at most 0x10ffff) as UTF-8.
void appendUtf8(std::string& text, std::uint32_t code);

/// Whether all of `text` is UTF-8; ASCII is.
bool isUtf8(std::string_view text);

/// UTF-8 of bytes that come without a named encoding: UTF-8 as it is, anything else taken for Latin-1.
std::string utf8FromUnknown(std::string_view bytes);

}  // namespace glycine
