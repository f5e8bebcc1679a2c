#pragma once

#include <string>
#include <string_view>

#include "engine/picture/color_map.hpp"

/// Text in pictures: DejaVu Sans, which has the letters and signs of the field (Å, µ, −, ≥, ², Greek).
namespace glycine::picture {

enum class TextAnchor { Start, Middle, End };
enum class TextDirection { Right, Up };

struct TextStyle {
    double size = 12.5;  ///< of the font, in pixels
    Color color{38, 38, 42};
    TextAnchor anchor = TextAnchor::Start;
    TextDirection direction = TextDirection::Right;
    bool isBold = false;

    /// Of a capital letter, in pixels.
    double capitalHeight() const { return 0.729 * size; }
    TextStyle anchored(TextAnchor newAnchor, TextDirection newDirection = TextDirection::Right) const {
        TextStyle style = *this;
        style.anchor = newAnchor;
        style.direction = newDirection;
        return style;
    }
};

/// UTF-8 text as it is drawn: malformed bytes and control characters become U+FFFD, "�".
std::string drawableText(std::string_view text);

/// Length in pixels of UTF-8 text.
double textLength(std::string_view text, const TextStyle& style);

/// UTF-8 text that is at most `width` pixels long: as it is, or with "…" in place of some of its middle
/// (names of files and channels often differ at their ends). Nothing where even that finds no room.
std::string shortenText(std::string_view text, double width, const TextStyle& style);

}  // namespace glycine::picture
