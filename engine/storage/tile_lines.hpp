#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/storage/unfinished.hpp"

namespace glycine::storage {

/// Tiles as a journal lists them, a line each: "tile 0 64 0 64 00c0ffee00c0ffee".
std::string linesOf(std::span<const FinishedTile> tiles);
/// And back, up to the first line that is none.
std::vector<FinishedTile> tilesOfLines(std::string_view text);

}  // namespace glycine::storage
