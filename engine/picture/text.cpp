#include "engine/picture/text.hpp"

#include <cairo/cairo.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/core/utf8.hpp"
#include "engine/picture/font.hpp"

namespace glycine::picture {

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

std::string drawableText(std::string_view text) {
    constexpr std::uint32_t kReplacement = 0xfffd;
    std::string drawable;
    drawable.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        const std::optional<std::uint32_t> character = nextUtf8(text, position);
        if (!character) ++position;
        const bool isControl = character && (*character < 0x20 || *character == 0x7f);
        appendUtf8(drawable, character && !isControl ? *character : kReplacement);
    }
    return drawable;
}

double textLength(std::string_view text, const TextStyle& style) {
    const std::unique_ptr<cairo_font_face_t, decltype(&cairo_font_face_destroy)> face(
        cairo_toy_font_face_create(kFontFamily, CAIRO_FONT_SLANT_NORMAL, fontWeight(style)),
        &cairo_font_face_destroy);
    cairo_matrix_t size;
    cairo_matrix_init_scale(&size, style.size, style.size);
    cairo_matrix_t page;
    cairo_matrix_init_identity(&page);
    const FontOptions options = fontOptions();
    const std::unique_ptr<cairo_scaled_font_t, decltype(&cairo_scaled_font_destroy)> font(
        cairo_scaled_font_create(face.get(), &size, &page, options.get()), &cairo_scaled_font_destroy);
    cairo_text_extents_t extents{};
    cairo_scaled_font_text_extents(font.get(), drawableText(text).c_str(), &extents);
    return extents.x_advance;
}

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

}  // namespace glycine::picture
