#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/core/text.hpp"

namespace glycine {

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
