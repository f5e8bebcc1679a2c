#pragma once

#include <string>
#include <string_view>

namespace glycine::io {

/// Appends `field` to a line of comma-separated values: between double quotes, with its own quotes doubled,
/// where it holds a comma, a quote or a line break, or has blanks around it that a reader might drop.
/// Source: RFC 4180, section 2.
inline void appendCsvField(std::string& line, std::string_view field) {
    constexpr std::string_view kBlanks = " \t";
    const bool isPlain = field.find_first_of(",\"\r\n") == std::string_view::npos &&
                         (field.empty() || (kBlanks.find(field.front()) == std::string_view::npos &&
                                            kBlanks.find(field.back()) == std::string_view::npos));
    if (isPlain) {
        line += field;
        return;
    }
    line += '"';
    for (const char c : field) line.append(c == '"' ? 2 : 1, c);
    line += '"';
}

}  // namespace glycine::io
