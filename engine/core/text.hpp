#pragma once

#include <cstddef>
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

}  // namespace glycine
