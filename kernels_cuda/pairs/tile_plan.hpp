#pragma once

#include <cstddef>
#include <functional>

#include "engine/core/backend.hpp"

namespace glycine::pairs::cuda {

/// What a run needs device memory for.
struct TileDemand {
    std::size_t instances = 0;
    std::size_t words = 0;  ///< of one plane
    unsigned planes = 1;
    /// Bytes of results and workspace for pieces of side × side instances, given what operands leave of the
    /// memory. The side is padded already.
    std::function<std::size_t(std::size_t side, std::size_t available)> bytes;
};

/// How a run uses device memory.
struct TilePlan {
    std::size_t side =
        0;  ///< of the largest piece of a tile that is worked on at once; 0: memory is too small
    bool isResident = false;     ///< all operands are on the device; else only blocks of those of one piece
    std::size_t blockWords = 0;  ///< not resident: words of a plane that are on the device at once
    std::size_t stagingBytes = 0;
    std::size_t available = 0;  ///< what is left for results and workspace
    std::size_t needed = 0;     ///< side = 0: bytes that would do
};

/// Operands stay on the device where they fit beside results of a useful size; else they are streamed.
TilePlan planTiles(const TileDemand& demand, std::size_t available);

/// Instances that a window of `count` of them takes on the device: its first column starts on a 16-byte
/// boundary, and its length is that of whole tiles.
std::size_t paddedSide(std::size_t count);

/// Distance of the rows of operands that hold all instances: windows that start late reach past the last one.
std::size_t residentStride(std::size_t instances);

/// Side of equal tiles for a run with this plan; `instances` = 0: any number.
std::size_t suitableTile(const TilePlan& plan, std::size_t instances);

}  // namespace glycine::pairs::cuda
