#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/core/progress.hpp"
#include "engine/gl/framework/framebuffer.hpp"
#include "engine/gl/framework/texture.hpp"
#include "engine/gl/framework/watchdog.hpp"
#include "engine/pairs/pair_run.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::pairs::gl {

/// The host adds up what several passes have read back.
inline constexpr HostStage kSumsOverBlocks{"sums over blocks of attributes",
                                           "more than a pass or a float holds"};

/// Layout of pairs in a render target. Texel (x, y) of layer r holds row instance y·rowsPerTexel + r and the
/// column instances from x·columnsPerTexel on. With L = `texelRows`, L rows of texels hold one row instance
/// (per layer), so that fragments that run together share it. Then the row instance is (y / L)·rowsPerTexel +
/// r, and the column instances begin at (x·L + y mod L)·columnsPerTexel.
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

/// Returns rectangles of texels that together hold all pairs of `tile`. On the diagonal they form at most
/// `mostSteps` steps, which leave out most of the area above it.
std::vector<glycine::gl::Rectangle> pairRegions(const PairTile& tile, const PairTexels& texels,
                                                int mostSteps);

/// Calls draw(rect) for pieces within the budget that together hold all pairs of `tile`. `workPerPair` is in
/// the budget's units; `progress` advances by `total` in all.
template <class Draw>
void drawPairs(glycine::gl::PassBudget& budget, const PairTile& tile, const PairTexels& texels,
               double workPerPair, double total, Progress& progress, Draw&& draw) {
    constexpr int kMaxSteps = 64;
    const std::vector<glycine::gl::Rectangle> regions = pairRegions(tile, texels, kMaxSteps);
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

/// Reads all pairs of `tile` from `target`. Calls consume(row, columns, numbers) with the row within the
/// tile, the number of valid columns (on the diagonal: those before it), and the row's texels. One piece
/// travels while the previous one is consumed, on several threads. T must be the number type of the format.
template <class T, class Consume>
void readPairs(const glycine::gl::RenderTexture& target, const PairTile& tile, const PairTexels& texels,
               Consume&& consume) {
    constexpr int kMaxSteps = 4;
    const std::vector<glycine::gl::Rectangle> regions = pairRegions(tile, texels, kMaxSteps);
    std::size_t largest = 0;
    for (const glycine::gl::Rectangle& region : regions)
        largest = std::max(largest,
                           static_cast<std::size_t>(region.size.x) * static_cast<std::size_t>(region.size.y));
    const glycine::gl::TextureFormat format = target.shape().format;
    const auto channels = static_cast<std::size_t>(glycine::gl::info(format).channels);
    const std::size_t bytes = largest * glycine::gl::info(format).bytesPerTexel;
    glycine::gl::AsyncReadback readbacks[2] = {glycine::gl::AsyncReadback(bytes),
                                               glycine::gl::AsyncReadback(bytes)};
    const std::size_t pieces = regions.size() * texels.rowsPerTexel;
    const auto start = [&](std::size_t piece) {
        readbacks[piece % 2].start(target.framebuffer(), static_cast<int>(piece % texels.rowsPerTexel),
                                   format, regions[piece / texels.rowsPerTexel]);
    };
    if (pieces > 0) start(0);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        if (piece + 1 < pieces) start(piece + 1);
        const glycine::gl::Rectangle& region = regions[piece / texels.rowsPerTexel];
        const std::size_t layer = piece % texels.rowsPerTexel;
        const T* const numbers = readbacks[piece % 2].finish<T>();
        const auto width = static_cast<std::size_t>(region.size.x);
        const std::size_t lines = texels.texelRows;
        const std::size_t columns = std::min(width * lines * texels.columnsPerTexel, tile.columns.size());
#pragma omp parallel for schedule(static) if (width * static_cast <std::size_t>(region.size.y) >= 16384)
        for (int y = 0; y < region.size.y; y += static_cast<int>(lines)) {
            const std::size_t row =
                static_cast<std::size_t>(region.origin.y + y) / lines * texels.rowsPerTexel + layer;
            if (row >= tile.rows.size()) continue;
            const T* texelsOfRow = numbers + static_cast<std::size_t>(y) * width * channels;
            std::vector<T> woven;
            if (lines > 1) {
                woven.resize(lines * width * channels);
                for (std::size_t line = 0; line < lines; ++line)
                    for (std::size_t x = 0; x < width; ++x)
                        std::copy_n(texelsOfRow + (line * width + x) * channels, channels,
                                    woven.data() + (x * lines + line) * channels);
                texelsOfRow = woven.data();
            }
            consume(row, tile.isDiagonal() ? std::min(columns, row) : columns, texelsOfRow);
        }
        readbacks[piece % 2].release();
    }
}

}  // namespace glycine::pairs::gl
