#include "engine/gl/pairs/pair_regions.hpp"

#include <algorithm>

namespace glycine::pairs::gl {

std::vector<glycine::gl::Rectangle> pairRegions(const PairTile& tile, const PairTexels& texels,
                                                int mostSteps) {
    constexpr int kBlock = 4;  // rasterizers shade in blocks of up to 4 × 4 texels
    const auto perTexel = [](std::size_t count, std::size_t step) {
        return static_cast<int>(roundUp(count, step) / step);
    };
    const int width = perTexel(tile.columns.size(), texels.columnsPerTexel * texels.texelRows);
    const int height = perTexel(tile.rows.size(), texels.rowsPerTexel) * static_cast<int>(texels.texelRows);
    if (!tile.isDiagonal()) return {{{0, 0}, {width, height}}};
    const int step =
        static_cast<int>(roundUp(static_cast<std::size_t>((height + mostSteps - 1) / mostSteps), kBlock));
    std::vector<glycine::gl::Rectangle> regions;
    for (int y = 0; y < height; y += step) {
        const int end = std::min(y + step, height);
        // The last row of the step needs the columns before it.
        const std::size_t columns = std::min(
            static_cast<std::size_t>(end) / texels.texelRows * texels.rowsPerTexel, tile.columns.size());
        regions.push_back(
            {{0, y},
             {std::min(perTexel(columns, texels.columnsPerTexel * texels.texelRows), width), end - y}});
    }
    return regions;
}

}  // namespace glycine::pairs::gl
