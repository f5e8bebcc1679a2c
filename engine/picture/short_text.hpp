#pragma once

#include <string>
#include <string_view>

#include "engine/picture/stroke_font.hpp"

namespace glycine::io {

/// UTF-8 text that is at most `width` pixels long: as it is, or with "…" in place of some of its middle
/// (names of files and channels often differ at their ends). Nothing where even that finds no room.
std::string shortenText(std::string_view text, double width, const TextStyle& style);

}  // namespace glycine::io
