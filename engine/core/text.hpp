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

/// Whether `text` is made of the digits 0 … 9, one of them at least.
inline bool isDigits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// `text` as a terminal may show it: what moves the cursor, rings, colours, hides or turns the direction of
/// writing becomes its number, "\\x1b" up to 0x1f, "\\u009b" and "\\u202e" beyond it (as JSON writes
/// it, too), and "\\xff" of bytes that are no UTF-8. Line feeds and tabs stay where `keepsLines`.
std::string visible(std::string_view text, bool keepsLines = true);

/// What a message shows of text that a user or a file gave: all of it, or of a longer one the first 80
/// characters (of UTF-8) and its length: "ACGT…ACGT… (50000 bytes)".
std::string excerpt(std::string_view text);

/// The name of a file without the ending of its packing: "a.vcf" of "a.vcf.gz" and "a.vcf.bgz" (what bgzip
/// writes is gzip, too).
std::string_view withoutPacking(std::string_view name);

/// The character that begins at byte `position` of UTF-8 text; `position` is moved behind it. Nothing, and
/// `position` stays, at malformed bytes, overlong forms and surrogates. Precondition: position < text.size().
std::optional<std::uint32_t> nextUtf8(std::string_view text, std::size_t& position);

/// Appends the character `code` (at most 0x10ffff) as UTF-8.
void appendUtf8(std::string& text, std::uint32_t code);

/// Whether all of `text` is UTF-8; ASCII is.
bool isUtf8(std::string_view text);

/// UTF-8 of bytes that come without a named encoding: UTF-8 as it is, anything else taken for Latin-1.
std::string utf8FromUnknown(std::string_view bytes);

/// UTF-8 text as it is drawn: malformed bytes and control characters become U+FFFD, "�".
std::string drawableText(std::string_view text);

/// UTF-8 text in ASCII: "u" for "µ", "x" for "×", "?" for what has no stand-in.
std::string asciiText(std::string_view text);

/// Text as it stands between the tags of SVG and HTML.
std::string escapeMarkup(std::string_view text);

inline bool hasWildcard(std::string_view text) {
    return text.find_first_of("*?") != std::string_view::npos;
}

/// Whether `pattern` stands for the whole of `text`: '*' for any bytes, '?' for one; the case of ASCII
/// letters does not count.
inline bool matchesWildcards(std::string_view pattern, std::string_view text) {
    const std::string wanted = lowerCase(pattern), found = lowerCase(text);
    // Where to go on after a mismatch: the last star takes one byte more.
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
