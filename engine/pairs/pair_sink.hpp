#pragma once

#include "engine/core/matrix.hpp"
#include "engine/pairs/pair_tile.hpp"

namespace glycine::pairs {

/// Takes finished tiles of the symmetric N × N result, from one thread.
class PairSink {
  public:
    virtual ~PairSink() = default;
    /// Whether an earlier run has left this tile finished and intact.
    virtual bool has(const PairTile&) const { return false; }
    /// `values`: rows × columns of the tile; elements with column ≥ row of a tile on the diagonal mean
    /// nothing. The diagonal of the result is the sink's to know (0, or 1 for a similarity). Tiles that hold
    /// no pair (one instance beside itself) are handed over, too.
    virtual void store(const PairTile& tile, MatrixView<const double> values) = 0;
};

}  // namespace glycine::pairs
