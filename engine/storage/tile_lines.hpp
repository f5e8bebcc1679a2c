#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/storage/unfinished.hpp"

namespace glycine::storage {

/// Tiles as a journal lists them, one per line: "tile 0 64 0 64 00c0ffee00c0ffee".
std::string linesOf(std::span<const FinishedTile> tiles);
/// The inverse; stops at the first line that is not a tile.
std::vector<FinishedTile> tilesOfLines(std::string_view text);

}  // namespace glycine::storage
