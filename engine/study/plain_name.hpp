#pragma once

#include <string>
#include <string_view>

namespace glycine::study {

/// What files may be called everywhere: letters and digits, with one hyphen for whatever lies between them.
inline std::string plainName(std::string_view text) {
    std::string name;
    for (const char c : text) {
        const bool isPlain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (isPlain)
            name += c;
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    return name;
}

}  // namespace glycine::study
