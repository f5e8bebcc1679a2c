#pragma once

#include <cstddef>
#include <string_view>

namespace glycine {

/// An order of names for readers: runs of digits compare as whole numbers of any length ("group2" before
/// "group10"), everything else byte by byte. Of names that differ only in leading zeros, the bytes decide, so
/// different names are never equal.
struct NaturalOrder {
    using is_transparent = void;

    bool operator()(std::string_view first, std::string_view second) const {
        std::size_t i = 0, j = 0;
        while (i < first.size() && j < second.size()) {
            if (isDigit(first[i]) && isDigit(second[j])) {
                const std::string_view number = takeNumber(first, i), other = takeNumber(second, j);
                if (number.size() != other.size()) return number.size() < other.size();
                if (number != other) return number < other;
            } else {
                if (first[i] != second[j])
                    return static_cast<unsigned char>(first[i]) < static_cast<unsigned char>(second[j]);
                ++i, ++j;
            }
        }
        const std::size_t left = first.size() - i, otherLeft = second.size() - j;
        return left != otherLeft ? left < otherLeft : first < second;
    }

  private:
    static bool isDigit(char c) { return c >= '0' && c <= '9'; }
    /// The run of digits at `place` without leading zeros; moves `place` past it.
    static std::string_view takeNumber(std::string_view text, std::size_t& place) {
        std::size_t begin = place;
        while (place < text.size() && isDigit(text[place])) ++place;
        while (begin < place && text[begin] == '0') ++begin;
        return text.substr(begin, place - begin);
    }
};

}  // namespace glycine
