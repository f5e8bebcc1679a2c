#pragma once

#include <cstddef>
#include <string_view>

#include "engine/picture/image.hpp"

/// Text in pictures: a small font of strokes, drawn smooth at any size, so that pictures need no font file.
namespace glycine::io {

enum class TextAnchor { Start, Middle, End };
enum class TextDirection { Right, Up };

struct TextStyle {
    double height = 10;   ///< of a capital letter, in pixels
    double weight = 1.3;  ///< width of a stroke, in pixels
    Color color{40, 40, 40};
    TextAnchor anchor = TextAnchor::Start;
    TextDirection direction = TextDirection::Right;
};

/// Length in pixels of UTF-8 text. Characters that the font lacks count, and are drawn, as an empty box.
double textLength(std::string_view text, const TextStyle& style);

/// Draws text whose baseline runs through (x, y); the anchor says which part of the text lies there.
void drawText(Image& image, double x, double y, std::string_view text, const TextStyle& style);

}  // namespace glycine::io
