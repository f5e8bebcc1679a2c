#pragma once

#include <cstddef>
#include <vector>

#include "engine/distance/pair_engine.hpp"

namespace glycine::distance::cpu {

/// Threads for a tile: one where it has fewer comparisons than `few`, which take less time than to start
/// others.
inline int threadsFor(const PairTile& tile, std::size_t attributes, double few, int threads) {
    return static_cast<double>(tile.pairs()) * static_cast<double>(attributes) < few ? 1 : threads;
}

/// A tile cut into smaller ones for threads to take one after the other: as large as fits their caches, but
/// several for each thread. All begin at multiples of `step`, a power of two, within the tile.
inline std::vector<PairTile> subTiles(const PairTile& tile, std::size_t largest, std::size_t step,
                                      int threads) {
    constexpr std::size_t kForEachThread = 6;
    std::size_t side = largest;
    std::vector<PairTile> parts = pairs::cutTile(tile, side);
    while (side / 2 >= step && parts.size() < kForEachThread * static_cast<std::size_t>(threads)) {
        side /= 2;
        parts = pairs::cutTile(tile, side);
    }
    return parts;
}

}  // namespace glycine::distance::cpu
