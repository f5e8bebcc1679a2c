#include "engine/picture/short_text.hpp"

#include <cstddef>
#include <vector>

#include "engine/io/text/utf8.hpp"

namespace glycine::io {

namespace {

/// The first and last of the characters that end at `ends`, `kept` ≥ 1 in all.
std::string withoutMiddle(std::string_view text, const std::vector<std::size_t>& ends, std::size_t kept) {
    const std::size_t head = (kept + 1) / 2;
    const std::size_t tail = kept - head;
    std::string shortened(text.substr(0, ends[head - 1]));
    shortened += "…";
    shortened += text.substr(ends[ends.size() - tail - 1]);
    return shortened;
}

}  // namespace

std::string shortenText(std::string_view text, double width, const TextStyle& style) {
    if (textLength(text, style) <= width) return std::string(text);
    std::vector<std::size_t> ends;  // of the characters
    for (std::size_t position = 0; position < text.size(); ends.push_back(position))
        if (!nextUtf8(text, position)) ++position;
    // Each character that goes makes the text shorter: the most that may stay is found by halving.
    std::size_t most = 0;
    for (std::size_t tooMany = ends.size(); tooMany - most > 1;) {
        const std::size_t kept = (most + tooMany) / 2;
        (textLength(withoutMiddle(text, ends, kept), style) <= width ? most : tooMany) = kept;
    }
    return most == 0 ? std::string() : withoutMiddle(text, ends, most);
}

}  // namespace glycine::io
