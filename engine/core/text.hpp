#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glycine {

/// `text` with its ASCII letters in lower case; other bytes stay, whatever the locale.
inline std::string lowerCase(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

/// Whether `text` consists of digits 0 … 9, at least one.
inline bool isDigits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// `text` made safe for a terminal. Characters that move the cursor, ring, colour, hide text or change its
/// direction are replaced by their number: "\\x1b" up to 0x1f, "\\u009b" and "\\u202e" beyond it, as JSON
/// writes them. Bytes that are not UTF-8 become "\\xff". Line feeds and tabs stay if `keepsLines`.
std::string visible(std::string_view text, bool keepsLines = true);

/// Text from a user or a file, shortened for a message: all of it, or the first 80 UTF-8 characters and the
/// length: "ACGT…ACGT… (50000 bytes)".
std::string excerpt(std::string_view text);

/// A file name without its compression suffix: "a.vcf" for "a.vcf.gz" and "a.vcf.bgz" (bgzip writes gzip,
/// too).
std::string_view withoutPacking(std::string_view name);

/// The character at byte `position` of UTF-8 text; moves `position` past it. Returns nothing, and leaves
/// `position`, at malformed bytes, overlong forms and surrogates. Requires position < text.size().
std::optional<std::uint32_t> nextUtf8(std::string_view text, std::size_t& position);

/// Appends the character `code` (at most 0x10ffff) as UTF-8.
void appendUtf8(std::string& text, std::uint32_t code);

/// Whether all of `text` is UTF-8; ASCII counts.
bool isUtf8(std::string_view text);

/// UTF-8 from bytes of unknown encoding: UTF-8 stays as it is, anything else is read as Latin-1.
std::string utf8FromUnknown(std::string_view bytes);

/// UTF-8 text for drawing: malformed bytes and control characters become U+FFFD, "�".
std::string drawableText(std::string_view text);

/// UTF-8 text in ASCII: "u" for "µ", "x" for "×", "?" for characters without a substitute.
std::string asciiText(std::string_view text);

/// Text escaped for use between the tags of SVG and HTML.
std::string escapeMarkup(std::string_view text);

inline bool hasWildcard(std::string_view text) {
    return text.find_first_of("*?") != std::string_view::npos;
}

/// Whether `pattern` matches the whole of `text`: '*' matches any bytes, '?' one byte, ignoring the case of
/// ASCII letters.
inline bool matchesWildcards(std::string_view pattern, std::string_view text) {
    const std::string wanted = lowerCase(pattern), found = lowerCase(text);
    // Where to continue after a mismatch: the last star takes one byte more.
    std::size_t star = std::string::npos, resume = 0;
    std::size_t p = 0, t = 0;
    while (t < found.size()) {
        if (p < wanted.size() && wanted[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < wanted.size() && (wanted[p] == '?' || wanted[p] == found[t])) {
            ++p;
            ++t;
        } else if (star != std::string::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < wanted.size() && wanted[p] == '*') ++p;
    return p == wanted.size();
}

}  // namespace glycine
