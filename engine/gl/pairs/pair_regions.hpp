#pragma once

#include <cstddef>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/gl/framework/pass_budget.hpp"
#include "engine/gl/framework/texture.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::pairs::gl {

/// How pairs lie in a render target: texel (x, y) of layer r holds row instance y·rowsPerTexel + r and column
/// instances x·columnsPerTexel … With L `texelRows`, L rows of texels hold a row instance (of each layer), so
/// that fragments that run together share it: (y / L)·rowsPerTexel + r with (x·L + y mod L)·columnsPerTexel …
struct PairTexels {
    std::size_t rowsPerTexel = 1;
    std::size_t columnsPerTexel = 1;
    std::size_t texelRows = 1;  ///< a divisor of 4

    glycine::gl::TextureShape shape(glycine::gl::TextureFormat format, std::size_t side) const {
        return {format,
                {roundUp(side, columnsPerTexel * texelRows) / (columnsPerTexel * texelRows),
                 side / rowsPerTexel * texelRows},
                rowsPerTexel > 1 ? static_cast<int>(rowsPerTexel) : 0};
    }
};

/// Rectangles of texels that together hold all pairs of `tile`. On the diagonal they are steps that leave out
/// most of what lies above it: at most `mostSteps`.
std::vector<glycine::gl::Rectangle> pairRegions(const PairTile& tile, const PairTexels& texels,
                                                int mostSteps);

/// Calls draw(rect) for pieces within the budget that together hold all pairs of `tile`. A pair takes
/// `workPerPair` in the budget's units; `progress` advances by `total` in all.
template <class Draw>
void drawPairs(glycine::gl::PassBudget& budget, const PairTile& tile, const PairTexels& texels,
               double workPerPair, double total, Progress& progress, Draw&& draw) {
    constexpr int kMostSteps = 64;
    const std::vector<glycine::gl::Rectangle> regions = pairRegions(tile, texels, kMostSteps);
    const auto area = [](const glycine::gl::Rectangle& rect) {
        return static_cast<double>(rect.size.x) * rect.size.y;
    };
    double regionsArea = 0;
    for (const glycine::gl::Rectangle& region : regions) regionsArea += area(region);
    const double workPerTexel =
        workPerPair * static_cast<double>(texels.rowsPerTexel * texels.columnsPerTexel);
    for (const glycine::gl::Rectangle& region : regions)
        glycine::gl::drawInPieces(budget, region, workPerTexel, [&](const glycine::gl::Rectangle& rect) {
            draw(rect);
            progress.advance(total * area(rect) / regionsArea);
        });
}

}  // namespace glycine::pairs::gl
