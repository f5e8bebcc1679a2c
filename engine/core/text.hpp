#pragma once

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

}  // namespace glycine
