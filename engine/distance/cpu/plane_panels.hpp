#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/matrix.hpp"
#include "engine/core/shared_items.hpp"
#include "engine/core/tiling.hpp"
#include "engine/distance/cpu/count_kernel.hpp"
#include "engine/distance/discrete_data.hpp"
#include "engine/distance/distance_engine.hpp"

namespace glycine::distance::cpu {

/// Threads for a tile: one if it has fewer comparisons than `few`, which take less time than starting more
/// threads.
inline int threadsFor(const PairTile& tile, std::size_t attributes, double few, int threads) {
    return static_cast<double>(tile.pairs()) * static_cast<double>(attributes) < few ? 1 : threads;
}

/// A tile cut into smaller ones for threads to take in turn: as large as their caches allow, but several per
/// thread. All begin at multiples of `step`, a power of two, within the tile.
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

/// The planes of some instances over a block of attributes, packed in strips (see count_kernel.hpp). The
/// block is cut into chunks of attributes, short enough for a strip of one chunk to fit into the first-level
/// cache. Incomplete strips and units are padded with 0.
class PlanePanel {
  public:
    /// Reuses `memory` if it is large enough.
    PlanePanel(const PlaneBlock& planes, const CountKind& kind, Matrix<std::uint64_t> memory, int threads);
    /// In memory of others, which must outlive it: packed already, or by fill().
    PlanePanel(std::size_t instances, std::size_t attributes, const CountKind& kind, std::uint64_t* memory);
    void fill(const PlaneBlock& planes, int threads);
    /// Units in the longest chunk.
    static std::size_t longestChunk(const CountKind& kind);
    /// Words of a panel.
    static std::size_t words(std::size_t instances, std::size_t attributes, const CountKind& kind);

    std::size_t chunks() const { return chunks_; }
    /// Units of 512 attributes in a chunk.
    std::size_t units(std::size_t chunk) const;
    /// Strip that starts at instance `instance`, a multiple of kStripInstances; further strips follow.
    const std::uint64_t* strip(std::size_t chunk, std::size_t instance) const {
        return words_ + stripOffset(chunk, instance / kStripInstances);
    }
    std::size_t bytes() const { return own_.size() * sizeof(std::uint64_t); }
    /// Ends the panel and returns its memory for reuse.
    Matrix<std::uint64_t> releaseMemory() { return std::move(own_); }

  private:
    std::size_t stripOffset(std::size_t chunk, std::size_t strip) const;

    CountKind kind_;
    std::size_t strips_;
    std::size_t units_;
    std::size_t chunkUnits_;
    std::size_t chunks_;
    Matrix<std::uint64_t> own_;
    std::uint64_t* words_;
};

/// Some instances of a panel. In its last strip, others may follow.
class PanelPart {
  public:
    /// Requires first to be a multiple of kStripInstances.
    PanelPart(std::shared_ptr<const PlanePanel> panel, std::size_t first)
        : panel_(std::move(panel)), first_(first) {}
    std::size_t chunks() const { return panel_->chunks(); }
    std::size_t units(std::size_t chunk) const { return panel_->units(chunk); }
    /// As of a panel; `instance` counts from the part's first one.
    const std::uint64_t* strip(std::size_t chunk, std::size_t instance) const {
        return panel_->strip(chunk, first_ + instance);
    }

  private:
    std::shared_ptr<const PlanePanel> panel_;
    std::size_t first_;
};

/// The panels of all instances, each packed once by the processes of a host, which share the tiles of a
/// result. A panel has the instances of a row of tiles, and one of the blocks into which
/// splitRange(attributes, block) divides the attributes.
class SharedPanels {
  public:
    /// Null if the panels take more than `largestBytes`, or if the host shares no memory. All processes of
    /// the host must call it. `side`: of the tiles. `block`: attributes, a multiple of kUnitAttributes.
    static std::unique_ptr<SharedPanels> make(const DiscreteSource& source, const CountKind& kind,
                                              std::size_t side, std::size_t block, std::size_t largestBytes,
                                              ProcessTeam& team);
    /// The part of a panel with these instances, if one has them from the beginning of a strip on; else
    /// nothing.
    std::optional<PanelPart> panel(Range instances, Range attributes, int threads);

  private:
    SharedPanels(const DiscreteSource& source, const CountKind& kind, std::size_t side, std::size_t block)
        : source_(source), kind_(kind), side_(side), block_(block) {}

    const DiscreteSource& source_;
    CountKind kind_;
    std::size_t side_, block_;
    std::size_t blocks_ = 0;
    std::optional<SharedItems> items_;
};

/// Reads and packs panels. Keeps the most recently used ones in memory and reuses the memory of the others,
/// because fresh pages cost more than packing.
class PlanePanelCache {
  public:
    PlanePanelCache(const DiscreteSource& source, const CountKind& kind, std::size_t largestBytes)
        : source_(source), kind_(kind), largestBytes_(largestBytes) {}
    /// The part of a panel in memory, if one has these instances from the beginning of a strip on; else a new
    /// panel.
    PanelPart panel(Range instances, Range attributes, int threads);

  private:
    struct Entry {
        Range instances;
        Range attributes;
        std::shared_ptr<PlanePanel> panel;
    };
    /// Drops the least recently used panels until there is room; returns memory that became free.
    Matrix<std::uint64_t> makeRoom(std::size_t bytes);

    const DiscreteSource& source_;
    CountKind kind_;
    std::size_t largestBytes_;
    std::list<Entry> entries_;  ///< most recently used first
};

}  // namespace glycine::distance::cpu
