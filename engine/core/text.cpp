#include "engine/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace glycine {

std::string excerpt(std::string_view text) {
    constexpr std::size_t kCharacters = 80;
    std::size_t end = 0, characters = 0;
    for (; end < text.size(); ++end) {
        const bool continuesCharacter = (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80;
        if (!continuesCharacter && ++characters > kCharacters)
            return fmt::format("{}… ({} bytes)", text.substr(0, end), text.size());
        // Bytes that are no UTF-8 end somewhere, too.
        if (continuesCharacter && end >= 4 * kCharacters)
            return fmt::format("{}… ({} bytes)", text.substr(0, end), text.size());
    }
    return std::string(text);
}

std::string_view withoutPacking(std::string_view name) {
    for (const std::string_view ending : {".gz", ".bgz"})
        if (lowerCase(name.substr(name.size() - std::min(name.size(), ending.size()))) == ending)
            return name.substr(0, name.size() - ending.size());
    return name;
}

}  // namespace glycine
