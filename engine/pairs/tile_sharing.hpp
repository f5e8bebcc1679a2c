#pragma once

#include <cstddef>
#include <vector>

#include "engine/pairs/pair_tile.hpp"
#include "engine/storage/part_file.hpp"

/// Several processes that share the tiles of a result.
namespace glycine::pairs {

/// The tiles of a result of tiles of side `side`, in their order; see TileLoop::references.
std::vector<PairTile> tilesOf(std::size_t instances, std::size_t side, std::size_t references);

/// The tiles as `devices` share them: of the whole ones that `sink` lacks, the last two a device are cut in
/// four, so that all devices end at about the same time. Tiles of which a stopped run has left pieces are cut
/// as they were, whoever goes on.
std::vector<PairTile> tilesToShare(const std::vector<PairTile>& tiles, std::size_t side, std::size_t devices,
                                   const PairSink& sink);

/// Of how many parts this process computes one; computeTiles does so while a PartAtWork lives. Set once,
/// before tiles have a side: sharedSide asks for it.
void setParts(std::size_t parts);

/// While it lives, computeTiles passes over the tiles of other parts.
class PartAtWork {
  public:
    explicit PartAtWork(const storage::Part& part);
    PartAtWork(const PartAtWork&) = delete;
    PartAtWork& operator=(const PartAtWork&) = delete;
    ~PartAtWork();
};

}  // namespace glycine::pairs
